import type { bulk as english } from '../en/bulk.ts';
import type { Translated } from '../translated.ts';

export const bulk: Translated<typeof english> = {
  bulk: {
    bar: '選択中の項目',
    clear: '選択を解除',
    more: 'その他',
    command: '{{action}}（{{count}}件を選択中）',
    selected: {
      subjects_other: '被験者 {{count}}名を選択中',
      equipment_other: '機器 {{count}}台を選択中',
      queries_other: 'クエリ {{count}}件を選択中',
    },
    outOfView_other: 'うち{{count}}件は絞り込みで表示されていません',
    lost_other: '{{count}}件が一覧からなくなり、選択が解除されました。',
    leftOut: '選択中のすべてに実行する権限がない操作は、表示していません。',
    able_other: '変更の対象（{{count}} / {{all}}件）',
    unable_other: '変更できません（{{count}}件）',
    noneAble: '選択中の項目に、変更できるものがありません。',
    outcomes: '結果',
    outcome: {
      waiting: '待機中',
      done: '完了',
      unchanged: '変更なし',
      failed: '失敗',
      unknown: '応答なし',
    },
    progress_other: '{{done}} / {{total}}件が完了しました。',
    someFailed: '残りは選択されたままです。',
    someUnknown: '残りは保存されたか確認できません。再試行しても、二重に保存されることはありません。',
    again_other: '再試行（{{count}}件）',
    unanswered_other:
      '「{{action}}」が中断され、{{count}}件の結果を確認できません。選択して同じ内容を入力すると、二重に保存されずに再実行できます。',
    repeated_other:
      'うち{{count}}件は、前回の結果を確認できません。同じ内容を入力すれば、二重に保存されることはありません。',
    stop: {
      title: '処理の中止',
      intro_other: '完了していない{{count}}件は、選択されたままです。後で続けることができます。',
      submit: '中止',
    },
    selectUnanswered: '選択',
    dropUnanswered: '閉じる',
    keep: '変更しない',
    print: '選択した機器を印刷',
    refusal: {
      gone: 'この一覧にありません。',
      underWay: '保存中です。',
      otherStudy: '別の研究です。',
      sameGroup: 'すでにこの群・層です。',
      alreadyHidden: 'すでに非表示です。',
      alreadyShown: '非表示ではありません。',
      notHandedOut: '貸し出されていません。',
      otherHolder: '別の被験者に貸し出されました。',
      queryState: '現在の状態は「{{state}}」です。',
      queryPerson: '他のユーザーのクエリには、現在の役割では実行できません。',
      sameAssignee: 'すでにこの担当です。',
      noAssignee: 'すでに担当者なしです。',
    },
    message: { action: 'メッセージを送信' },
    note: {
      action: 'メモを追加',
      title: '複数の被験者にメモを追加',
      intro: '同じ本文のメモを、被験者ごとに1件ずつ追加します。',
      submit_other: 'メモ{{count}}件を追加',
    },
    group: {
      action: '群・層を設定',
      title: '複数の被験者の群・層を設定',
      submit_other: '{{count}}名の群・層を設定',
      missing: '群または層を選択してください。',
      noGroups: 'この研究には群も層もありません。',
    },
    hide: {
      title: '複数の被験者を非表示にする',
      intro:
        '「非表示」で絞り込んだときだけ、一覧に表示されます。データは削除されず、機器、統計、書き出しにも影響しません。',
      submit_other: '{{count}}名を非表示にする',
    },
    show: {
      title: '複数の被験者を再び表示する',
      intro: '一覧に再び表示されます。',
      submit_other: '{{count}}名を再び表示する',
    },
    export: { action: 'データを書き出す' },
    takeBack: {
      action: '返却',
      title: '複数の機器を返却',
      row: '{{name}}（使用者：{{subject}}）',
      submit_other: '{{count}}台を返却',
      past: 'これまでの記録は、後から受信したものも含めて、それぞれの被験者に残ります。',
      pending_other:
        '{{count}}台に未受信の記録があります（{{recordings}}件、{{size}}）。再び貸し出す前に、ハブに置いてください。',
      notHeld: '{{subject}}はこの機器を使用していません。',
    },
    queries: {
      row: '{{subject}}：{{text}}',
      resolve: { title: '複数のクエリを解決済みにする', submit_other: 'クエリ{{count}}件を解決済みにする' },
      reopen: { title: '複数のクエリを再開', submit_other: 'クエリ{{count}}件を再開' },
      assign: { title: '複数のクエリの担当を変更', submit_other: 'クエリ{{count}}件の担当を変更' },
    },
  },
};
