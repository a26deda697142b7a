import type { ErrorCodeName } from '../../src-server/errors.ts';

/** The words of the pages that are shown before the site runs. English and Japanese, like the desk. */

export type PageLanguage = 'en' | 'ja';

export type FailureAction = 'retry' | 'retryOnFreePort' | 'chooseFolder' | 'quit';

export interface FailureWords {
  title: string;
  advice: string;
  actions: FailureAction[];
}

type ByLanguage<T> = Record<PageLanguage, T>;

/** First the action that most likely helps. */
const failures: Partial<
  Record<ErrorCodeName, { words: ByLanguage<[title: string, advice: string]>; actions: FailureAction[] }>
> = {
  SITE_LOCKED: {
    words: {
      en: [
        'This site is already open',
        'Another Outpost on this computer, or one that shares this folder, has the site open. Close it there, then try again.',
      ],
      ja: [
        'この施設データはすでに開かれています',
        'このコンピューター、またはこのフォルダーを共有する別のOutpostが施設データを開いています。そちらを閉じてから、もう一度お試しください。',
      ],
    },
    actions: ['retry', 'chooseFolder', 'quit'],
  },
  SITE_CORRUPT: {
    words: {
      en: [
        'The site’s database is damaged',
        'Nothing was changed. Keep the folder as it is, and restore the latest backup from its “backups” folder into a new one.',
      ],
      ja: [
        '施設のデータベースが壊れています',
        '何も変更していません。フォルダーはそのまま残し、「backups」フォルダーの最新のバックアップを新しいフォルダーに復元してください。',
      ],
    },
    actions: ['chooseFolder', 'retry', 'quit'],
  },
  SITE_READ_ONLY: {
    words: {
      en: [
        'The site folder cannot be written to',
        'Give this account the right to write to the folder, or check the disk, then try again.',
      ],
      ja: [
        '施設データのフォルダーに書き込めません',
        'このアカウントにフォルダーへの書き込み権限を与えるか、ディスクを確認してから、もう一度お試しください。',
      ],
    },
    actions: ['retry', 'chooseFolder', 'quit'],
  },
  SITE_NEWER: {
    words: {
      en: [
        'This site needs a newer Outpost',
        'A newer version has worked with this site. Install that version here; this one leaves the site untouched.',
      ],
      ja: [
        'この施設データには新しいOutpostが必要です',
        'この施設データは、より新しいバージョンで使われています。そのバージョンをインストールしてください。施設データには手を加えていません。',
      ],
    },
    actions: ['chooseFolder', 'quit'],
  },
  SITE_MIGRATION_FAILED: {
    words: {
      en: [
        'The site could not be brought up to date',
        'It is as it was before, and a verified backup lies in its “backups” folder. Try again; if it fails again, send the details to your support.',
      ],
      ja: [
        '施設データを更新できませんでした',
        '施設データは元のままで、検証済みのバックアップが「backups」フォルダーにあります。もう一度お試しください。再び失敗する場合は、詳細をサポートにお送りください。',
      ],
    },
    actions: ['retry', 'chooseFolder', 'quit'],
  },
  SITE_MISSING: {
    words: {
      en: [
        'There is no site in this folder',
        'The folder may have been moved, or its disk is not connected. Choose where it is now.',
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
        'Another program on this computer uses the port of the desk. Close it and try again, or take a free port for now.',
      ],
      ja: [
        'ネットワークポートが使用中です',
        'このコンピューターの別のプログラムが同じポートを使っています。それを閉じてもう一度試すか、今回だけ空いているポートを使ってください。',
      ],
    },
    actions: ['retryOnFreePort', 'retry', 'quit'],
  },
  DISK_FULL: {
    words: {
      en: ['The disk is full', 'Free some space on the disk of the site folder, then try again. No data was lost.'],
      ja: [
        'ディスクに空きがありません',
        '施設データのフォルダーがあるディスクの空きを増やしてから、もう一度お試しください。データは失われていません。',
      ],
    },
    actions: ['retry', 'chooseFolder', 'quit'],
  },
};

const other: { words: ByLanguage<[string, string]>; actions: FailureAction[] } = {
  words: {
    en: ['Outpost could not start', 'Try again. If it fails again, send the details below to your support.'],
    ja: [
      'Outpostを起動できませんでした',
      'もう一度お試しください。再び失敗する場合は、下の詳細をサポートにお送りください。',
    ],
  },
  actions: ['retry', 'chooseFolder', 'quit'],
};

export const failureWords = (code: ErrorCodeName, language: PageLanguage): FailureWords => {
  const failure = failures[code] ?? other;
  const [title, advice] = failure.words[language];
  return { title, advice, actions: failure.actions };
};

export const actionWords: ByLanguage<Record<FailureAction, string>> = {
  en: {
    retry: 'Try again',
    retryOnFreePort: 'Use a free port',
    chooseFolder: 'Choose a different folder',
    quit: 'Quit',
  },
  ja: {
    retry: 'もう一度試す',
    retryOnFreePort: '空いているポートを使う',
    chooseFolder: '別のフォルダーを選ぶ',
    quit: '終了',
  },
};

export const commonWords: ByLanguage<Record<'folder' | 'details' | 'code', string>> = {
  en: { folder: 'Folder', details: 'Details', code: 'Code' },
  ja: { folder: 'フォルダー', details: '詳細', code: 'コード' },
};

type SetUpWord =
  | 'title'
  | 'intro'
  | 'account'
  | 'email'
  | 'password'
  | 'passwordHint'
  | 'timeZone'
  | 'timeZoneHint'
  | 'siteStep'
  | 'siteStepHelp'
  | 'personStep'
  | 'personStepHelp'
  | 'firstName'
  | 'lastName'
  | 'demoTitle'
  | 'demoHelp'
  | 'demoMake'
  | 'demoMaking'
  | 'demoReady'
  | 'demoReadyHelp'
  | 'demoOpen'
  | 'create'
  | 'creating'
  | 'openOther';

export const setUpWords: ByLanguage<Record<SetUpWord, string>> = {
  en: {
    title: 'Create a site',
    intro: 'A site is one folder that holds your studies and recordings. Nothing leaves this computer.',
    account: 'Organisation',
    email: 'Your e-mail address',
    password: 'Password',
    passwordHint: '8 to 64 characters. Keep it safe: without another administrator nobody can reset it.',
    timeZone: 'Time zone',
    timeZoneHint: 'Where the clinic is. Every subject has a zone of their own later.',
    siteStep: '1. The site',
    siteStepHelp:
      'Its name is shown on every page, in e-mails and on devices that pair with it. You can change it later.',
    personStep: '2. The first administrator',
    personStepHelp: 'You. An administrator adds all other users, makes backups and sees every study.',
    firstName: 'First name',
    lastName: 'Last name',
    demoTitle: 'Or look around first',
    demoHelp:
      'The demo is a site of its own with invented people, a day of recordings and messages. Nothing in it touches real data.',
    demoMake: 'Open the demo',
    demoMaking: 'Making the demo, about a minute …',
    demoReady: 'The demo is ready',
    demoReadyHelp: 'Sign in with these. To leave it later, choose “Open another site” in the menu File.',
    demoOpen: 'Go to the sign-in',
    create: 'Create the site',
    creating: 'Creating the site …',
    openOther: 'Open a site in another folder',
  },
  ja: {
    title: '施設データを作成',
    intro:
      '施設データは、研究と記録を保存する1つのフォルダーです。データがこのコンピューターの外に出ることはありません。',
    account: '組織名',
    email: 'あなたのメールアドレス',
    password: 'パスワード',
    passwordHint: '8〜64文字。大切に保管してください。他に管理者がいないと再設定できません。',
    timeZone: 'タイムゾーン',
    timeZoneHint: '施設の所在地です。被験者ごとのタイムゾーンは後で設定します。',
    siteStep: '1. 施設',
    siteStepHelp: '名前は各ページ、メール、ペアリングする端末に表示されます。後で変更できます。',
    personStep: '2. 最初の管理者',
    personStepHelp: 'あなたのことです。管理者はユーザーの追加、バックアップ、すべての研究の閲覧ができます。',
    firstName: '名',
    lastName: '姓',
    demoTitle: 'まずはデモを見る',
    demoHelp: 'デモは架空の人物、1日分の記録、メッセージを含む独立した施設データです。実際のデータには影響しません。',
    demoMake: 'デモを開く',
    demoMaking: 'デモを作成しています（約1分）…',
    demoReady: 'デモの準備ができました',
    demoReadyHelp:
      '次の内容でサインインしてください。終了するには「ファイル」メニューの「別の施設データを開く」を選びます。',
    demoOpen: 'サインインへ進む',
    create: '施設データを作成',
    creating: '施設データを作成しています…',
    openOther: '別のフォルダーの施設データを開く',
  },
};

export const menuWords: ByLanguage<Record<'file' | 'openSite' | 'showFolder' | 'view' | 'chooseSite', string>> = {
  en: {
    file: 'File',
    openSite: 'Open another site …',
    showFolder: 'Show the site folder',
    view: 'View',
    chooseSite: 'Choose the folder of a site',
  },
  ja: {
    file: 'ファイル',
    openSite: '別の施設データを開く…',
    showFolder: '施設データのフォルダーを表示',
    view: '表示',
    chooseSite: '施設データのフォルダーを選択',
  },
};
