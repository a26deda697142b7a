import type { paper as english } from '../en/paper.ts';
import type { Translated } from '../translated.ts';

export const paper: Translated<typeof english> = {
  paper: {
    title: '心電図記録紙',
    paperLabel: '用紙',
    print: '印刷',
    back: '波形に戻る',
    printHelp: '実寸を保つため、倍率100%で印刷してください（「用紙に合わせる」は使いません）。',
    cut: '1回に印刷できるのは{{length}}までのため、{{to}}で終わります。続きは、開始を変えて印刷してください。',
    noLead: '印刷する心電図がありません',
    noLeadHelp: 'この記録に心電図は含まれていません。心電図のある記録を開いて印刷してください。',
    fileName: '心電図 {{subject}} {{time}}',
    page: '{{page}} / {{total}}ページ',
    site: '施設',
    study: '研究',
    subject: '被験者',
    sensor: 'センサー',
    recording: '記録',
    recordingId: '記録ID',
    recordingFrom: '{{time}}から',
    time: '時刻',
    scale: '縮尺',
    scaleValue: '25 mm/s、10 mm/mV（1 mm = 0.04秒、0.1 mV）',
    level: '基線 {{value}} mV',
    beyond: '端の太線：記録紙の範囲を超えた信号',
    printed: '印刷 {{time}}、{{name}}、Outpost {{version}}',
    ruler: '50 mm',
    lineOf: '{{from}}から{{to}}までの波形',
  },
};
