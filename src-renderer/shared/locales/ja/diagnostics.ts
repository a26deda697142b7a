import type { diagnostics as english } from '../en/diagnostics.ts';
import type { Translated } from '../translated.ts';

export const diagnostics: Translated<typeof english> = {
  diagnostics: {
    NAME_NOT_FOUND: '{{host}}という名前が見つかりません。つづりとネットワークを確認してください。',

    RECEIVER_TIMED_OUT: '{{host}}は{{seconds}}秒以内に応答しませんでした。',
    RECEIVER_NOT_LISTENING: '{{host}}で待ち受けているプログラムがありません。',
    RECEIVER_UNREACHABLE: '{{host}}に接続できませんでした。',
    RECEIVER_CUT: '{{host}}が応答せずに接続を切断しました。',
    RECEIVER_CERTIFICATE: '{{host}}の証明書を信頼できません（{{detail}}）。',
    RECEIVER_TLS: '{{host}}とTLSで通信できませんでした（{{detail}}）。',
    RECEIVER_NOT_HTTP: '{{host}}の応答はHTTPではありませんでした。',
    RECEIVER_FAILED: '{{host}}への接続に失敗しました（{{detail}}）。',
    RECEIVER_REDIRECTED: '{{host}}が{{status}}（転送）を返しました。転送先には送信しません。',
    RECEIVER_REFUSED: '{{host}}が{{status}}を返しました。',
    RECEIVER_GONE: '受信側が410を返し、今後の通知を受け取らないと応答しました。',
    TARGET_NOWHERE:
      '{{address}}は1台のコンピューターのアドレスではないため、{{host}}には送信しませんでした。管理者は設定で送信を許可できます。',
    TARGET_LOCAL:
      '{{address}}はこのコンピューター自身かリンクローカルのアドレスのため、{{host}}には送信しませんでした。管理者は設定で送信を許可できます。',
    SECRET_UNREADABLE:
      'site.jsonが登録時のものと異なるため、このWebhookの秘密鍵を読み取れません。秘密鍵を再発行してください。',

    MAIL_REFUSED: 'メールサーバーがこのメールを受け付けませんでした：{{reply}}',
    MAIL_SIGN_IN: 'メールサーバーがユーザー名とパスワードを受け付けませんでした：{{reply}}',
    MAIL_TIMED_OUT: 'メールサーバー{{host}}が時間内に応答しませんでした。',
    MAIL_TLS: '{{host}}との暗号化された接続を確立できませんでした：{{reply}}',
    MAIL_NOT_LISTENING: '{{host}}で待ち受けているメールサーバーがありません。',
    MAIL_CUT: 'メールサーバー{{host}}との接続に失敗しました：{{reply}}',
    MAIL_FAILED: 'メールを送信できませんでした：{{reply}}',
    MAIL_EXPIRED: '送信する前に、メール内のコードの期限が切れました。新しいパスワード設定コードを発行してください。',
    MAIL_UNENCRYPTED:
      '接続が暗号化されていないため、一度限りのコードを含むメールを送信しませんでした。新しいコードを直接渡すか、STARTTLSまたはTLSを使ってください。',
    MAIL_NO_SERVER: 'メールサーバーが設定されていません。「施設」の「メール」で設定してください。',
    MAIL_TOO_LATE: '送信できないまま3日を過ぎました。',
    MAIL_UNSENT: '送信する前にOutpostが終了しました。',

    BACKUP_UNREADABLE: 'バックアップ{{path}}は使用できません。別のバックアップを選んでください。',
    BACKUP_OF_DAMAGED:
      '{{file}}は施設データの中で破損しており、そのままバックアップされました。以前のバックアップには、破損していないファイルが残っている可能性があります。',
    BACKUP_WITHOUT:
      '{{file}}が施設データにないか読み取れないため、バックアップに含まれていません。以前のバックアップに残っている可能性があります。',
    BACKUP_KEEPS_GOOD:
      '施設データの{{file}}は破損しているか、見つかりません。このバックアップにある、破損する前のコピーから戻してください。',
    BACKUP_FILE_SIZE: 'バックアップの{{file}}は{{foundBytes}}バイトです（正しくは{{expectedBytes}}バイト）。',
    BACKUP_FILE_CHANGED: 'バックアップの{{file}}は破損しています（SHA-256が保存時の値と一致しません）。',
    BACKUP_FILE_UNREADABLE: 'バックアップの{{file}}を読み取れません。',

    BACKUP_SUSPECT:
      'このバックアップの作成後に、施設データのデータベースの破損が見つかりました。以前のバックアップを使用するか、先にこのバックアップを確認してください。',
    DATABASE_DAMAGED: '施設データのデータベースが破損しています。バックアップから復元してください。',
    RECORDING_FILE_MISSING:
      '記録{{recordingId}}の信号ファイルがありません。バックアップから戻すか、記録をもう一度取り込んでください。',
    RECORDING_FILE_SIZE:
      '記録{{recordingId}}の信号ファイルは{{foundBytes}}バイトです（正しくは{{expectedBytes}}バイト）。',
    RECORDING_FILE_DAMAGED: '記録{{recordingId}}の信号ファイルが破損しています。',
    RECORDING_MOVED:
      '記録{{recordingId}}のファイルの時刻（{{foundStartUs}}〜{{foundStopUs}} µs）が、データベースの時刻（{{startUs}}〜{{stopUs}} µs）と一致しません。元の開始時刻でもう一度取り込んでください。',
    RECORDING_SAMPLES: '記録{{recordingId}}のサンプル数は{{foundSamples}}ですが、データベースでは{{samples}}です。',
    CLOCK_MAP_UNWANTED:
      '記録{{recordingId}}は時刻を補正していませんが、時刻の補正表が残っています。補正表を削除してください。',
    CLOCK_MAP_MISSING:
      '記録{{recordingId}}の時刻の補正表がないため、記録の時刻が正しくありません。バックアップから戻してください。',
    CLOCK_MAP_OTHER:
      '記録{{recordingId}}の時刻の補正表が保存時のものと異なるため、記録の時刻が正しくありません。バックアップから戻してください。',
    CLOCK_BEHIND:
      'このコンピューターの時計が最新の記録より{{duration}}遅れており、現在の時刻か記録時の時刻が誤っています。時刻を合わせてください（誤った時刻で受信した記録は修正されません）。',
    AUDIT_MISSING: '監査証跡の{{first}}番から{{last}}番までがありません。',
    AUDIT_ORDER: '監査証跡の{{sequence}}番が、前の履歴とつながっていません。',
    AUDIT_CHANGED: '監査証跡の{{sequence}}番が、書き込み後に改変されています。',
    AUDIT_OTHER: '監査証跡の{{sequence}}番が、別に保管された控えと異なります。',
    AUDIT_NOT_ERASED:
      '監査証跡の{{sequence}}番の記録は内容がありませんが、それを消去したはずの{{erasedBy}}番の記録と一致しません。',
    AUDIT_CUT: '監査証跡の最後の{{missing}}件がありません。',
    AUDIT_LOG_MISSING:
      '監査証跡には署名の記録がありましたが、そのファイル（audit-anchors.jsonl）がありません。誰が削除したかを確認し、施設データのフォルダーのコピーから戻してください。',
    AUDIT_LOG_CUT:
      '署名の記録は{{anchor}}番で終わっていますが、{{known}}番まで存在していました。末尾が切り取られたか、古いコピーに置き換えられています。',
    AUDIT_LOG_FORGED: '署名の記録の{{anchor}}番が、署名された内容と異なります。記録が編集されています。',
    AUDIT_LOG_FOREIGN: '署名の記録（audit-anchors.jsonl）が、このデータベースのものではありません。',
    AUDIT_LOG_RESTARTED:
      '{{time}}に施設データを開いたとき、署名の記録がないか、使用できない状態でした。{{sequence}}番より前の監査証跡は、バックアップと書き出しだけで確認できます。',
    AUDIT_KEY_MISSING:
      '署名用の鍵（audit-anchor.key）がないか、破損しています。施設データのフォルダーのコピーから戻してください。',
    AUDIT_KEY_OTHER:
      '署名用の鍵（audit-anchor.key、{{keyId}}）が、以前の署名に使われた鍵と異なります。鍵が交換されています。',
    AUDIT_KEY_REPLACED:
      '{{time}}に施設データを開いたとき、署名用の鍵がないか、別の鍵でした。監査証跡の{{sequence}}番以降は新しい鍵で署名されています。',
    AUDIT_ANCHOR_OTHER:
      '監査証跡の{{first}}番から{{last}}番が、署名{{anchor}}番（{{time}}）の時点と異なります。変更、追加または削除された履歴があります。',
    AUDIT_SHORTER:
      '署名{{anchor}}番（{{time}}）の時点で監査証跡は{{sequence}}番までありましたが、{{last}}番で終わっていました。履歴が削除されたか、古いデータベースに置き換えられています。',
    AUDIT_WRITTEN_CLOSED:
      '監査証跡の{{first}}番から{{last}}番は、{{time}}に施設データを閉じた後、Outpost以外によって書き込まれています。',
    AUDIT_BACKUP_OTHER:
      'バックアップ{{name}}（{{time}}）とは、監査証跡の{{sequence}}番までの内容が異なります。その後、変更、追加または削除された履歴があります。',
    AUDIT_BACKUP_AHEAD:
      'バックアップ{{name}}（{{time}}）には監査証跡の{{sequence}}番がありますが、現在は{{last}}番で終わっています。履歴が削除されたか、古いデータベースに置き換えられています。',
    AUDIT_BACKUP_FORGED: 'バックアップ{{name}}に含まれる監査証跡の署名が改変されています。',
    AUDIT_EXPORT_OTHER:
      '書き出し{{name}}（{{time}}）とは、監査証跡の{{sequence}}番までの内容が異なります。その後、変更、追加または削除された履歴があります。',
    AUDIT_EXPORT_AHEAD:
      '書き出し{{name}}（{{time}}）は監査証跡の{{sequence}}番の時点で作成されましたが、現在は{{last}}番で終わっています。履歴が削除されたか、古いデータベースに置き換えられています。',
    AUDIT_EXPORT_FORGED: '書き出し{{name}}に含まれる監査証跡の署名が改変されています。',
    AUDIT_COPY_OTHER:
      '{{name}}（{{time}}）は、この施設データの別のコピーで作成されたか、フォルダーが復元によらず以前の状態に戻されています。使用するコピーは1つだけにしてください。',
    SIGNATURE_CHANGED:
      '{{name}}の署名{{signatureId}}が監査証跡と一致しません（Outpost以外で変更されています）。バックアップから施設データを復元してください。',
    SIGNATURE_MISSING:
      '監査証跡にある{{name}}の署名{{signatureId}}がありません（Outpost以外で削除されています）。バックアップから施設データを復元してください。',
    CORRECTION_CHANGED:
      '修正{{correctionId}}が監査証跡と一致しません（Outpost以外で変更されています）。バックアップから施設データを復元してください。',
    CORRECTION_MISSING:
      '監査証跡にある修正{{correctionId}}がありません（Outpost以外で削除されています）。バックアップから施設データを復元してください。',
    CORRECTION_UNRECORDED:
      '修正{{correctionId}}が監査証跡にありません（Outpost以外で追加されています）。バックアップから施設データを復元してください。',
    SIGNATURE_UNRECORDED:
      '{{name}}の署名{{signatureId}}が監査証跡にありません（Outpost以外で追加されています）。バックアップから施設データを復元してください。',
    ANALYTICS_DAMAGED: '{{date}}の解析結果が破損しています。この日をもう一度解析してください。',
    SUMMARY_WRONG:
      '被験者{{subjectId}}の一覧の表示がデータと一致しません（{{tables}}）。施設の画面で整合性チェックを実行すると集計し直されます（データ自体に問題はありません）。',
    FOLDER_UNREADABLE:
      '施設データの{{folder}}フォルダーを読み取れないため、中のファイル名を確認できませんでした。アクセス権とディスクを確認してください。',
    FILE_FOREIGN:
      'signalsフォルダーの{{file}}はOutpostのファイルではないため、変更しません。別の場所に移してください。',
    COLUMN_FILE_FOREIGN:
      'columnsフォルダーの{{file}}はOutpostが作成したファイルではないため、そのまま残しました。別の場所に移してください。',
    FILE_ORPHANED: 'signalsフォルダーの{{file}}に対応する記録がありません。次回の起動時に、別の場所に移します。',
    FILE_SET_ASIDE:
      '対応する記録がないため、信号ファイル{{file}}を別の場所に移しました。取り込むか、削除してください。',
    INBOX_SET_ASIDE:
      '対応する取り込みや送信がないため、受信フォルダーの{{file}}を別の場所に移しました。もう一度取り込むか、削除してください。',
    UPLOAD_FILE_MISSING: '判断待ちのアップロード{{uploadId}}のファイルがありません。バックアップから戻してください。',
    UPLOAD_FILE_SIZE:
      '判断待ちのアップロード{{uploadId}}のファイルは{{foundBytes}}バイトです（正しくは{{expectedBytes}}バイト）。バックアップから戻してください。',
    PICTURE_MISSING: 'メッセージの画像{{file}}がありません。バックアップから戻してください。',

    UNIT_UNKNOWN:
      '{{column}}の単位「{{unit}}」を{{target}}に換算できないため、{{file}}は取り込みませんでした。値または単位を次のいずれかに直し、もう一度取り込んでください：{{accepted}}',
    TIME_IMPLAUSIBLE:
      '{{file}}は取り込みませんでした（単位が{{unit}}の場合、最初のサンプルは{{day}}、他の単位では{{others}}になります）。ヘッダーの時刻の単位を訂正して、もう一度取り込んでください。',

    CERTIFICATE_OTHER_NAMES: '証明書には{{names}}も含まれますが、これらは端末が使うため、施設の鍵で応答します。',
    CERTIFICATE_TOO_LONG:
      '証明書の有効期間が825日を超えています。iPhoneでは使えないため、期間の短い証明書を依頼してください。',
    CERTIFICATE_ENDS_SOON: '証明書は{{date}}に期限が切れます。更新後、新しい証明書をここで設定してください。',
    CERTIFICATE_ENDED:
      '証明書は{{date}}に期限が切れ、スマートフォンから接続できません。更新後、ここで設定してください。',
    CERTIFICATE_NOT_REACHED:
      'このコンピューターから{{url}}に接続できませんでした。この名前がこのコンピューターを指すように、ネットワーク管理者に依頼してください。',

    PHONE_SIGNED_OUT: 'スマートフォンがサインアウトしました。',
    PHONE_SIGNED_IN: 'スマートフォンが再びサインインしました。',
    SUBJECT_WITHDREW: '被験者の参加は終了しています。',
    VISIT_REMINDER: '来院のお知らせです。',
    PAIRING_INCOMPLETE: 'ペアリングが完了しませんでした。',
    PAIRED_AGAIN: '端末が再びペアリングされました。',
  },
};
