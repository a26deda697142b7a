import type { diagnostics as english } from '../en/diagnostics.ts';
import type { Translated } from '../words.ts';

export const diagnostics: Translated<typeof english> = {
  diagnostics: {
    NAME_NOT_FOUND: '{{host}}という名前が見つかりません。つづりとネットワークを確認してください。',

    RECEIVER_TIMED_OUT: '{{host}}は{{seconds}}秒以内に応答しませんでした。',
    RECEIVER_NOT_LISTENING: '{{host}}で待ち受けているプログラムがありません。',
    RECEIVER_UNREACHABLE: '{{host}}に接続できませんでした。',
    RECEIVER_CUT: '{{host}}は応答する前に接続を切りました。',
    RECEIVER_CERTIFICATE: '{{host}}の証明書を信頼できません（{{detail}}）。',
    RECEIVER_TLS: '{{host}}とTLSで通信できませんでした（{{detail}}）。',
    RECEIVER_NOT_HTTP: '{{host}}の応答はHTTPではありませんでした。',
    RECEIVER_FAILED: '{{host}}への接続に失敗しました（{{detail}}）。',
    RECEIVER_REDIRECTED: '{{host}}が{{status}}（転送）を返しました。転送先には送信しません。',
    RECEIVER_REFUSED: '{{host}}が{{status}}を返しました。',
    RECEIVER_GONE: '受信側が410を返しました。今後の通知は不要とのことです。',
    TARGET_NOWHERE:
      '{{host}}には送信しませんでした。{{address}}は1台のコンピューターのアドレスではありません。管理者は設定で許可できます。',
    TARGET_LOCAL:
      '{{host}}には送信しませんでした。{{address}}はこのコンピューター自身かリンクローカルのアドレスです。管理者は設定で許可できます。',
    SECRET_UNREADABLE:
      'このWebhookの秘密鍵を読み取れません。site.jsonが登録時のものと異なります。秘密鍵を再発行してください。',

    MAIL_REFUSED: 'メールサーバーがこのメールを受け付けませんでした：{{reply}}',
    MAIL_SIGN_IN: 'メールサーバーがユーザー名とパスワードを受け付けませんでした：{{reply}}',
    MAIL_TIMED_OUT: 'メールサーバー{{host}}が時間内に応答しませんでした。',
    MAIL_TLS: '{{host}}との暗号化された接続を確立できませんでした：{{reply}}',
    MAIL_NOT_LISTENING: '{{host}}で待ち受けているメールサーバーがありません。',
    MAIL_CUT: 'メールサーバー{{host}}との接続に失敗しました：{{reply}}',
    MAIL_FAILED: 'メールを送信できませんでした：{{reply}}',
    MAIL_EXPIRED: '送信する前に、メールのコードの期限が切れました。ユーザーに新しいコードを作成してください。',
    MAIL_UNENCRYPTED:
      '一度限りのコードを含むメールですが、メールサーバーへの接続が暗号化されていません。新しいコードを直接渡すか、STARTTLSまたはTLSを使ってください。',
    MAIL_NO_SERVER: 'メールサーバーが設定されていません。施設の設定で指定してください。',
    MAIL_TOO_LATE: '送信できないまま3日を過ぎました。',
    MAIL_UNSENT: '送信する前にOutpostが終了しました。',

    BACKUP_UNREADABLE: 'バックアップ{{path}}は使用できません。別のバックアップを選んでください。',
    BACKUP_OF_DAMAGED:
      '{{file}}は施設のデータの中で損傷しており、そのままバックアップされました。以前のバックアップには損傷のないものがあるかもしれません。',
    BACKUP_WITHOUT:
      '{{file}}が施設のデータの中にないため、バックアップに含まれていません。以前のバックアップにはあるかもしれません。',
    BACKUP_KEEPS_GOOD:
      '{{file}}は施設のデータの中で損傷しているか、見つかりません。このバックアップには以前の損傷のないコピーが保存されています。そこから元に戻してください。',
    BACKUP_FILE_SIZE: 'バックアップの{{file}}は{{foundBytes}}バイトです（正しくは{{expectedBytes}}バイト）。',
    BACKUP_FILE_CHANGED: 'バックアップの{{file}}は損傷しています。SHA-256が保存時のものと一致しません。',
    BACKUP_FILE_UNREADABLE: 'バックアップの{{file}}を読み取れません。',

    DATABASE_DAMAGED: '施設のデータベースが損傷しています。バックアップから復元してください。',
    RECORDING_FILE_MISSING:
      '記録{{recordingId}}の信号ファイルがありません。バックアップから戻すか、記録をもう一度取り込んでください。',
    RECORDING_FILE_SIZE:
      '記録{{recordingId}}の信号ファイルは{{foundBytes}}バイトです（正しくは{{expectedBytes}}バイト）。',
    RECORDING_FILE_DAMAGED: '記録{{recordingId}}の信号ファイルが損傷しています。',
    RECORDING_MOVED:
      '記録{{recordingId}}のファイルは{{foundStartUs}} µsに始まり{{foundStopUs}} µsに終わりますが、データベースでは{{startUs}} µsから{{stopUs}} µsまでです。元の開始時刻でもう一度取り込んでください。',
    RECORDING_SAMPLES: '記録{{recordingId}}のサンプル数は{{foundSamples}}ですが、データベースでは{{samples}}です。',
    CLOCK_MAP_UNWANTED:
      '記録{{recordingId}}の時計は補正されていませんが、時計の補正表が残っています。削除してください。',
    CLOCK_MAP_MISSING:
      '記録{{recordingId}}の時計の補正表がありません。バックアップから戻してください。それまで、この記録の時刻は正しくありません。',
    CLOCK_MAP_OTHER:
      '記録{{recordingId}}の時計の補正表が、登録時のものと異なります。バックアップから戻してください。それまで、この記録の時刻は正しくありません。',
    CLOCK_BEHIND:
      'このコンピューターの時計が、最新の記録より{{duration}}遅れています。現在の時刻が誤っているか、記録した時に進んでいました。時刻を合わせてください。進んでいた間の記録の時刻は誤ったままです。',
    AUDIT_MISSING: '監査証跡の{{first}}番から{{last}}番までがありません。',
    AUDIT_ORDER: '監査証跡の{{sequence}}番が、前の項目とつながっていません。',
    AUDIT_CHANGED: '監査証跡の{{sequence}}番が、記入後に変更されています。',
    AUDIT_OTHER: '監査証跡の{{sequence}}番が、別に保管された控えと異なります。',
    AUDIT_CUT: '監査証跡の最後の{{missing}}件がありません。',
    ANALYTICS_DAMAGED: '{{date}}の解析結果が損傷しています。この日をもう一度解析してください。',
    FILE_FOREIGN:
      'signalsフォルダーの{{file}}はOutpostのファイルではないため、変更しません。別の場所に移してください。',
    FILE_ORPHANED: 'signalsフォルダーの{{file}}に対応する記録がありません。次回の起動時に取り分けます。',
    FILE_SET_ASIDE: '信号ファイル{{file}}は、対応する記録がないため取り分けました。取り込むか、削除してください。',
    INBOX_SET_ASIDE:
      '受信フォルダーの{{file}}に対応する取り込みや送信がデータベースにないため、別の場所に移しました。もう一度取り込むか、削除してください。',
    UPLOAD_FILE_MISSING: '判断待ちのアップロード{{uploadId}}のファイルがありません。バックアップから戻してください。',
    UPLOAD_FILE_SIZE:
      '判断待ちのアップロード{{uploadId}}のファイルは{{foundBytes}}バイトです（正しくは{{expectedBytes}}バイト）。バックアップから戻してください。',
    PICTURE_MISSING: 'メッセージの画像{{file}}がありません。バックアップから戻してください。',

    UNIT_UNKNOWN:
      '{{file}}は取り込みませんでした。{{column}}の単位「{{unit}}」は{{target}}に換算できません。使用できる単位は{{accepted}}です。値を換算するか単位を訂正して、もう一度取り込んでください。',
    TIME_IMPLAUSIBLE:
      '{{file}}は取り込みませんでした。ヘッダーのとおり{{unit}}として読むと、最初のサンプルは{{day}}になります（他の単位では{{others}}）。時刻の単位を訂正して、もう一度取り込んでください。',

    PHONE_SIGNED_OUT: 'スマートフォンがサインアウトしました。',
    PHONE_SIGNED_IN: 'スマートフォンが再びサインインしました。',
    PAIRING_INCOMPLETE: 'ペアリングが完了しませんでした。',
    PAIRED_AGAIN: '端末が再びペアリングされました。',
  },
};
