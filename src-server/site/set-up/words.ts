/** Texts of the set-up pages, in the desktop window and in the browser. */

export type SetUpLanguage = 'en' | 'ja';

export const SET_UP_LANGUAGES = [
  { id: 'en', label: 'English' },
  { id: 'ja', label: '日本語' },
] as const satisfies readonly { id: SetUpLanguage; label: string }[];

const en = {
  title: 'Create a site',
  intro: 'A site is a folder with your studies and recordings. No data leaves this computer.',
  retrospective: 'Retrospective research data. Not for real-time monitoring, diagnosis or alarms.',
  language: 'Language',
  folder: 'Folder:',
  siteStep: '1. The site',
  siteStepHelp: 'The name is shown on every page, in emails and on paired devices. You can change it later.',
  account: 'Organisation',
  timeZone: 'Time zone',
  timeZoneHelp:
    'Time zone of the clinic: type its city, such as Osaka, or a name such as US/Eastern. Each subject has their own.',
  personStep: '2. The first administrator',
  personStepHelp: 'This is you. Administrators add users, manage backups and see all studies.',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Your email address',
  emailHelp: 'Used to sign in. No emails are sent.',
  password: 'Password',
  passwordHelp: '8 to 64 characters. Keep it safe: only another administrator can reset it.',
  showPassword: 'Show password',
  create: 'Create site',
  creating: 'Creating site…',
  lost: 'Outpost does not answer. Check that it is still running, then try again. What you typed is still here.',
  refused: 'The site was not created. Check the marked fields.',
  problems: {
    account: 'Enter a name of at most 200 characters.',
    timeZone: 'Unknown time zone. Type a large city, or a name such as US/Eastern or Asia/Tokyo.',
    firstName: 'Enter a first name of at most 100 characters.',
    lastName: 'Enter a last name of at most 100 characters.',
    email: 'Enter a valid email address.',
    password: 'Use 8 to 64 characters.',
  },
  failures: {
    SITE_EXISTS: 'The folder is no longer empty. Start again with a new or empty folder.',
    SITE_READ_ONLY: 'The folder is not writable. Change its permissions, or choose another folder.',
    DISK_FULL: 'The disk is full. Free up space and try again.',
  },
  demoHint:
    'To explore first, stop this program and run “npm run demo”. It creates a separate site with fictional people.',
  doneTitle: 'Site created',
  done: 'Outpost opens in a moment. Sign in with your email address and password.',
  open: 'Open now',
  nobodyTitle: 'No site yet',
  nobody: 'Create it at the one-time address that was printed when the program started.',
};

export type SetUpWords = typeof en;

const ja: SetUpWords = {
  title: '施設データを作成',
  intro:
    '施設データは、研究と記録を保存する1つのフォルダーです。データがこのコンピューターの外に出ることはありません。',
  retrospective: '収集後に解析する研究用データです。リアルタイムの監視、診断、警報には使用できません。',
  language: '言語',
  folder: 'フォルダー：',
  siteStep: '1. 施設',
  siteStepHelp: '組織名は各ページ、メール、ペアリングする端末に表示されます。後で変更できます。',
  account: '組織名',
  timeZone: 'タイムゾーン',
  timeZoneHelp: '施設の所在地です。都市名（例：Osaka）を入力してください（被験者のタイムゾーンは別に設定します）。',
  personStep: '2. 最初の管理者',
  personStepHelp:
    'この画面で入力する本人が最初の管理者です。管理者はユーザーの追加、バックアップ、すべての研究の閲覧ができます。',
  firstName: '名',
  lastName: '姓',
  email: 'メールアドレス',
  emailHelp: 'サインインに使います。メールは送信されません。',
  password: 'パスワード',
  passwordHelp: '8〜64文字で入力します。他に管理者がいないと再設定できないため、大切に保管してください。',
  showPassword: 'パスワードを表示',
  create: '施設データを作成',
  creating: '施設データを作成しています…',
  lost: 'Outpostから応答がありません。起動しているか確認し、もう一度お試しください。入力した内容は残っています。',
  refused: '施設データは作成されていません。印の付いた項目を確認してください。',
  problems: {
    account: '組織名を200文字以内で入力してください。',
    timeZone: 'このタイムゾーンは見つかりません。大きな都市の名前か、Asia/Tokyoのような名前を入力してください。',
    firstName: '名を100文字以内で入力してください。',
    lastName: '姓を100文字以内で入力してください。',
    email: 'メールアドレスの形式ではありません。',
    password: 'パスワードは8〜64文字です。',
  },
  failures: {
    SITE_EXISTS: 'フォルダーが空ではなくなりました。空のフォルダーまたは新しいフォルダーで始めてください。',
    SITE_READ_ONLY: 'フォルダーに書き込めません。書き込み権限を与えるか、別のフォルダーを選んでください。',
    DISK_FULL: 'ディスクに空きがありません。空きを増やしてから、もう一度お試しください。',
  },
  demoHint:
    '先にデモを見るには、これを終了して「npm run demo」を実行してください。架空の被験者を含む、独立した施設データが作成されます。',
  doneTitle: '施設データを作成しました',
  done: 'まもなく画面が開きます。メールアドレスとパスワードでサインインしてください。',
  open: '今すぐ画面を開く',
  nobodyTitle: '施設データはまだありません',
  nobody: 'Outpostの起動時に表示された一度限りのアドレスを開き、施設データを作成してください。',
};

export const setUpWords: Record<SetUpLanguage, SetUpWords> = { en, ja };
