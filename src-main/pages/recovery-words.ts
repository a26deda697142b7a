/** Texts of the recovery on the failure page. */
import type { ErrorCodeName } from '../../src-server/errors.ts';
import type { PageLanguage } from './words.ts';

export interface RecoveryWords {
  title: string;
  looking: string;
  checkedNow: string;
  none: string;
  newerIsLost: string;
  made: string;
  holds: string;
  state: string;
  place: string;
  whole: string;
  restore: string;
  restoreElsewhere: string;
  lookElsewhere: string;
  rebuild: string;
  rebuildHelp: string;
  siteFile: string;
  siteFileHelp: string;
  siteFileNewStep: string;
  passphrase: string;
  unlock: string;
  unlocking: string;
  passphraseWrong: string;
  lock: string;
  working: string;
  done: string;
  open: string;
  email: string;
  password: string;
  signIn: string;
  rebuilt: string;
  lostByRebuild: string;
  siteFileBack: string;
  siteFileNew: string;
  lockAside: string;
  chooseBackups: string;
  chooseTarget: string;
  content(recordings: number, size: string): string;
  lacking(files: number): string;
  notThere(path: string): string;
  locked(folders: string): string;
  rejected(which: string, message: string): string;
  restored(time: string): string;
  added(recordings: number, unassigned: number): string;
  filesReturned(files: number): string;
  partial(files: number): string;
  unreadable(files: number): string;
  lost(files: number): string;
  kept(dir: string): string;
  siteIn(dir: string): string;
  problems: Partial<Record<ErrorCodeName, string>>;
}

const files = (count: number) => (count === 1 ? '1 file' : `${count} files`);
const recordings = (count: number) => (count === 1 ? '1 recording' : `${count} recordings`);

const en: RecoveryWords = {
  title: 'Newest good backup',
  looking: 'Reading the backups of this site…',
  checkedNow: 'Every byte of it was read and checked just now.',
  none: 'No good backup was found. If there is one on another disk, connect the disk and show its folder.',
  newerIsLost:
    'What was entered after that time is lost. Recordings that arrived later are added from their own files, and the damaged site is kept in a folder beside it.',
  made: 'Made',
  holds: 'Holds',
  state: 'State',
  place: 'Place',
  whole: 'Whole',
  restore: 'Restore this backup',
  restoreElsewhere: 'Restore to another folder…',
  lookElsewhere: 'Look in another folder…',
  rebuild: 'Rebuild from signal files alone',
  rebuildHelp:
    'Without a backup, recordings can be read from their own files. Subjects, studies, labels, diaries, messages, users, paired devices and the audit were in the database alone.',
  siteFile: 'Put site.json back',
  siteFileHelp: 'It is taken from the newest backup that has it. Recordings and database stay as they are.',
  siteFileNewStep: 'Make a new site.json without a backup',
  passphrase: 'Passphrase of the backups',
  unlock: 'Open encrypted backups',
  unlocking: 'Opening the encrypted backups…',
  passphraseWrong:
    'This passphrase does not open the backups. Check capital letters and the keyboard layout, and try again as often as you need.',
  lock: 'Set the lock aside',
  working: 'Working…',
  done: 'Ready',
  open: 'Open the site',
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in with these details, and change them under Users.',
  rebuilt: 'A new site was made from the signal files.',
  lostByRebuild:
    'Subjects are named after their sensors, in a study named after the rebuild. Pair the hubs and phones again.',
  siteFileBack: 'site.json is back, from a backup.',
  siteFileNew: 'No backup has site.json, so a new one was made. Pair the hubs and phones of this site again.',
  lockAside: 'The damaged lock was set aside.',
  chooseBackups: 'Choose a folder with backups',
  chooseTarget: 'Choose an empty folder for the restored site',
  content: (count, size) => `${recordings(count)}, ${size}`,
  lacking: (count) => `${files(count)} missing or damaged; everything else is whole`,
  locked: (folders) => `The backups in ${folders} are encrypted. Enter their passphrase to look into them.`,
  notThere: (path) => `Not connected or moved: ${path}`,
  rejected: (which, message) => `A newer backup cannot be used (${which}): ${message}`,
  restored: (time) => `The site is as it was on ${time}.`,
  added: (count, unassigned) =>
    `${recordings(count)} that the backup does not have were added from signal files${unassigned > 0 ? `, ${unassigned} of them to a study of their own, because no assignment says whose they are` : ''}.`,
  filesReturned: (count) => `${files(count)} that the backup lacks came from the damaged site.`,
  partial: (count) => `Of ${files(count)} only a part could be read; the recordings say so.`,
  unreadable: (count) => `${files(count)} could not be read at all, and were kept in inbox/orphaned.`,
  lost: (count) => `${files(count)} could not be restored whole; the affected recordings are marked.`,
  kept: (dir) => `The damaged site is kept in ${dir}.`,
  siteIn: (dir) => `The site is in ${dir}.`,
  problems: {
    DISK_FULL: 'There is not enough room.',
    SITE_READ_ONLY: 'Choose another folder for the restored site.',
    SITE_EXISTS: 'Choose an empty folder.',
  },
};

const ja: RecoveryWords = {
  title: '最新の破損のないバックアップ',
  looking: 'この施設データのバックアップを読み込んでいます…',
  checkedNow: '今、すべてのバイトを読み込んで確認しました。',
  none: '破損のないバックアップが見つかりませんでした。別のディスクにある場合は、接続してそのフォルダーを指定してください。',
  newerIsLost:
    'この日時より後に入力した内容は失われます。後から届いた記録は、記録ファイルから追加します。破損した施設データは隣のフォルダーに残します。',
  made: '作成日時',
  holds: '内容',
  state: '状態',
  place: '場所',
  whole: '破損なし',
  restore: 'このバックアップを復元',
  restoreElsewhere: '別のフォルダーに復元…',
  lookElsewhere: '別のフォルダーを探す…',
  rebuild: '記録ファイルだけから復元',
  rebuildHelp:
    'バックアップがなくても、記録は記録ファイルから読み取れます。被験者、研究、ラベル、日誌、メッセージ、ユーザー、ペアリング済みの機器、監査証跡はデータベースにしかないため、失われます。',
  siteFile: 'site.jsonを元に戻す',
  siteFileHelp: '最新のバックアップから取り出します。記録とデータベースは変更しません。',
  siteFileNewStep: 'バックアップを使わずに新しく作成',
  passphrase: 'バックアップのパスフレーズ',
  unlock: '暗号化されたバックアップを開く',
  unlocking: '暗号化されたバックアップを開いています…',
  passphraseWrong: 'パスフレーズが違います。大文字と小文字、キーボードの配列を確認してください。何度でも入力できます。',
  lock: 'ロックを取り除く',
  working: '処理しています…',
  done: '準備ができました',
  open: '施設データを開く',
  email: 'メールアドレス',
  password: 'パスワード',
  signIn: 'この情報でサインインし、「ユーザー」で変更してください。',
  rebuilt: '記録ファイルから新しい施設データを作成しました。',
  lostByRebuild:
    '被験者はセンサー名で、復元日を付けた研究に入っています。ハブとスマートフォンをもう一度ペアリングしてください。',
  siteFileBack: 'site.jsonをバックアップから元に戻しました。',
  siteFileNew:
    'site.jsonを含むバックアップがないため、新しく作成しました。ハブとスマートフォンをもう一度ペアリングしてください。',
  lockAside: '破損したロックを取り除きました。',
  chooseBackups: 'バックアップのフォルダーを選択',
  chooseTarget: '復元先の空のフォルダーを選択',
  content: (count, size) => `記録${count}件、${size}`,
  lacking: (count) => `${count}個のファイルが欠落または破損しています（ほかは破損していません）`,
  locked: (folders) => `${folders}のバックアップは暗号化されています。確認するには、パスフレーズを入力してください。`,
  notThere: (path) => `接続されていないか、移動されています：${path}`,
  rejected: (which, message) => `より新しいバックアップは使用できません（${which}）：${message}`,
  restored: (time) => `施設データは${time}の状態に戻りました。`,
  added: (count, unassigned) =>
    `バックアップにない記録${count}件を記録ファイルから追加しました${unassigned > 0 ? `（うち${unassigned}件は被験者が分からないため、別の研究に入れました）` : ''}。`,
  filesReturned: (count) => `バックアップにない${count}個のファイルを、破損した施設データから取り出しました。`,
  partial: (count) => `${count}個のファイルは一部しか読み取れませんでした（該当する記録に示しています）。`,
  unreadable: (count) => `${count}個のファイルは読み取れず、inbox/orphanedに残しました。`,
  lost: (count) => `${count}個のファイルを完全には復元できませんでした（該当する記録に示しています）。`,
  kept: (dir) => `破損した施設データは${dir}に残しています。`,
  siteIn: (dir) => `施設データは${dir}にあります。`,
  problems: {
    DISK_FULL: 'ディスクの空きが足りません。',
    SITE_READ_ONLY: '復元先に別のフォルダーを選択してください。',
    SITE_EXISTS: '空のフォルダーを選択してください。',
  },
};

export const recoveryWords: Record<PageLanguage, RecoveryWords> = { en, ja };
