/** Texts of the page with the recent sites. */

import type { SiteLine } from '../desktop-api.ts';
import type { ListedSite, RecentSiteState } from '../recent-sites.ts';
import type { PageLanguage } from './words.ts';

type Word = 'title' | 'lead' | 'none' | 'open' | 'back' | 'forget' | 'openFolder' | 'create' | 'notEmpty' | 'gone';

export const sitesWords: Record<PageLanguage, Record<Word, string>> = {
  en: {
    title: 'Sites',
    lead: 'Sites that were open on this computer. Only one can be open at a time.',
    none: 'No site was open on this computer yet.',
    open: 'Open',
    back: 'Return',
    forget: 'Remove from list',
    openFolder: 'Open a folder…',
    create: 'Create a site…',
    notEmpty: 'This folder is not empty. Choose an empty folder, or create one in the dialog.',
    gone: 'This site is no longer in the list.',
  },
  ja: {
    title: '施設データ',
    lead: 'このコンピューターで開いた施設データです。同時に開けるのは1つだけです。',
    none: 'このコンピューターで開いた施設データはまだありません。',
    open: '開く',
    back: '戻る',
    forget: '一覧から削除',
    openFolder: 'フォルダーを開く…',
    create: '施設データを作成…',
    notEmpty: 'このフォルダーは空ではありません。空のフォルダーを選ぶか、新しく作成してください。',
    gone: 'この施設データは一覧にありません。',
  },
};

const english = (state: RecentSiteState): string => {
  switch (state.state) {
    case 'open':
      return 'Open now';
    case 'checking':
      return 'Checking…';
    case 'ready':
      return 'Ready to open';
    case 'no-folder':
      return 'Folder not found. It was moved, or its disk is not connected.';
    case 'no-site':
      return 'This folder no longer contains a site.';
    case 'in-use':
      if (!state.owner) return 'Open in another program.';
      return state.isHere
        ? `Open in another program on this computer (process ${state.owner.pid}).`
        : `Open on another computer, ${state.owner.host}.`;
    case 'newer':
      return 'Needs a newer version of Outpost.';
    case 'damaged':
      return 'Files of the site are damaged. Open it to see what to do.';
    case 'read-only':
      return 'The folder is read-only.';
    case 'no-answer':
      return 'The folder is not responding. Check the network or the disk.';
  }
};

const japanese = (state: RecentSiteState): string => {
  switch (state.state) {
    case 'open':
      return '開いています';
    case 'checking':
      return '確認しています…';
    case 'ready':
      return '開けます';
    case 'no-folder':
      return 'フォルダーが見つかりません。移動されたか、ディスクが接続されていません。';
    case 'no-site':
      return 'このフォルダーに施設データはありません。';
    case 'in-use':
      if (!state.owner) return '別のプログラムで使用中です。';
      return state.isHere
        ? `このコンピューターの別のプログラム（プロセス${state.owner.pid}）で使用中です。`
        : `別のコンピューター（${state.owner.host}）で使用中です。`;
    case 'newer':
      return '新しいバージョンのOutpostが必要です。';
    case 'damaged':
      return '施設データのファイルが破損しています。開くと対処方法が表示されます。';
    case 'read-only':
      return 'フォルダーに書き込めません。';
    case 'no-answer':
      return 'フォルダーが応答しません。ネットワークまたはディスクを確認してください。';
  }
};

/** What is said about the state of a site, in a sentence. */
export const siteStateText = (state: RecentSiteState, language: PageLanguage): string =>
  language === 'ja' ? japanese(state) : english(state);

/** Opening would only say the same again; the other problems have a page of their own, with what to do. */
const CANNOT_OPEN: ReadonlySet<RecentSiteState['state']> = new Set(['no-folder', 'no-site', 'in-use', 'no-answer']);

export const canOpen = (state: RecentSiteState): boolean => !CANNOT_OPEN.has(state.state);

export const siteLine = ({ dir, name, state }: ListedSite, language: PageLanguage): SiteLine => ({
  dir,
  name,
  status: siteStateText(state, language),
  isOpen: state.state === 'open',
  canOpen: canOpen(state),
});
