/**
 * The manual: tasks of a coordinator, each as sentences that can be followed to the letter. A sentence quotes the names of the controls
 * as they stand on the screen, and `e2e/browser/manual.spec.ts` follows the English sentences by these quotes alone. A unit test
 * compares the Japanese quotes with the Japanese texts of the same controls.
 */

/** What a step does with the control that its sentence quotes first. */
export type StepAction = 'press' | 'type' | 'choose' | 'keys' | 'see';

export interface ManualStep {
  action: StepAction;
  en: string;
  ja: string;
  /** What the test types or chooses. `{{mark}}` is unique, `{{today}}` the date. */
  example?: string;
}

export interface ManualTask {
  id: string;
  title: { en: string; ja: string };
  /** The page on which it begins. */
  start: 'today' | 'study' | 'subject';
  steps: readonly ManualStep[];
}

/** The names that a sentence quotes. */
export const quotesOf = (sentence: string): string[] =>
  [...sentence.matchAll(/[“「]([^”」]+)[”」]/g)].map((match) => match[1] ?? '');

export const MANUAL: readonly ManualTask[] = [
  {
    id: 'find',
    title: { en: 'Find a subject, a note or a message', ja: '被験者・メモ・メッセージを検索する' },
    start: 'today',
    steps: [
      { action: 'keys', en: 'Press “Ctrl+K” on any page.', ja: 'どの画面でも「Ctrl+K」を押します。' },
      {
        action: 'type',
        en: 'Type a word in “Search or go to”, such as part of a code, a note or a message.',
        ja: '「検索して開く」に、識別コード・メモ・メッセージの語句を入力します。',
        example: 'study',
      },
      {
        action: 'keys',
        en: 'Press “Enter” to open the first result.',
        ja: '「Enter」を押すと、最初の結果が開きます。',
      },
    ],
  },
  {
    id: 'new-study',
    title: { en: 'Create a study', ja: '研究を作成する' },
    start: 'today',
    steps: [
      { action: 'press', en: 'Press “Studies”.', ja: '「研究」を押します。' },
      { action: 'press', en: 'Press “New study”.', ja: '「研究を作成」を押します。' },
      { action: 'type', en: 'Type a name in “Short name”.', ja: '「略称」を入力します。', example: 'Walk {{mark}}' },
      { action: 'press', en: 'Press “Create study”.', ja: '「研究を作成」を押します。' },
      {
        action: 'see',
        en: 'The study opens with its views, such as “Definition”.',
        ja: '研究が開き、「研究設定」などのタブが表示されます。',
      },
    ],
  },
  {
    id: 'activity',
    title: { en: 'Add an activity to a study', ja: '研究にアクティビティを追加する' },
    start: 'study',
    steps: [
      { action: 'press', en: 'Press “Definition”.', ja: '「研究設定」を押します。' },
      { action: 'press', en: 'Press “Add activity”.', ja: '「アクティビティを追加」を押します。' },
      {
        action: 'type',
        en: 'Type what the subject does in “Name”.',
        ja: '「名称」に、被験者が行う内容を入力します。',
        example: 'Walk',
      },
      { action: 'press', en: 'Press “Save definition”.', ja: '「研究設定を保存」を押します。' },
      { action: 'see', en: 'The page says “All changes saved”.', ja: '「保存済み」と表示されます。' },
    ],
  },
  {
    id: 'enrol',
    title: { en: 'Enrol a subject', ja: '被験者を登録する' },
    start: 'study',
    steps: [
      {
        action: 'press',
        en: 'Press “Subjects” among the views of the study.',
        ja: '研究のタブから「被験者」を押します。',
      },
      { action: 'press', en: 'Press “Enrol subject”.', ja: '「被験者を登録」を押します。' },
      {
        action: 'type',
        en: 'Type a code in “Code or name”. A code keeps names out of exports.',
        ja: '「被験者識別コードまたは名前」に識別コードを入力します。コードなら、書き出しに氏名が含まれません。',
        example: 'M-{{mark}}',
      },
      { action: 'press', en: 'Press “Enrol”.', ja: '「被験者を登録」を押します。' },
    ],
  },
  {
    id: 'edit-subject',
    title: { en: 'Change the details of a subject', ja: '被験者の登録内容を変更する' },
    start: 'subject',
    steps: [
      { action: 'press', en: 'Press “Subject” to open the menu.', ja: '「被験者」を押してメニューを開きます。' },
      { action: 'press', en: 'Press “Edit subject”.', ja: '「登録内容を編集」を押します。' },
      {
        action: 'type',
        en: 'Change what is different, such as “Age (years)”.',
        ja: '「年齢（歳）」など、変わった項目を直します。',
        example: '41',
      },
      { action: 'press', en: 'Press “Save”.', ja: '「保存」を押します。' },
    ],
  },
  {
    id: 'note',
    title: { en: 'Write a note about a subject', ja: '被験者についてメモを書く' },
    start: 'subject',
    steps: [
      {
        action: 'press',
        en: 'Press “Notes” among the views of the subject.',
        ja: '被験者のタブから「メモ」を押します。',
      },
      { action: 'press', en: 'Press “Add note”.', ja: '「メモを追加」を押します。' },
      {
        action: 'type',
        en: 'Type what you observed in “Text”.',
        ja: '「本文」に、気づいたことを入力します。',
        example: 'Sleeps on the left side.',
      },
      {
        action: 'press',
        en: 'Press “Save”. Your name and the time are saved with it.',
        ja: '「保存」を押します。氏名と時刻も記録されます。',
      },
    ],
  },
  {
    id: 'call',
    title: { en: 'Record a call and plan the next one', ja: '電話連絡を記録し、次の予定を決める' },
    start: 'subject',
    steps: [
      {
        action: 'press',
        en: 'Press “Notes” among the views of the subject.',
        ja: '被験者のタブから「メモ」を押します。',
      },
      { action: 'press', en: 'Press “Add note”.', ja: '「メモを追加」を押します。' },
      {
        action: 'choose',
        en: 'Choose whether contact was made in “Kind”.',
        ja: '「種類」で、応答の有無を選びます。',
        example: 'Call, no contact',
      },
      {
        action: 'type',
        en: 'Enter the day of the next call in “Follow up on (optional)”.',
        ja: '「対応予定日（任意）」に、次に連絡する日を入力します。',
        example: '{{today}}',
      },
      {
        action: 'press',
        en: 'Press “Save”. The follow-up appears on Today when it is due.',
        ja: '「保存」を押します。予定日になると、今日の画面に表示されます。',
      },
    ],
  },
  {
    id: 'calls',
    title: { en: 'Review the calls with a subject', ja: '被験者との電話連絡を確認する' },
    start: 'subject',
    steps: [
      {
        action: 'press',
        en: 'Press “Notes” among the views of the subject.',
        ja: '被験者のタブから「メモ」を押します。',
      },
      { action: 'press', en: 'Press “Calls”.', ja: '「電話連絡」を押します。' },
    ],
  },
  {
    id: 'message',
    title: { en: 'Send a message to a subject', ja: '被験者にメッセージを送る' },
    start: 'subject',
    steps: [
      {
        action: 'press',
        en: 'Press “Messages” among the views of the subject.',
        ja: '被験者のタブから「メッセージ」を押します。',
      },
      {
        action: 'type',
        en: 'Type the text in “Message”.',
        ja: '「メッセージ」に本文を入力します。',
        example: 'Please charge the hub tonight.',
      },
      {
        action: 'press',
        en: 'Press “Send”. The phone shows it when it next connects.',
        ja: '「送信」を押します。スマートフォンが次に接続したときに表示されます。',
      },
    ],
  },
  {
    id: 'queries',
    title: { en: 'See which data queries are open', ja: '未回答のクエリを確認する' },
    start: 'study',
    steps: [
      {
        action: 'press',
        en: 'Press “Queries” among the views of the study.',
        ja: '研究のタブから「クエリ」を押します。',
      },
      {
        action: 'press',
        en: 'Press “Open” to see those without an answer.',
        ja: '「未回答」を押すと、回答のないクエリだけが表示されます。',
      },
    ],
  },
  {
    id: 'labels',
    title: { en: 'Find a label of a subject', ja: '被験者のラベルを検索する' },
    start: 'subject',
    steps: [
      {
        action: 'press',
        en: 'Press “Labels” among the views of the subject.',
        ja: '被験者のタブから「ラベル」を押します。',
      },
      {
        action: 'type',
        en: 'Type a part of it in “Search names and values”.',
        ja: '「名前と値を検索」に、語句の一部を入力します。',
        example: 'walk',
      },
    ],
  },
  {
    id: 'history',
    title: { en: 'See who changed a subject, and why', ja: '被験者の変更履歴を確認する' },
    start: 'subject',
    steps: [
      {
        action: 'press',
        en: 'Press “History” among the views of the subject.',
        ja: '被験者のタブから「変更履歴」を押します。',
      },
    ],
  },
  {
    id: 'data',
    title: { en: 'Find out why data is missing', ja: 'データがない理由を調べる' },
    start: 'subject',
    steps: [
      {
        action: 'press',
        en: 'Press “Data status” among the views of the subject. Each day names where its data is.',
        ja: '被験者のタブから「データの所在」を押します。日ごとに、データがどこにあるかが分かります。',
      },
    ],
  },
  {
    id: 'metrics',
    title: { en: 'Read what a metric means', ja: '指標の意味を調べる' },
    start: 'today',
    steps: [
      { action: 'keys', en: 'Press “Ctrl+K” on any page.', ja: 'どの画面でも「Ctrl+K」を押します。' },
      {
        action: 'type',
        en: 'Type the name of the metric in “Search or go to”.',
        ja: '「検索して開く」に、指標の名前を入力します。',
        example: 'RMSSD',
      },
      {
        action: 'keys',
        en: 'Press “Enter” to open its entry of the dictionary.',
        ja: '「Enter」を押すと、指標辞書の項目が開きます。',
      },
    ],
  },
  {
    id: 'equipment',
    title: { en: 'Register equipment', ja: '機器を登録する' },
    start: 'today',
    steps: [
      { action: 'press', en: 'Press “Equipment”.', ja: '「機器」を押します。' },
      { action: 'press', en: 'Press “Register equipment”.', ja: '「機器を登録」を押します。' },
      {
        action: 'type',
        en: 'Type the number on the device in “Serial number”.',
        ja: '「製造番号」に、機器に記載された番号を入力します。',
        example: 'SN-{{mark}}',
      },
      { action: 'press', en: 'Press “Register”.', ja: '「機器を登録」を押します。' },
    ],
  },
  {
    id: 'export',
    title: { en: 'Export a study', ja: '研究を書き出す' },
    start: 'today',
    steps: [
      { action: 'press', en: 'Press “Exports”.', ja: '「書き出し」を押します。' },
      { action: 'press', en: 'Press “New export”.', ja: '「研究を書き出す」を押します。' },
      {
        action: 'press',
        en: 'Press “Create export”. The file appears in the list when it is ready.',
        ja: '「研究を書き出す」を押します。完了すると、一覧にファイルが表示されます。',
      },
    ],
  },
  {
    id: 'start',
    title: { en: 'Start a study', ja: '研究を開始する' },
    start: 'study',
    steps: [
      { action: 'press', en: 'Press “Start study”.', ja: '「研究を開始」を押します。' },
      {
        action: 'press',
        en: 'Read what changes, then press “Start study” again.',
        ja: '変更点を確認し、もう一度「研究を開始」を押します。',
      },
    ],
  },
  {
    id: 'backup',
    title: { en: 'Back up the site now', ja: '施設データを今すぐバックアップする' },
    start: 'today',
    steps: [
      { action: 'press', en: 'Press “Site”.', ja: '「施設」を押します。' },
      { action: 'press', en: 'Press “Backups”.', ja: '「バックアップ」を押します。' },
      { action: 'press', en: 'Press “Back up now”.', ja: '「今すぐバックアップ」を押します。' },
      {
        action: 'press',
        en: 'Check the folder, then press “Back up now” again.',
        ja: 'フォルダーを確認し、もう一度「今すぐバックアップ」を押します。',
      },
    ],
  },
  {
    id: 'audit',
    title: { en: 'See who did what in the organisation', ja: '組織内の操作の記録を確認する' },
    start: 'today',
    steps: [
      { action: 'press', en: 'Press “Site”.', ja: '「施設」を押します。' },
      { action: 'press', en: 'Press “Audit trail”.', ja: '「監査証跡」を押します。' },
    ],
  },
  {
    id: 'keys',
    title: { en: 'Work by keyboard', ja: 'キーボードで操作する' },
    start: 'today',
    steps: [
      { action: 'keys', en: 'Press “?” on any page.', ja: 'どの画面でも「?」を押します。' },
      {
        action: 'see',
        en: 'The list “Keyboard shortcuts” opens. Use the pencil to change a key.',
        ja: '「キーボード操作」の一覧が開きます。鉛筆のボタンでキーを変更できます。',
      },
      { action: 'keys', en: 'Press “Escape” to close it.', ja: '「Escape」を押して閉じます。' },
    ],
  },
];
