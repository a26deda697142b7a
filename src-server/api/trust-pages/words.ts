/** Texts of the page. Names of settings are those of the systems' own languages. */
export interface TrustWords {
  title: string;
  intro: string;
  fingerprint: string;
  fingerprintHelp: string;
  androidSteps: string[];
  iosSteps: string[];
  download: string;
  downloadProfile: string;
  test: string;
  noScript: string;
  testing: string;
  trusted: string;
  untrusted: string;
  unknown: string;
  again: string;
  openApp: string;
  backToApp: string;
  limits: string;
  limitList: string[];
  remove: string;
  removeList: string[];
  none: string;
  other: string;
  profileHelp: string;
}

export const WORDS: Record<'en' | 'ja', TrustWords> = {
  en: {
    title: 'Trust this site',
    intro:
      'Install the certificate authority of this site once. Then this phone opens the site without a warning and keeps its app for use without a network.',
    fingerprint: 'Fingerprint (SHA-256)',
    fingerprintHelp: 'The settings of your phone and the screen at the desk must show the same. Stop if they differ.',
    androidSteps: [
      'Download the certificate with the button below.',
      'Open Settings, Security & privacy, Encryption & credentials, Install a certificate, CA certificate. If you cannot find it, search the settings for “CA certificate”.',
      'Android warns that others might see your data, as it does for every authority. Tap “Install anyway” and choose the file that you downloaded.',
      'Open “Trusted credentials” on the same page, tab “User”, tap {{name}} and compare the SHA-256 fingerprint.',
      'Come back to this page and test.',
    ],
    iosSteps: [
      'Open this page in Safari and download the profile with the button below. Tap “Allow”.',
      'Open Settings, General, VPN & Device Management, tap the profile “Outpost {{name}}”.',
      'Tap “More Details”, then the certificate, and compare the SHA-256 fingerprint. Then go back and tap “Install”.',
      'Open Settings, General, About, Certificate Trust Settings, and switch on “{{name}}”.',
      'Come back to this page and test.',
    ],
    download: 'Download certificate',
    downloadProfile: 'Download profile',
    test: 'Did it work?',
    noScript: 'Close this page and open it again. If no warning comes, it worked.',
    testing: 'Testing…',
    trusted: 'This phone trusts the site.',
    untrusted: 'This phone does not trust the site yet.',
    unknown: 'This browser cannot test it. Close this page and open it again: if no warning comes, it worked.',
    again: 'Test again',
    openApp: 'Open the app',
    backToApp: 'Back to the app',
    limits: 'What it can and cannot do',
    limitList: [
      'It vouches for {{hostName}} and for addresses of private networks, such as 192.168.1.20. Nothing else.',
      'It cannot vouch for a bank, for mail or for any other site of the internet, and it cannot read what you do there.',
      'It may not vouch for you, for programs or for e-mail.',
    ],
    remove: 'How to remove it',
    removeList: [
      'Android: Settings, Security & privacy, Encryption & credentials, Trusted credentials, tab “User”, {{name}}, Remove.',
      'iPhone: Settings, General, VPN & Device Management, “Outpost {{name}}”, Remove Profile.',
    ],
    none: 'This site has no certificate authority at present. Ask its staff.',
    other: '日本語',
    profileHelp:
      'Lets this device open the Outpost site of your clinic without a warning. It vouches for nothing else.',
  },
  ja: {
    title: 'この施設を信頼する',
    intro:
      'この施設の認証局を一度インストールすると、警告なしで施設のOutpostに接続できます。アプリもスマートフォンに保存され、ネットワークがなくても使えます。',
    fingerprint: 'フィンガープリント（SHA-256）',
    fingerprintHelp:
      'スマートフォンの設定と受付の画面に、同じ値が表示されることを確認してください。異なる場合は、中止してください。',
    androidSteps: [
      '下のボタンで証明書をダウンロードします。',
      '「設定」→「セキュリティとプライバシー」→「暗号化と認証情報」→「証明書のインストール」→「CA証明書」を開きます。見つからない場合は、設定で「CA証明書」を検索してください。',
      'データを見られるおそれがあるという警告は、どの認証局にも表示されます。「インストールする」をタップし、ダウンロードしたファイルを選択します。',
      '同じ画面の「信頼できる認証情報」→「ユーザー」で{{name}}をタップし、SHA-256フィンガープリントを比べます。',
      'このページに戻り、確認します。',
    ],
    iosSteps: [
      'このページをSafariで開き、下のボタンでプロファイルをダウンロードします。「許可」をタップします。',
      '「設定」→「一般」→「VPNとデバイス管理」を開き、「Outpost {{name}}」をタップします。',
      '「詳細」→証明書の順にタップし、SHA-256フィンガープリントを比べます。戻って「インストール」をタップします。',
      '「設定」→「一般」→「情報」→「証明書信頼設定」を開き、「{{name}}」をオンにします。',
      'このページに戻り、確認します。',
    ],
    download: '証明書をダウンロード',
    downloadProfile: 'プロファイルをダウンロード',
    test: '確認',
    noScript: 'このページを閉じて開き直してください。警告が表示されなければ成功です。',
    testing: '確認中…',
    trusted: 'このスマートフォンは施設を信頼しています。',
    untrusted: 'このスマートフォンは、まだ施設を信頼していません。',
    unknown: 'このブラウザーでは確認できません。ページを閉じて開き直し、警告が表示されなければ成功です。',
    again: 'もう一度確認',
    openApp: 'アプリを開く',
    backToApp: 'アプリに戻る',
    limits: 'できること・できないこと',
    limitList: [
      '{{hostName}}と、192.168.1.20のような組織内ネットワークのアドレスだけを保証します。',
      '銀行やメールなど、インターネット上の他のWebページは保証できません。そこでの操作を読み取ることもできません。',
      '個人、ソフトウェア、電子メールは保証しません。',
    ],
    remove: '削除の方法',
    removeList: [
      'Android：「設定」→「セキュリティとプライバシー」→「暗号化と認証情報」→「信頼できる認証情報」→「ユーザー」→{{name}}→「削除」',
      'iPhone：「設定」→「一般」→「VPNとデバイス管理」→「Outpost {{name}}」→「プロファイルを削除」',
    ],
    none: 'この施設には、現在使用できる認証局がありません。担当者に確認してください。',
    other: 'English',
    profileHelp: '施設のOutpostに警告なしで接続できるようにします。他のWebページは保証しません。',
  },
};
