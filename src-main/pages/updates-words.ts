/** Texts of the page of updates. */
import type { UpdateStep } from '../desktop-api.ts';
import type { RefusalFacts, RefusalReason } from '../updates/refusal.ts';
import type { PageLanguage } from './words.ts';

export interface UpdatesWords {
  title: string;
  off: string;
  cannot: Record<'not-installed' | 'no-keys', string>;
  version: string;
  folder: string;
  checked: string;
  released: string;
  file: string;
  backup: string;
  previous: string;
  newest: string;
  prepareHelp: string;
  withoutHelp: string;
  reason: string;
  reasonMissing: string;
  noSite: string;
  testing: string;
  testingHelp: string;
  didNotOpen: string;
  nothingOpened: string;
  chooseFolder: string;
  tasks: Record<'backup' | 'copying' | 'installing', string>;
  steps: Record<UpdateStep, string>;
  refused: Record<RefusalReason, (facts: RefusalFacts) => string>;
  available(version: string): string;
  ready(version: string): string;
  onQuit(version: string): string;
  backedUp(time: string, directory: string): string;
  declined(reason: string): string;
  kept(version: string, path: string): string;
  notKept(version: string): string;
  noBackup(detail: string | undefined): string;
  failedTitle(version: string): string;
  selfTestFailed(version: string, checks: string): string;
  backHelp(version: string): string;
  noWayBack(version: string): string;
  confirmed(from: string, to: string, time: string): string;
  returned(from: string, to: string): string;
  notInstalled(version: string): string;
}

const en: UpdatesWords = {
  title: 'Updates',
  off: 'Outpost does not look for updates. Choose a folder on the network or on a USB stick where your IT puts them; Outpost then looks there, and never on the internet.',
  cannot: {
    'not-installed':
      'This copy of Outpost is updated by the system, for example with apt, or by the person who installed it.',
    'no-keys':
      'This copy of Outpost was built without the keys that updates are checked with. Install a newer version by hand.',
  },
  version: 'This version',
  folder: 'Folder',
  checked: 'Last checked',
  released: 'Released',
  file: 'File',
  backup: 'Backup',
  previous: 'Way back',
  newest: 'This is the newest version in the folder.',
  prepareHelp:
    'Preparing makes and checks a backup of the site, and copies the update to this computer. Devices can deliver meanwhile.',
  withoutHelp: 'Without a backup, going back to this version can lose what was entered since the last one.',
  reason: 'Why do you install without a backup?',
  reasonMissing: 'Enter the reason in a few words. It is kept with the update.',
  noSite: 'No site is open.',
  testing: 'Checking the new version',
  testingHelp: 'Outpost tests itself before it opens the site. This takes a few seconds.',
  didNotOpen: 'It started twice and could not open the site.',
  nothingOpened: 'The site was not opened by it, and nothing was changed.',
  chooseFolder: 'Choose the folder with updates',
  tasks: {
    backup: 'Making and checking a backup…',
    copying: 'Copying and checking the update…',
    installing: 'Installing…',
  },
  steps: {
    view: 'Refresh',
    chooseFolder: 'Choose folder…',
    turnOff: 'Turn off',
    check: 'Check now',
    prepare: 'Back up and prepare',
    prepareWithout: 'Prepare without a backup',
    installNow: 'Install and restart',
    installOnQuit: 'Install when I quit',
    notOnQuit: 'Don’t install when I quit',
    goBack: 'Return to the previous version',
    tryAgain: 'Try again',
    forget: 'Dismiss',
    leave: 'Return to the site',
  },
  refused: {
    'folder-missing': ({ folder }) =>
      `The folder ${folder} is not there. Connect the disk or the network, or choose another folder.`,
    'no-list': ({ folder, file }) => `There is no signed list of updates in ${folder}: ${file} is missing.`,
    'list-unreadable': () => 'The list of updates cannot be read. Ask for the folder to be made again.',
    'not-signed': () => 'The list of updates is not signed by a key that this version trusts. Nothing was installed.',
    'signature-wrong': () =>
      'The list of updates was changed after it was signed. Nothing was installed; tell your IT.',
    'other-product': () => 'These updates are for another program.',
    'list-older': () => 'This folder is older than one that was used before. Ask for the newest one.',
    'version-older': ({ version }) =>
      `The folder holds version ${version}, which is older than this one. Older versions are not installed from here.`,
    'other-computer': ({ version }) => `Version ${version} in the folder is for other kinds of computers.`,
    'schema-not-covered': ({ version }) =>
      `Version ${version} cannot take over the data of this version. Install a version in between first.`,
    'file-missing': ({ file }) => `The file ${file} is missing in the folder.`,
    'file-not-plain': ({ file }) => `${file} is a link or not a file. Only plain files in the folder are used.`,
    'size-differs': ({ file }) => `The file ${file} has another size than the signed list says. Copy the folder again.`,
    'hash-differs': ({ file }) =>
      `The file ${file} is not the one that was signed. Nothing was installed; tell your IT.`,
    'folder-changed': ({ file, version }) => `The update changed while it was read (${file ?? version}). Check again.`,
    'disk-full': () => 'There is not enough space on this computer for the update. Free up space and try again.',
  },
  available: (version) => `Version ${version} is available.`,
  ready: (version) => `Version ${version} is ready to install. Outpost closes the site, installs it, and starts again.`,
  onQuit: (version) => `Version ${version} will be installed when you quit Outpost.`,
  backedUp: (time, directory) => `Made and checked ${time}, in ${directory}`,
  declined: (reason) => `None: ${reason}`,
  kept: (version, path) => `Version ${version} is kept in ${path}`,
  notKept: (version) => `Keep the installer of version ${version}: it is not on this computer`,
  noBackup: (detail) =>
    `No checked backup was made. ${detail ?? 'The backup lacks files of the site; Backups shows which.'}`,
  failedTitle: (version) => `Version ${version} does not work on this computer`,
  selfTestFailed: (version, checks) => `The self-test of version ${version} failed: ${checks}`,
  backHelp: (version) =>
    `You can return to version ${version}. If the site was changed for the new version, Outpost then offers the newest backup that it can read.`,
  noWayBack: (version) => `To return, install version ${version} with its installer.`,
  confirmed: (from, to, time) => `Updated from ${from} to ${to} on ${time}.`,
  returned: (from, to) => `Version ${to} did not work on this computer, and version ${from} was installed again.`,
  notInstalled: (version) => `Version ${version} was not installed. Nothing was changed.`,
};

const ja: UpdatesWords = {
  title: '更新',
  off: '更新の確認はオフです。IT担当者が更新を置くネットワーク上またはUSBメモリーのフォルダーを選ぶと、そのフォルダーだけを確認します。インターネットには接続しません。',
  cannot: {
    'not-installed': 'このOutpostは、システムまたはインストールした担当者が更新します（aptなど）。',
    'no-keys': 'このOutpostには更新を確認する鍵が含まれていません。新しいバージョンは手動でインストールしてください。',
  },
  version: '現在のバージョン',
  folder: 'フォルダー',
  checked: '最終確認',
  released: '公開日',
  file: 'ファイル',
  backup: 'バックアップ',
  previous: '元のバージョン',
  newest: 'フォルダー内の最新バージョンを使用しています。',
  prepareHelp:
    '施設データのバックアップを作成して確認し、更新をこのコンピューターにコピーします。その間も受信できます。',
  withoutHelp:
    'バックアップがない場合、元のバージョンに戻すと、前回のバックアップより後に入力した内容が失われることがあります。',
  reason: 'バックアップなしでインストールする理由',
  reasonMissing: '理由を入力してください。更新の記録に残ります。',
  noSite: '施設データが開かれていません。',
  testing: '新しいバージョンを確認しています',
  testingHelp: '施設データを開く前に、Outpostの動作を確認します。数秒かかります。',
  didNotOpen: '2回起動しましたが、施設データを開けませんでした。',
  nothingOpened: '施設データは開いておらず、変更もありません。',
  chooseFolder: '更新のフォルダーを選択',
  tasks: {
    backup: 'バックアップを作成して確認しています…',
    copying: '更新をコピーして確認しています…',
    installing: 'インストールしています…',
  },
  steps: {
    view: '表示を更新',
    chooseFolder: 'フォルダーを選択…',
    turnOff: 'オフにする',
    check: '今すぐ確認',
    prepare: 'バックアップして準備',
    prepareWithout: 'バックアップなしで準備',
    installNow: 'インストールして再起動',
    installOnQuit: '終了時にインストール',
    notOnQuit: '終了時のインストールを中止',
    goBack: '元のバージョンに戻す',
    tryAgain: '再試行',
    forget: '表示を消す',
    leave: '施設データに戻る',
  },
  refused: {
    'folder-missing': ({ folder }) =>
      `フォルダー「${folder}」が見つかりません。ディスクまたはネットワークを接続するか、別のフォルダーを選択してください。`,
    'no-list': ({ folder, file }) => `「${folder}」に署名付きの更新一覧がありません（${file}）。`,
    'list-unreadable': () => '更新一覧を読み取れません。フォルダーの作り直しを依頼してください。',
    'not-signed': () => '更新一覧に、このバージョンが信頼する鍵の署名がありません。何もインストールしていません。',
    'signature-wrong': () =>
      '更新一覧は署名後に変更されています。何もインストールしていません。IT担当者に連絡してください。',
    'other-product': () => '別のプログラムの更新です。',
    'list-older': () => '以前に使用したものより古いフォルダーです。最新のフォルダーを依頼してください。',
    'version-older': ({ version }) =>
      `フォルダーにあるのは、現在より古いバージョン${version}です。古いバージョンはここからインストールできません。`,
    'other-computer': ({ version }) => `フォルダーのバージョン${version}は、このコンピューターに対応していません。`,
    'schema-not-covered': ({ version }) =>
      `バージョン${version}は、現在の施設データを引き継げません。先に中間のバージョンをインストールしてください。`,
    'file-missing': ({ file }) => `フォルダーにファイル「${file}」がありません。`,
    'file-not-plain': ({ file }) =>
      `「${file}」はリンクか、ファイルではありません。フォルダー内の通常のファイルだけを使用できます。`,
    'size-differs': ({ file }) =>
      `ファイル「${file}」のサイズが署名付きの一覧と異なります。フォルダーをコピーし直してください。`,
    'hash-differs': ({ file }) =>
      `ファイル「${file}」は署名されたものと異なります。何もインストールしていません。IT担当者に連絡してください。`,
    'folder-changed': ({ file, version }) =>
      `読み込み中に更新の内容が変わりました（${file ?? version}）。もう一度確認してください。`,
    'disk-full': () => 'このコンピューターに更新のための空きがありません。空きを増やしてから、もう一度お試しください。',
  },
  available: (version) => `バージョン${version}を利用できます。`,
  ready: (version) => `バージョン${version}をインストールできます。施設データを閉じてインストールし、再起動します。`,
  onQuit: (version) => `Outpostの終了時にバージョン${version}をインストールします。`,
  backedUp: (time, directory) => `${time}に作成・確認済み（${directory}）`,
  declined: (reason) => `なし：${reason}`,
  kept: (version, path) => `バージョン${version}を保存済み（${path}）`,
  notKept: (version) => `バージョン${version}のインストーラーはこのコンピューターにありません。別に保管してください`,
  noBackup: (detail) =>
    `確認済みのバックアップを作成できませんでした。${detail ?? '施設データの一部のファイルが含まれていません（「バックアップ」に表示されます）。'}`,
  failedTitle: (version) => `バージョン${version}はこのコンピューターで動作しません`,
  selfTestFailed: (version, checks) => `バージョン${version}の動作確認に失敗しました：${checks}`,
  backHelp: (version) =>
    `バージョン${version}に戻せます。新しいバージョンが施設データを変更していた場合は、その後に、読み取れる最新のバックアップの復元を選べます。`,
  noWayBack: (version) => `元に戻すには、バージョン${version}のインストーラーを実行してください。`,
  confirmed: (from, to, time) => `${time}にバージョン${from}から${to}に更新しました。`,
  returned: (from, to) => `バージョン${to}はこのコンピューターで動作しなかったため、バージョン${from}に戻しました。`,
  notInstalled: (version) => `バージョン${version}はインストールされませんでした。何も変更していません。`,
};

export const updatesWords: Record<PageLanguage, UpdatesWords> = { en, ja };
