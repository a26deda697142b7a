/** Texts of the menu bar, the tray and dialogs. */
import type { PageLanguage } from './pages/words.ts';
import type { Receiving } from './receiving.ts';

type ByLanguage<Word extends string> = Record<PageLanguage, Record<Word, string>>;

type MenuWord =
  | 'file'
  | 'openSite'
  | 'copyLink'
  | 'savePdf'
  | 'showFolder'
  | 'keepReceiving'
  | 'stayAwake'
  | 'startAtLogin'
  | 'notify'
  | 'nameInNotices'
  | 'loginFailed'
  | 'updates'
  | 'updateTo'
  | 'edit'
  | 'view'
  | 'actions'
  | 'window'
  | 'actualSize'
  | 'zoomIn'
  | 'zoomOut'
  | 'chooseSite';

export const menuWords: ByLanguage<MenuWord> = {
  en: {
    file: 'File',
    openSite: 'Open another site…',
    copyLink: 'Copy link to this page',
    savePdf: 'Save page as PDF…',
    showFolder: 'Show site folder',
    keepReceiving: 'Keep receiving when the window is closed',
    stayAwake: 'Stay awake to receive while plugged in',
    startAtLogin: 'Start when I log in',
    notify: 'Notify me about items that need attention',
    nameInNotices: 'Name subjects in notifications',
    loginFailed: 'The setting could not be changed',
    updates: 'Updates…',
    updateTo: 'Update to',
    edit: 'Edit',
    view: 'View',
    actions: 'Actions',
    window: 'Window',
    actualSize: 'Actual size',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    chooseSite: 'Choose a site folder',
  },
  ja: {
    file: 'ファイル',
    openSite: '別の施設データを開く…',
    copyLink: 'このページへのリンクをコピー',
    savePdf: 'ページをPDFで保存…',
    showFolder: '施設データのフォルダーを開く',
    keepReceiving: 'ウィンドウを閉じても受信を続ける',
    stayAwake: '電源接続中は受信のためにスリープしない',
    startAtLogin: 'ログイン時に起動',
    notify: '要対応の項目を通知',
    nameInNotices: '通知に被験者を表示',
    loginFailed: '設定を変更できませんでした',
    updates: '更新…',
    updateTo: '更新：バージョン',
    edit: '編集',
    view: '表示',
    actions: '操作',
    window: 'ウィンドウ',
    actualSize: '実際のサイズ',
    zoomIn: '拡大',
    zoomOut: '縮小',
    chooseSite: '施設データのフォルダーを選択',
  },
};

/** Roles of menu items, which Electron labels in English whatever the system's language is. */
export const roleWords = {
  en: {
    undo: 'Undo',
    redo: 'Redo',
    cut: 'Cut',
    copy: 'Copy',
    paste: 'Paste',
    pasteAndMatchStyle: 'Paste as plain text',
    delete: 'Delete',
    selectAll: 'Select all',
    reload: 'Reload',
    togglefullscreen: 'Full screen',
    minimize: 'Minimize',
    zoom: 'Zoom',
    close: 'Close window',
    front: 'Bring all to front',
    about: 'About Outpost',
    services: 'Services',
    hide: 'Hide Outpost',
    hideOthers: 'Hide others',
    unhide: 'Show all',
    quit: 'Quit Outpost',
  },
  ja: {
    undo: '元に戻す',
    redo: 'やり直す',
    cut: '切り取り',
    copy: 'コピー',
    paste: '貼り付け',
    pasteAndMatchStyle: '書式なしで貼り付け',
    delete: '削除',
    selectAll: 'すべて選択',
    reload: '再読み込み',
    togglefullscreen: 'フルスクリーン',
    minimize: '最小化',
    zoom: '拡大／縮小',
    close: 'ウィンドウを閉じる',
    front: 'すべてを手前に移動',
    about: 'Outpostについて',
    services: 'サービス',
    hide: 'Outpostを隠す',
    hideOthers: 'ほかを隠す',
    unhide: 'すべてを表示',
    quit: 'Outpostを終了',
  },
} as const satisfies ByLanguage<string>;

export const closingWords: ByLanguage<'question' | 'help' | 'keep' | 'quit' | 'cancel'> = {
  en: {
    question: 'Keep receiving when the window is closed?',
    help: 'Hubs and phones can deliver only while Outpost is running. To bring the window back, open Outpost again. You can change this later in the File menu.',
    keep: 'Keep receiving',
    quit: 'Quit Outpost',
    cancel: 'Cancel',
  },
  ja: {
    question: 'ウィンドウを閉じた後も受信を続けますか？',
    help: 'ハブとスマートフォンからの受信は、Outpostの起動中にのみ行われます。ウィンドウを再び表示するには、もう一度Outpostを起動してください。この設定は「ファイル」メニューで変更できます。',
    keep: '受信を続ける',
    quit: 'Outpostを終了',
    cancel: 'キャンセル',
  },
};

export const hungWords: ByLanguage<'question' | 'help' | 'wait' | 'reload'> = {
  en: {
    question: 'The window is not responding',
    help: 'The site itself keeps running and receiving. Wait a little longer, or reload the page. Reloading discards what you typed and have not saved.',
    wait: 'Wait',
    reload: 'Reload',
  },
  ja: {
    question: 'ウィンドウが応答していません',
    help: '施設のサーバーは動作しており、受信も続いています。しばらく待つか、ページを再読み込みしてください。再読み込みすると、保存していない入力内容は失われます。',
    wait: '待つ',
    reload: '再読み込み',
  },
};

export const linkWords: ByLanguage<'otherSite' | 'showSites' | 'unknown' | 'unknownHelp' | 'close'> = {
  en: {
    otherSite: 'The link belongs to a site that is not open. Open that site to follow the link.',
    showSites: 'Show sites',
    unknown: 'This link can’t be opened',
    unknownHelp: 'It does not lead to a page of Outpost. It may be incomplete, or made by a newer version.',
    close: 'Close',
  },
  ja: {
    otherSite: 'このリンクは、現在開いていない施設データのものです。その施設データを開くと、リンク先が表示されます。',
    showSites: '施設データの一覧を表示',
    unknown: 'このリンクは開けません',
    unknownHelp:
      'Outpostのページへのリンクではありません。リンクが途中で切れているか、新しいバージョンで作成された可能性があります。',
    close: '閉じる',
  },
};

export const trayWords: ByLanguage<'open' | 'uploads' | 'quit'> = {
  en: { open: 'Open Outpost', uploads: 'Show uploads', quit: 'Quit Outpost' },
  ja: { open: 'Outpostを開く', uploads: 'アップロードを開く', quit: 'Outpostを終了' },
};

const english = (receiving: Receiving): string => {
  switch (receiving.state) {
    case 'closed':
      return 'No site is open';
    case 'off':
      return 'Not receiving: the local network is switched off in the site’s settings';
    case 'damaged':
      return 'Not receiving: the site’s database is damaged';
    case 'failed':
      return receiving.code === 'PORT_TAKEN'
        ? 'Not receiving: another program is using the network port'
        : `Not receiving: ${receiving.message}`;
    case 'ready':
      return 'Ready to receive';
    case 'receiving':
      return receiving.files === 1 ? 'Receiving 1 file' : `Receiving ${receiving.files} files`;
  }
};

const japanese = (receiving: Receiving): string => {
  switch (receiving.state) {
    case 'closed':
      return '施設データは開かれていません';
    case 'off':
      return '受信停止中：施設の設定でローカルネットワークがオフになっています';
    case 'damaged':
      return '受信停止中：施設データのデータベースが破損しています';
    case 'failed':
      return receiving.code === 'PORT_TAKEN'
        ? '受信停止中：別のプログラムがネットワークポートを使用しています'
        : `受信停止中：${receiving.message}`;
    case 'ready':
      return '受信待ち';
    case 'receiving':
      return `${receiving.files}件のファイルを受信中`;
  }
};

/** Whether and what is received, in a few words. */
export const receivingText = (receiving: Receiving, language: PageLanguage): string =>
  language === 'ja' ? japanese(receiving) : english(receiving);
