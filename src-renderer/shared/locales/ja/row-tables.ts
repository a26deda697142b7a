/** Texts of tables of subjects and equipment that are taken as a whole. */
import type { rowTables as english } from '../en/row-tables.ts';
import type { Translated } from '../translated.ts';

export const rowTables: Translated<typeof english> = {
  rowTables: {
    enrolTitle: '表から被験者を登録',
    enrolIntro: '1行に1人ずつ記入します。新しい行はすべて登録されるか、1行も登録されないかのどちらかです。',
    enrolIntroRunning:
      '1行に1人ずつ記入します（全行か、0行かのどちらか）。研究は実施中のため、各被験者の実施スケジュールがすぐに始まります。',
    enrol_other: '{{count}}人を登録',
    zone: '指定のない行のタイムゾーン',
    registerTitle: '表から機器を登録',
    registerIntro:
      '1行にセンサー、ハブ、スマートフォンを1台ずつ記入します。新しい行はすべて登録されるか、1行も登録されないかのどちらかです。',
    register_other: '{{count}}台を登録',
    file: 'CSVファイルをここにドロップ',
    fileHelp: '1行目は列の名前です。区切りはコンマ、セミコロン、タブに対応します。',
    text: '行',
    textHelp: '表計算ソフトで見出し行を含めてセルをコピーし、ここに貼り付けることもできます。',
    template: '空の表をダウンロード',
    preview: '各行の結果',
    outcome: '結果',
    outcomes: { NEW: '新規', EXISTS: '登録済み', REFUSED: '登録不可' },
    line: '行番号',
    problem: '問題',
    new_other: '新規{{count}}行',
    exists_other: '登録済みのため変更しない{{count}}行',
    refused_other: '登録できない{{count}}行',
    refusedHelp: '先に登録できない行を直してください。1行でもあると、全体が登録されません。',
    leftOut: '認識できず、読み込まない列：{{columns}}',
  },
};
