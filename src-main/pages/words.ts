import type { ErrorCodeName, OutpostError } from '../../src-server/errors.ts';
import type { SetUpLanguage } from '../../src-server/site/set-up/words.ts';

/** Texts of the start pages: failures and the demo. Those of menus, the tray and dialogs are in `shell-words.ts`. */

export type PageLanguage = SetUpLanguage;

export type FailureAction = 'retry' | 'retryOnFreePort' | 'chooseFolder' | 'showSites' | 'quit';

export interface FailureWords {
  title: string;
  advice: string;
  actions: FailureAction[];
}

type ByLanguage<T> = Record<PageLanguage, T>;

/** Actions in order of how likely they are to help. */
const failures: Partial<
  Record<ErrorCodeName, { words: ByLanguage<[title: string, advice: string]>; actions: FailureAction[] }>
> = {
  SITE_LOCKED: {
    words: {
      en: [
        'This site is already open',
        'Another Outpost on this computer, or on one that shares this folder, is using the site. Close it there and try again.',
      ],
      ja: [
        'この施設データは使用中です',
        'このコンピューター、またはこのフォルダーを共有するコンピューターの、別のOutpostが使用しています。そちらを終了してから、もう一度お試しください。',
      ],
    },
    actions: ['retry', 'chooseFolder', 'quit'],
  },
  SITE_CORRUPT: {
    words: {
      en: [
        'The site’s database is damaged',
        'Nothing was changed. The newest backup that is good can take its place; the damaged site is kept.',
      ],
      ja: [
        '施設データのデータベースが破損しています',
        '何も変更していません。最新の破損のないバックアップで置き換えることができます。破損した施設データは残します。',
      ],
    },
    actions: ['chooseFolder', 'retry', 'quit'],
  },
  SITE_READ_ONLY: {
    words: {
      en: [
        'The site folder is read-only',
        'Check the folder permissions and the disk, then try again. If the disk is failing, restore the newest good backup to another disk.',
      ],
      ja: [
        '施設データのフォルダーに書き込めません',
        'このコンピューターのアカウントに書き込み権限を与えるか、ディスクを確認してから、もう一度お試しください。ディスクが故障している場合は、最新の破損のないバックアップを別のディスクに復元してください。',
      ],
    },
    actions: ['retry', 'chooseFolder', 'quit'],
  },
  SITE_NEWER: {
    words: {
      en: [
        'This site needs a newer version of Outpost',
        'It was last used with a newer version. Install that version here; the site was not changed. A backup made before can be restored, but what was entered since is lost.',
      ],
      ja: [
        'この施設データには新しいOutpostが必要です',
        'この施設データは、より新しいバージョンで使用されています（施設データは変更していません）。そのバージョンをインストールしてください。以前のバックアップを復元することもできますが、その後に入力した内容は失われます。',
      ],
    },
    actions: ['chooseFolder', 'quit'],
  },
  SITE_MIGRATION_FAILED: {
    words: {
      en: [
        'The site could not be upgraded',
        'Its data is unchanged, and there is a verified backup in its “backups” folder. Try again; if it fails again, send the details to support.',
      ],
      ja: [
        '施設データを更新できませんでした',
        '施設データは元のままで、確認済みのバックアップが「backups」フォルダーにあります。もう一度試し、再び失敗する場合は、詳細をサポートに送ってください。',
      ],
    },
    actions: ['retry', 'chooseFolder', 'quit'],
  },
  SITE_MISSING: {
    words: {
      en: [
        'There is no site in this folder',
        'The folder may have been moved, or its disk is not connected. Choose its current location.',
      ],
      ja: [
        'このフォルダーに施設データがありません',
        'フォルダーが移動されたか、ディスクが接続されていない可能性があります。現在の場所を選んでください。',
      ],
    },
    actions: ['chooseFolder', 'retry', 'quit'],
  },
  PORT_TAKEN: {
    words: {
      en: [
        'The network port is in use',
        'Another program on this computer is using the port. Close it and try again, or use a free port this time.',
      ],
      ja: [
        'ネットワークポートが使用中です',
        'このコンピューターの別のプログラムが同じポートを使用しています。そのプログラムを終了してもう一度試すか、今回だけ別のポートを使ってください。',
      ],
    },
    actions: ['retryOnFreePort', 'retry', 'quit'],
  },
  DISK_FULL: {
    words: {
      en: ['The disk is full', 'Free up space on the disk of the site folder and try again. No data was lost.'],
      ja: [
        'ディスクに空きがありません',
        'データは失われていません。施設データのフォルダーがあるディスクの空きを増やしてから、もう一度お試しください。',
      ],
    },
    actions: ['retry', 'chooseFolder', 'quit'],
  },
};

/** Parts of a site other than the database that the same code concerns, by `details.part`. */
const parts: Record<string, { words: ByLanguage<[title: string, advice: string]>; actions: FailureAction[] }> = {
  'site-file': {
    words: {
      en: [
        'The file site.json is damaged or missing',
        'It says which site this is. The recordings and the database were not touched, and nothing else has to be restored.',
      ],
      ja: [
        'site.jsonが破損しているか、見つかりません',
        'どの施設データかを示すファイルです。記録とデータベースには影響がなく、ほかに復元するものはありません。',
      ],
    },
    actions: ['chooseFolder', 'retry', 'quit'],
  },
  lock: {
    words: {
      en: [
        'The file site.lock is damaged',
        'It keeps two programs from opening this site at once. Make sure that no other Outpost uses the site, also on another computer; then set the lock aside.',
      ],
      ja: [
        'site.lockが破損しています',
        '同時に2か所から開くことを防ぐファイルです。ほかのコンピューターも含め、この施設データを使用しているOutpostがないことを確認してから、ロックを取り除いてください。',
      ],
    },
    actions: ['chooseFolder', 'retry', 'quit'],
  },
  database: {
    words: {
      en: [
        'The site’s database is missing',
        'The file site.db is not in this folder. If it was moved, put it back and try again. Otherwise the newest good backup can take its place; the rest of the folder is kept.',
      ],
      ja: [
        '施設データのデータベースが見つかりません',
        'このフォルダーにsite.dbがありません。移動した場合は元に戻して、もう一度お試しください。ない場合は、最新の破損のないバックアップで置き換えることができます。フォルダーの残りの内容は保管します。',
      ],
    },
    actions: ['retry', 'chooseFolder', 'quit'],
  },
};

const other: { words: ByLanguage<[string, string]>; actions: FailureAction[] } = {
  words: {
    en: ['Outpost could not start', 'Try again. If it fails again, send the details below to support.'],
    ja: [
      'Outpostを起動できませんでした',
      'もう一度お試しください。再び失敗する場合は、下の詳細をサポートに送ってください。',
    ],
  },
  actions: ['retry', 'chooseFolder', 'quit'],
};

export const failureWords = (
  { code, details }: Pick<OutpostError, 'code' | 'details'>,
  language: PageLanguage,
): FailureWords => {
  const failure = parts[String(details?.part)] ?? failures[code] ?? other;
  const [title, advice] = failure.words[language];
  return { title, advice, actions: failure.actions };
};

export const actionWords: ByLanguage<Record<FailureAction, string>> = {
  en: {
    retry: 'Try again',
    retryOnFreePort: 'Use a free port',
    chooseFolder: 'Choose a different folder',
    showSites: 'Recent sites',
    quit: 'Quit',
  },
  ja: {
    retry: '再試行',
    retryOnFreePort: '別のポートを使う',
    chooseFolder: '別のフォルダーを選択',
    showSites: '最近使った施設データ',
    quit: 'Outpostを終了',
  },
};

export const commonWords: ByLanguage<Record<'folder' | 'details' | 'code', string>> = {
  en: { folder: 'Folder', details: 'Details', code: 'Code' },
  ja: { folder: 'フォルダー', details: '詳細', code: 'コード' },
};

export const preparingWords: ByLanguage<Record<'title' | 'help', string>> = {
  en: {
    title: 'Preparing the site for this version',
    help: 'Analysis results are moved into files. This is done once and takes about a minute per thousand days. If you quit, it continues the next time.',
  },
  ja: {
    title: 'このバージョン用に施設データを準備しています',
    help: '解析結果をファイルに移しています。1度だけの作業で、1000日分につき約1分かかります。途中で終了しても、次回の起動時に続きから行います。',
  },
};

type DemoWord = 'title' | 'help' | 'make' | 'making' | 'ready' | 'readyHelp' | 'open' | 'openOther';

/** Texts of the demo, which only the desktop program offers. */
export const demoWords: ByLanguage<Record<DemoWord, string>> = {
  en: {
    title: 'Or explore the demo first',
    help: 'The demo is a separate site with fictional people, a day of recordings, and messages. It never touches real data.',
    make: 'Open the demo',
    making: 'Creating the demo, about a minute…',
    ready: 'The demo is ready',
    readyHelp: 'Sign in with these details. To leave the demo, choose File > Open another site.',
    open: 'Go to sign-in',
    openOther: 'Open a site in another folder',
  },
  ja: {
    title: '先にデモを試す',
    help: '架空の被験者、1日分の記録、メッセージを含む、独立した施設データです。実際のデータには影響しません。',
    make: 'デモを開く',
    making: 'デモを作成しています（約1分）…',
    ready: 'デモの準備ができました',
    readyHelp:
      '次のメールアドレスとパスワードでサインインしてください。デモを終えるには、「ファイル」メニューの「別の施設データを開く」を選びます。',
    open: 'サインイン画面を開く',
    openOther: '別のフォルダーの施設データを開く',
  },
};
