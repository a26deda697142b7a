import type { site as english } from '../en/site.ts';
import type { Translated } from '../words.ts';

export const site: Translated<typeof english> = {
  site: {
    tabs: '施設のページ',
    state: '状態',
    forbiddenTitle: '管理者専用',
    forbiddenHelp: 'このページは管理者だけが閲覧・変更できます。管理者にお問い合わせください。',
    stateSummary: '現在の施設の状態です。',
    program: 'Outpost',
    disk: 'ディスク',
    diskLow: '空きわずか',
    diskFine: '空きあり',
    diskFree: '空き {{free}}／{{total}}',
    name: '施設の名前',
    nameHelp: 'ステータスバー、メール、ペアリングする機器に表示されます。',
    checkTitle: '施設全体の点検',
    check: '今すぐ点検',
    checkHelp: 'すべての記録、ページ、行を読み、検査値と照合します。点検中も使用できます。',
    checking: '点検しています。記録が多いと時間がかかります。ジョブでも確認できます。',
    neverChecked: 'ジョブ一覧の期間内に点検の記録はありません。',
    checked: '読み取り：記録 {{recordings}}件（{{size}}）、監査記録 {{entries}}件。',
    checkGood: '{{time}} の点検では、すべて正常でした。',
    checkBad_other: '{{time}} の点検で {{count}}件の問題が見つかりました。',
    checkAdvice: 'データを変更せず、損傷した部分をバックアップから復元するか、記録をもう一度取り込んでください。',
    diagnostics: 'サポート用の情報',
    diagnosticsShow: '表示',
    diagnosticsHelp: 'バージョン、件数、ディスク、エラーコードです。氏名、被験者のデータ、フォルダー名は含みません。',
  },
};
