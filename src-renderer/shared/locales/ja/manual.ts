import type { manual as english } from '../en/manual.ts';
import type { Translated } from '../translated.ts';

export const manual: Translated<typeof english> = {
  manual: {
    title: 'マニュアル',
    tabs: 'マニュアルのページ',
    tasks: '作業',
    dictionary: '指標',
    summary: '研究の日常業務の手順です。太字は画面上の名称です。',
    dictionarySummary: '日ごとの指標の意味、算出方法、必要なデータの一覧です。',
    print: '印刷',
    contents: '目次',
    starts: {
      today: 'どの画面からでも開始できます',
      study: '研究の画面から開始します',
      subject: '被験者の画面から開始します',
    },
    search: '指標を検索',
    empty: '「{{text}}」に一致する指標はありません',
    emptyHelp: '単位やAPIでの名前など、別の語句をお試しください。',
    clear: '検索条件を消去',
    definition: '定義',
    unit: '単位',
    window: '対象期間',
    minimum: '有効条件',
    method: '算出方法',
    limits: '限界',
    sources: '文献',
    wireName: '書き出しとAPIでの名前',
    openEntry: '指標辞書を開く',
  },
};
