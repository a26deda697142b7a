import type { erasure as english } from '../en/erasure.ts';
import type { Translated } from '../translated.ts';

/** Japanese texts of erasing a person. */
export const erasure: Translated<typeof english> = {
  subjectCopy: {
    title: '{{name}}のデータを書き出す',
    intro:
      '施設に保存されているこの被験者のすべてのデータを、本人に渡すための1つのZIPにまとめます。他の被験者の情報は除かれます。',
    check: '渡す前に、メッセージ、メモ、変更の理由を確認してください。他の被験者の以前の名前は除かれません。',
    kept: 'ファイルは30日間、施設に保存されます。被験者のデータを消去すると削除されます。',
    create: '書き出しを作成',
    download: 'ダウンロード',
    downloadOf: '{{time}}の書き出しをダウンロード',
    delete: '削除',
    deleteOf: '{{time}}の書き出しを削除',
    cancel: '書き出しを中止',
    list: '書き出し',
    none: 'まだありません。',
    requested: '{{time}}、{{name}}',
  },
  erasure: {
    title: '{{name}}のデータをすべて消去しますか？',
    intro: '消去したデータは元に戻せません。',
    action: 'データを消去',
    goes: '消去されるもの',
    record: '識別コードまたは名前、属性、メモ、タイムゾーン、機器の装着履歴',
    counts: {
      recordings_other: '記録とそのファイル {{count}}件（{{size}}）',
      days_other: '指標 {{count}}日分',
      annotations_other: 'タスクの報告・回答・ラベル {{count}}件',
      messages_other: 'メッセージ {{count}}件',
      signatures_other: 'この被験者の登録内容への電子署名 {{count}}件',
      devices_other: 'サインイン中のスマートフォン {{count}}台（サインアウトされます）',
      exports_other: 'この被験者を含む施設内の書き出しファイル {{count}}件',
    },
    stays: '残るもの',
    staying: {
      tombstone: '監査証跡の1件（消去した人、日時、理由、種類ごとの件数）',
      entries: 'この被験者についての履歴（日時、変更の種類、ユーザーのみ。内容は空になります）',
      hashes: '個人を特定できないハッシュ値（端末が後から送信したデータを拒否するため）',
    },
    yours: '消去が及ばないもの',
    files: 'すでに書き出し、ダウンロード、印刷したファイルは、ご自身で削除してください。',
    backups:
      '接続されていないディスクのバックアップには残ります。次にそのディスクやフォルダーへバックアップすると、以前のものは削除されます。',
    mentions: '他の被験者へのメッセージでの言及や、送信済みのメールには残ります。',
    copies: '復旧時に保存された破損データのコピーには残ります。このフォルダーを削除してください：{{folders}}',
    locked: '研究がロックされています。先にロックを解除してください。',
    backup: 'バックアップを作成中です。完了してからもう一度お試しください。',
    reason: '理由',
    reasonHelp: '履歴に残ります。個人名は入力しないでください。',
    reasonMissing: '理由を入力してください。',
    confirmation: '確認のため「{{name}}」と入力',
    confirmationWrong: '表示されているとおりに入力してください。',
    running: '消去しています。途中でOutpostが終了した場合は、次の起動時に完了します。',
    doneTitle: '{{name}}のデータを消去しました',
    done: 'この施設データに被験者のデータは残っていません。消去したことは履歴に表示されます。',
    waiting: '被験者のデータを消去しました。データベースの空き領域は、1時間以内か次の起動時に上書きされます。',
  },
};
