/** The frame, sign-in, lock, and the end of a sign-in. */
import type { Translated } from '../../../shared/locales/translated.ts';
import type { start as english } from './start.en.ts';

export const start: Translated<typeof english> = {
  frame: {
    back: '戻る',
    cancel: 'キャンセル',
    toToday: '「今日」に戻る',
    reload: '開き直す',
    failedTitle: '画面を開けませんでした',
    failedText: '回答はこのスマートフォンに残っています。アプリを開き直してください。',
    updateWaits: '新しい版があります。ここを押すと切り替わり、回答は残ります。',
  },
  tabs: { label: '主な画面', today: '今日', messages: '連絡', sensors: 'センサー', more: 'その他' },
  start: {
    // A line may break at the invisible space: narrow phones left the last character alone.
    title: '研究用アプリへ\u200bようこそ',
    lead: '毎日することの確認、質問への回答、研究の担当者への連絡ができます。',
    how: 'はじめかた',
    steps: {
      ask: '研究の担当者から、サインイン用コードを受け取ります。',
      camera: 'このスマートフォンのカメラを、コードに向けます。',
      tap: '表示されたリンクを押します。',
    },
    reach: 'このスマートフォンでできること',
    scan: 'コードを読み取る',
    type: 'コードを文字で入力',
  },
  signIn: {
    linkTitle: 'サインイン',
    linkText: '{{site}}のコードです。「サインイン」を押すと、このスマートフォンを研究に使えます。',
    linkTextNoSite: '「サインイン」を押すと、このスマートフォンを研究に使えます。',
    signIn: 'サインイン',
    busy: 'サインイン中…',
    other: '別のコードを使う',
    maybeExpired: 'コードの期限が過ぎている可能性があります。使えないときは、担当者に新しいコードを依頼してください。',
    typeTitle: 'コードの入力',
    code: 'サインイン用コード',
    codeHelp: '担当者から受け取った、20文字の英数字です。',
    tooShort: 'コードは20文字の英数字です。もう一度確かめてください。',
    againTitle: 'すでにサインインしています',
    againAs: '{{subject}}としてサインインしています。新しいコードは必要ありません。',
    againOther: '別の人や別の研究のコードを使うときは、先にサインアウトしてから、もう一度コードを開いてください。',
    againContinue: 'アプリに進む',
  },
  scan: {
    title: 'コードの読み取り',
    text: 'コードから20 cmほど離して、スマートフォンをかざしてください。',
    picture: 'カメラの画像',
    problems: {
      camera: 'カメラを使えませんでした。ブラウザーの設定で許可するか、コードを文字で入力してください。',
      otherCode: '別の種類のコードです。担当者から受け取ったサインイン用コードを使ってください。',
    },
  },
  confirm: {
    title: '内容の確認',
    text: '担当者から聞いた内容と同じかどうか、確かめてください。',
    subject: '識別コード',
    study: '研究',
    site: '施設',
    away: '施設とつながらないため、識別コードと研究名をまだ表示できません。施設のWi-Fiにつながっているか確かめてください。',
    yes: 'この内容で合っている',
    no: '内容が違う',
    noTitle: 'このスマートフォンからサインアウトしますか？',
    noAction: 'サインアウト',
    noText: 'まだ何も送信していません。担当者に新しいコードを依頼してください。',
  },
  locked: {
    title: 'ロック中です',
    code: '暗証番号',
    unlock: 'ロックを解除',
    wrong: '暗証番号が違います。もう一度入力してください。',
    forgotten: '暗証番号を忘れた',
    forgottenTitle: 'このスマートフォンからサインアウトしますか？',
    forgottenText:
      '暗証番号がないと、このアプリは開けません。サインアウトすると保存した内容は消え、もう一度使うには新しいサインイン用コードが必要です。',
  },
  wiped: {
    title: {
      SIGNED_OUT: 'サインアウトしました',
      REVOKED: 'サインアウトされました',
      SIGNED_IN_AGAIN: '別の場所でサインインされました',
      SUBJECT_ERASED: 'データは消去されました',
      STORE_EVICTED: '保存した内容が消えました',
    },
    text: {
      SIGNED_OUT: 'このスマートフォンから、すべての内容を消しました。',
      REVOKED:
        '担当者がこのスマートフォンを無効にしたため、すべての内容を消しました。心当たりがないときは、担当者に電話してください。',
      SIGNED_IN_AGAIN:
        'データを移した新しいスマートフォンなど、別の場所でアプリが使われています。ここからは、すべての内容を消しました。',
      SUBJECT_ERASED: '施設がデータを消去しました。このスマートフォンからも、すべての内容を消しました。',
      STORE_EVICTED:
        'ブラウザーが、このアプリの保存内容を消しました。担当者に新しいサインイン用コードを依頼してください。',
    },
    unsent_other: '送信前の{{count}}件が失われました。担当者に伝えてください。',
    signOutWaits:
      '施設側のサインアウトは、まだ完了していません。施設でもう一度このアプリを開くか、担当者にこのスマートフォンの無効化を依頼してください。',
    continue: '次へ',
  },
};
