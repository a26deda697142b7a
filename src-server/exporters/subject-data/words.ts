/** The sentences of the cover of a subject's own copy, in the languages of the desk. Written for a person, not for a program. */

export const COVER_LANGUAGES = ['en', 'ja'] as const;
export type CoverLanguage = (typeof COVER_LANGUAGES)[number];

interface CoverWords {
  locale: string;
  title: string;
  otherLanguage: string;
  intro: string;
  about: { title: string; code: string; study: string; organisation: string; asked: string; recordings: string };
  files: { title: string; help: string; file: string; holds: string };
  from: { title: string; lines: readonly string[] };
  who: {
    title: string;
    help: string;
    roles: Readonly<Record<string, string>>;
    none: string;
    receivers: string;
    exports: string;
  };
  kept: { title: string; lines: readonly string[] };
  notes: { title: string; lines: readonly string[] };
  holds: Readonly<Record<FileName, string>>;
}

/** Members of the archive in the order in which the cover names them. */
export const FILES = [
  'subject.json',
  'annotations.json',
  'corrections.json',
  'messages.json',
  'notes.json',
  'note-versions.json',
  'queries.json',
  'query-steps.json',
  'participation.json',
  'visits.json',
  'recordings.json',
  'recordings/….edf, ….bdf',
  'recordings/….sig',
  'recordings/files.json',
  'metrics/daily.csv',
  'metrics/daily-uncorrected.csv',
  'metrics/minutes/….csv',
  'metrics/dictionary.csv',
  'equipment.json',
  'devices.json',
  'sign-in-tokens.json',
  'uploads.json',
  'transfers.json',
  'faults.json',
  'events.json',
  'signatures.json',
  'exports.json',
  'audit.json',
  'manifest.json',
] as const;
type FileName = (typeof FILES)[number];

const en: CoverWords = {
  locale: 'en',
  title: 'Your data in this study',
  otherLanguage: '日本語',
  intro:
    'This is a copy of everything that the computer of the study site holds about one participant. It was made on request (GDPR articles 15 and 20). It is research data, computed after the fact: not for diagnosis and not for monitoring.',
  about: {
    title: 'About this copy',
    code: 'Code or name at the site',
    study: 'Study',
    organisation: 'Organisation that holds the data',
    asked: 'Copied',
    recordings: 'Recordings',
  },
  files: {
    title: 'Files',
    help: 'JSON and CSV files are UTF-8 text. Members whose names end in Ts are milliseconds since 1970-01-01T00:00:00Z, Us microseconds; dates are local.',
    file: 'File',
    holds: 'What it holds',
  },
  from: {
    title: 'Where the data came from',
    lines: [
      'Sensors that were worn sent the recordings, over charging stations or a phone, or staff imported them from files.',
      'Answers, task reports and messages were entered on the phone of the study or by staff.',
      'Code, characteristics, notes and labels were entered by staff.',
      'Metrics were computed from the recordings by Outpost on the computer of the site, by methods that metrics/dictionary.csv names.',
    ],
  },
  who: {
    title: 'Who has access, and who received the data',
    help: 'People with access to the study at the site:',
    roles: { ADMIN: 'Administrators', COORDINATOR: 'Coordinators', ANALYST: 'Analysts', MONITOR: 'Monitors' },
    none: 'Administrators of the site only.',
    receivers: 'Other programs that the site notifies of events of the study: {{hosts}}.',
    exports: 'Exports of the study that included this data: {{count}}. See exports.json.',
  },
  kept: {
    title: 'How long it is kept',
    lines: [
      'The site keeps the data until it is erased; it has no date of its own. The organisation can say how long its study must be kept.',
      'Files of exports are deleted from the site after 30 days.',
      'After an erasure the audit trail keeps an entry without content that identifies the person, and the next backup replaces older ones.',
    ],
  },
  notes: {
    title: 'Left out',
    lines: [
      'Codes, names and identifiers of other participants are replaced by “[withheld: another subject]”.',
      'Staff appear by their identifiers in the audit trail, and by name on their signatures.',
      'Secrets such as sign-in tokens, and summaries that can be computed from these files.',
    ],
  },
  holds: {
    'subject.json': 'Code or name, characteristics, additional fields, time zones, the study',
    'annotations.json': 'Task reports, answers and labels',
    'corrections.json': 'What people corrected in heartbeats, sleep and wear, and what they undid',
    'messages.json': 'Messages to and from the study team; pictures are in messages/',
    'notes.json': 'Notes and calls that the study team wrote down about you',
    'note-versions.json': 'Earlier versions of these notes',
    'queries.json': 'Questions of the study team about your data',
    'query-steps.json': 'Their texts and answers',
    'participation.json': 'Your status, consents and group in the study; signed forms are in consents/',
    'visits.json': 'Your visits',
    'recordings.json': 'Each recording: sensor, placement, times, channels, checksum',
    'recordings/….edf, ….bdf': 'The recordings as EDF+ or BDF+, which EDF programs open, with labels',
    'recordings/….sig': 'The same recordings as the site stores them, byte for byte',
    'recordings/files.json': 'Which files belong to which recording, and what could not be read',
    'metrics/daily.csv': 'One row per day; units are in the heading',
    'metrics/daily-uncorrected.csv': 'The days that corrections touch, as computed without them; absent without any',
    'metrics/minutes/….csv': 'One row per minute of a day; units are in the heading',
    'metrics/dictionary.csv': 'What each metric means, its unit and the least data behind it',
    'equipment.json': 'Which sensor or device was worn or held, from when to when',
    'devices.json': 'Phones that were signed in',
    'sign-in-tokens.json': 'When sign-in tokens were made, used and revoked',
    'uploads.json': 'Files that devices sent',
    'transfers.json': 'Recordings taken from docked devices and watched folders',
    'faults.json': 'Malfunctions that devices reported',
    'events.json': 'Events of the study about this participant',
    'signatures.json': 'Electronic signatures of staff on these records',
    'exports.json': 'Exports of the study that included this data',
    'audit.json': 'Every change to these records: when, what, by whom, why',
    'manifest.json': 'Size and SHA-256 of every file',
  },
};

const ja: CoverWords = {
  locale: 'ja',
  title: 'この研究で保有している個人データ',
  otherLanguage: 'English',
  intro:
    '研究実施施設のコンピューターが1名の被験者について保有しているすべてのデータの写しです。請求にもとづいて作成されました（GDPR第15条・第20条）。収集後に解析する研究用データです。リアルタイムの監視、診断、警報には使用できません。',
  about: {
    title: 'この写しについて',
    code: '施設での識別コードまたは名前',
    study: '研究',
    organisation: 'データを保有する組織',
    asked: '作成日時',
    recordings: '記録',
  },
  files: {
    title: 'ファイル',
    help: 'JSONとCSVはUTF-8のテキストです。名前がTsで終わる項目は1970-01-01T00:00:00Zからのミリ秒、Usで終わる項目はマイクロ秒、日付は現地の日付です。',
    file: 'ファイル',
    holds: '内容',
  },
  from: {
    title: 'データの取得元',
    lines: [
      '記録は、装着したセンサーから充電器やスマートフォンを通じて受信したもの、または担当者がファイルから取り込んだものです。',
      '回答、タスクの報告、メッセージは、研究用のスマートフォンまたは担当者が入力したものです。',
      '識別コード、属性、メモ、ラベルは、担当者が入力したものです。',
      '指標は、施設のコンピューターのOutpostが記録から計算したものです。方法はmetrics/dictionary.csvにあります。',
    ],
  },
  who: {
    title: '閲覧できる人と提供先',
    help: '施設でこの研究を閲覧できる人：',
    roles: { ADMIN: '管理者', COORDINATOR: 'コーディネーター (CRC)', ANALYST: '解析担当者', MONITOR: 'モニター' },
    none: '施設の管理者のみ。',
    receivers: '研究のイベントを通知している他のシステム：{{hosts}}',
    exports: 'このデータを含む研究の書き出し：{{count}}件。exports.jsonを参照してください。',
  },
  kept: {
    title: '保存期間',
    lines: [
      '施設は、データが消去されるまで保存します。期限は設定されていません。研究の保存期間は、組織に確認してください。',
      '書き出したファイルは、30日後に施設から削除されます。',
      '消去した後も、個人を特定できない1件が監査証跡に残ります。以前のバックアップは、次のバックアップで置き換えられます。',
    ],
  },
  notes: {
    title: '含まれないもの',
    lines: [
      '他の被験者の識別コード、名前、IDは「[withheld: another subject]」に置き換えられています。',
      '担当者は、監査証跡ではID、署名では氏名で示されます。',
      'サインイン用コードなどの秘密情報と、これらのファイルから計算できる集計は含まれません。',
    ],
  },
  holds: {
    'subject.json': '識別コードまたは名前、属性、追加項目、タイムゾーン、研究',
    'annotations.json': 'タスクの報告、回答、ラベル',
    'corrections.json': '心拍・睡眠・装着に対する人による修正と、その取り消し',
    'messages.json': '研究チームとのメッセージ。画像はmessages/にあります',
    'notes.json': '研究チームが書いたメモと電話連絡の内容',
    'note-versions.json': 'メモの以前の版',
    'queries.json': 'データに関する研究チームの問い合わせ（クエリ）',
    'query-steps.json': '問い合わせの本文と回答',
    'participation.json': '研究での状態、同意、群。署名済みの同意書はconsents/にあります',
    'visits.json': '来院の予定と実績',
    'recordings.json': '各記録のセンサー、装着部位、時刻、チャンネル、チェックサム',
    'recordings/….edf, ….bdf': 'EDF+またはBDF+形式の記録とラベル。EDF対応のソフトウェアで開けます',
    'recordings/….sig': '施設が保存している記録ファイルそのもの',
    'recordings/files.json': '記録とファイルの対応、読み取れなかったもの',
    'metrics/daily.csv': '1日1行。単位は見出しにあります',
    'metrics/daily-uncorrected.csv': '修正のある日の、修正前の計算値。修正がなければファイルはありません',
    'metrics/minutes/….csv': '1分1行。単位は見出しにあります',
    'metrics/dictionary.csv': '各指標の意味、単位、必要な最少データ',
    'equipment.json': '装着または使用した機器とその期間',
    'devices.json': 'サインインしたスマートフォン',
    'sign-in-tokens.json': 'サインイン用コードの発行、使用、無効化の日時',
    'uploads.json': '端末が送信したファイル',
    'transfers.json': 'ドックやフォルダーから取り込んだ記録',
    'faults.json': '端末が報告した機器の不具合',
    'events.json': 'この被験者についての研究のイベント',
    'signatures.json': 'これらの登録内容への担当者の電子署名',
    'exports.json': 'このデータを含む研究の書き出し',
    'audit.json': 'これらの登録内容のすべての変更（日時、内容、実行者、理由）',
    'manifest.json': '各ファイルのサイズとSHA-256',
  },
};

export const COVER_WORDS: Readonly<Record<CoverLanguage, CoverWords>> = { en, ja };
