import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PHONE_WORDS } from '../../phone/words/words.ts';
import { metricDefinitions } from './metric-definitions.ja.ts';
import { AREAS, type Area } from './words.ts';

/**
 * The terms and the style of all Japanese texts: the desk, the daily metrics, and the pages and mails that live outside the
 * locales. A text is named by its key; texts of other files by their file.
 */
type Entry = [key: string, text: string];

function flatten(value: object, prefix = ''): Entry[] {
  return Object.entries(value).flatMap(([key, child]): Entry[] =>
    typeof child === 'string' ? [[prefix + key, child]] : flatten(child, `${prefix}${key}.`),
  );
}

const OTHER_FILES = [
  'src-main/pages/words.ts',
  'src-server/site/set-up/words.ts',
  'src-server/api/desk-files.ts',
  'src-server/api/resources/access/password-mail.ts',
  'src-server/api/resources/integrations/mail.ts',
];

/** Every string literal of a file that has a Japanese letter in it. */
function literalsOf(file: string): Entry[] {
  const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  return [...source.matchAll(/'([^'\n]*)'|`([^`]*)`/g)]
    .map(([, quoted, template]): Entry => [file, quoted ?? template ?? ''])
    .filter(([, text]) => /[\u3041-\u30ff\u4e00-\u9fff]/.test(text));
}

const areas = Object.keys(AREAS) as Area[];
/** The texts of the desk, and those of the phone, whose keys follow `phone.`. */
const desk = [
  ...(await Promise.all(areas.map((area) => AREAS[area].ja()))).flatMap((texts) => flatten(texts)),
  ...flatten(await PHONE_WORDS.ja(), 'phone.'),
];
const metrics = [...metricDefinitions].flatMap(([name, words]): Entry[] => [
  [`metric.${name}`, words.definition],
  [`metric.${name}`, words.minimumData],
]);
const all: Entry[] = [...desk, ...metrics, ...OTHER_FILES.flatMap(literalsOf)];
const textOf = new Map(desk);
const text = (key: string) => textOf.get(key) ?? `(no text ${key})`;

/** The texts that match a pattern, except where their key (or its beginning, with a dot at the end) is allowed. */
function offenders(pattern: RegExp, allowed: readonly string[] = []): Entry[] {
  return all.filter(
    ([key, words]) =>
      pattern.test(words) && !allowed.some((name) => key === name || (name.endsWith('.') && key.startsWith(name))),
  );
}

/** Words to avoid, by the term that is used instead, and the texts in which the word is right. */
const AVOIDED: [term: string, avoided: RegExp, allowed?: string[]][] = [
  // People and studies
  ['被験者', /参加者|対象者|患者|架空の人物/],
  ['被験者識別コード', /符号/],
  ['テスト用被験者', /ダミー/],
  ['被験者を登録', /被験者を(追加|作成)|エントリー/],
  ['同意', /承諾/],
  ['割付（機器は貸し出す）', /割り?当て?/],
  ['研究計画書', /プロトコル/],
  ['研究', /試験|スタディ/],
  ['研究設定', /定義/, ['manual.definition', 'metrics.definition', 'metrics.definitions', 'metrics.definitionsHelp']],
  [
    '実施スケジュール',
    /プログラム/,
    [
      // Software
      'diagnostics.RECEIVER_NOT_LISTENING',
      'errors.FILE_IN_USE',
      'errors.PORT_TAKEN',
      'errors.TOO_MANY_FILES',
      'network.check.results.other',
      'webhooks.summary',
      'webhooks.urlHelp',
      'src-main/pages/words.ts',
      'src-server/api/desk-files.ts',
    ],
  ],
  [
    'アクティビティ',
    /活動/,
    // Movement of the body
    ['activity.', 'builder.presetHelp.', 'days.', 'lanes.', 'metric.', 'metrics.', 'runs.states.', 'week.'],
  ],
  ['アンケート', /日誌|ダイアリー/],
  ['タスク', /課題|検査/],
  ['未実施', /不履行/],
  ['実施状況', /遵守|コンプライアンス|アドヒアランス/],
  ['併用薬', /服薬/],
  ['研究を終了', /研究[はをが]?完了|完了した研究/],
  ['再開', /再オープン/],
  ['アーカイブ', /保管済み/],
  ['開始前', /未開始/],
  // Site, people of the desk
  ['施設', /サイト|クリニック|院内/],
  ['施設データ', /施設(フォルダー|のデータ|を開|を点検|全体)|この施設[がを]/],
  ['施設のサーバー', /施設が(応答|受け)|施設のOutpost/],
  [
    '組織',
    /アカウント/,
    // The sign-in of one person, here or in the operating system
    ['account.', 'keys.intro', 'users.history', 'users.mailLanguageHelp', 'src-main/pages/words.ts'],
  ],
  ['モニター', /監視者/],
  ['解析担当者', /アナリスト/],
  ['担当者、他のユーザー', /スタッフ|同僚|他の(人|担当者)|操作者/],
  // Histories
  ['登録内容', /(この|項目の|全|各)記録[のを](変更|保存|ハッシュ)|記録の変更履歴|条件に一致する記録|記録の?CSV/],
  ['監査証跡、履歴', /監査(記録|ログ)|ログ(?!イン|ラム)/],
  ['変更の理由', /コメント/],
  // Equipment
  ['機器、端末', /装置|(?<!VPNと)デバイス/],
  ['貸し出す、返却', /配布|回収|貸し出し中/],
  ['貸出可', /空きの?(機器|センサー)|空いている(機器|センサー)|^空き$/],
  ['使用者', /持ち主|保有/],
  ['サインイン用コード', /サインイントークン|トークン/, ['refusals.reason.UNAUTHORIZED']],
  ['サインイン用コードを発行', /スマートフォンを登録/],
  ['パスワード設定コード', /パスワード(用|の)?コード/],
  ['無効にする、中止', /取り?消/],
  [
    '通信',
    /(ハブ|端末|機器|センサー|デバイス)[^。]{0,12}からの?連絡|最後の連絡|連絡(なし|あり)|通信(途絶|断)|接触不良/,
  ],
  ['受信、送信', /届|同期|投稿/],
  ['通知された', /申告|予告|自称/],
  ['機器の不具合、故障', /エラー(?!コード)/],
  ['予期しない再起動', /自動(的に)?再起動/],
  ['メモリー満杯', /メモリーいっぱい/],
  ['電池', /バッテリー/],
  ['充電器', /充電台|充電ステーション/],
  // Files and data
  ['判断待ち', /保留/, ['analysis.parked', 'jobs.parked', 'jobs.state.parked']],
  // The meaning of a signature is the word of the ER/ES guideline: 作成、確認、承認.
  ['採用する、不採用にする', /却下|承認/, ['signatures.meanings.APPROVED', 'history.values.APPROVED']],
  ['確認済み', /検証/],
  ['整合性チェック', /点検/],
  ['破損', /壊れ|損傷/],
  ['記録なし、データ欠損', /途切れ|欠落|欠測/],
  ['書き出し', /出力|持ち出|エクスポート/],
  ['非識別化', /匿名|仮名/],
  ['一度限り', /使い切り/],
  // The body
  ['装着', /着用|取り付け/],
  ['心拍数', /脈拍/],
  ['呼吸数', /呼吸(?!数)/],
  ['活動時、安静時、睡眠時', /(活動|安静|睡眠)中/],
  ['加速度、角速度', /動き|回転/, ['today.snoozeIntro']],
  ['ノイズ', /雑音/],
  ['キャリパー、合わせる', /計測線|吸着/],
  ['仰臥位、腹臥位、側臥位', /仰向け|うつ伏せ|[左右]向き/],
  ['NN間隔', /正常/],
  // Computers
  ['時差', /オフセット/],
  ['再読み込み', /読み込み直|リロード/],
  ['収集後に解析する研究用データ', /事後データ/],
];

/** Titles of dialogs with the buttons that open and confirm them. A title may name its object before these words. */
const DIALOGS: [title: string, ...buttons: string[]][] = [
  ['backups.makeTitle', 'backups.make'],
  ['devices.renameTitle', 'devices.rename'],
  ['devices.revokeTitle', 'devices.revoke'],
  ['equipment.handOutTitle', 'equipment.handOut'],
  ['equipment.register', 'equipment.registerSubmit'],
  ['equipment.takeBackTitle', 'equipment.takeBack'],
  ['exports.newTitle', 'exports.new', 'exports.make'],
  ['hide.hideTitle', 'hide.hide', 'subjectActions.hide'],
  ['hide.showTitle', 'hide.show', 'subjectActions.show'],
  ['imports.title', 'imports.open', 'imports.send'],
  ['members.addTitle', 'members.add'],
  ['members.removeTitle', 'members.remove'],
  ['network.openTitle', 'network.open'],
  ['pairing.title', 'equipment.pair'],
  ['studyForm.editTitle', 'lifecycle.rename'],
  ['studyForm.newTitle', 'studyList.new', 'studyForm.create'],
  ['subjectForm.editTitle', 'subjectActions.edit'],
  ['subjectForm.newTitle', 'subjectActions.new', 'subjectForm.create'],
  ['today.snoozeTitle', 'today.snooze'],
  ['token.title', 'subjectActions.token', 'token.make'],
  ['uploads.acceptTitle', 'uploads.accept'],
  ['uploads.rejectTitle', 'uploads.reject'],
  ['users.addTitle', 'users.add', 'users.create'],
  ['users.codeTitle', 'users.makeCode'],
  ['users.disableTitle', 'users.disable'],
  ['users.roleTitle', 'users.changeRole'],
  ['webhooks.addTitle', 'webhooks.add', 'webhooks.create'],
  ['webhooks.editTitle', 'webhooks.edit'],
];

/** Accessible names of buttons whose visible words are shorter. */
const NAMED_BUTTONS: [visible: string, accessible: string][] = [
  ['backups.delete', 'backups.deleteOf'],
  ['backups.verify', 'backups.verifyOf'],
  ['exports.cancel', 'exports.cancelOf'],
  ['exports.changesSince', 'exports.changesOf'],
  ['exports.download', 'exports.downloadOf'],
  ['jobs.cancel', 'jobs.cancelOf'],
  ['jobs.retry', 'jobs.retryOf'],
  ['jobs.retry', 'mail.retryOf'],
  ['labels.edit', 'labels.editOf'],
  ['members.remove', 'members.removeOf'],
  ['recordings.download', 'recordings.downloadCodedOf'],
  ['recordings.download', 'recordings.downloadOf'],
  ['recordings.otherFormats', 'recordings.otherFormatsOf'],
  ['today.snooze', 'today.snoozeOf'],
  ['today.unsnooze', 'today.unsnoozeOf'],
  ['users.changeRole', 'users.roleOf'],
  ['users.code', 'users.codeOf'],
  ['users.disable', 'users.disableOf'],
  ['users.enable', 'users.enableOf'],
  ['viewer.open', 'viewer.openOf'],
  ['webhooks.redeliver', 'webhooks.redeliverOf'],
];

/** What cannot be undone: only before it does a title ask. */
const IRREVERSIBLE = [
  'backups.deleteTitle',
  'builder.leaveTitle',
  'builder.replaceTitle',
  'erasure.title',
  'exports.deleteTitle',
  'filters.deleteTitle',
  'lifecycle.start.title',
  'lifecycle.stop.title',
  'live.removeTitle',
  'mail.removeTitle',
  'messages.batch.previewTitle_other',
  'network.replaceTitle',
  'phone.activity.endEarlyTitle',
  'phone.confirm.noTitle',
  'phone.leave.sure',
  'phone.locked.forgottenTitle',
  'phone.today.discardTitle',
  'phone.waiting.removeTitle',
  'trust.own.removeTitle',
  'webhooks.deleteTitle',
  'webhooks.rotateTitle',
];

describe('the terms of the Japanese texts', () => {
  it.each(AVOIDED)('%s', (_, avoided, allowed) => {
    expect(offenders(avoided, allowed)).toEqual([]);
  });

  it('names equipment with its faults wherever a text is only that word', () => {
    expect(offenders(/^不具合$|^不具合 ?\{\{/)).toEqual([]);
  });

  it('allows words only to texts that exist', () => {
    const keys = new Set(all.map(([key]) => key));
    const unknown = [
      ...AVOIDED.flatMap(([, , allowed = []]) => allowed),
      ...DIALOGS.flat(),
      ...NAMED_BUTTONS.flat(),
      ...IRREVERSIBLE,
    ].filter((name) => (name.endsWith('.') ? ![...keys].some((key) => key.startsWith(name)) : !keys.has(name)));
    expect(unknown).toEqual([]);
  });
});

describe('the style of the Japanese texts', () => {
  it('writes to nobody in particular, without exclamation', () => {
    expect(offenders(/あなた|お客様|ご覧|お(送り|渡し)ください|させていただ|[！!]/)).toEqual([]);
  });

  it('says さん of users of the desk only, and 様 in mails', () => {
    expect(
      offenders(/さん/, [
        'account.signedInAs',
        'filters.sharedBy',
        'lock.help',
        'members.',
        'sessions.',
        'signIn.endedHelp',
        'signInOf.',
        'today.snoozedBy',
        'users.',
      ]),
    ).toEqual([]);
    expect(offenders(/(?<!模|同|仕)様/, ['src-server/api/resources/access/password-mail.ts'])).toEqual([]);
  });

  it('leaves キャンセル to dialogs', () => {
    expect(offenders(/キャンセル/, ['builder.leaveHelp', 'form.cancel', 'phone.frame.cancel'])).toEqual([]);
  });

  it('says what happened and what to do in two sentences at most', () => {
    expect(all.filter(([key, words]) => textOf.has(key) && words.split('。').length > 3)).toEqual([]);
  });

  it('separates numbers from Latin units with one space, from Japanese units and % with none', () => {
    expect(offenders(/[0-9}] +(?=%|[件名台回拍分秒日人枚行歩]|時間)/)).toEqual([]);
    expect(offenders(/([0-9}]| {2,})(Hz|ms|cm|kg|[kMGT]B|mm|mV|µs|bpm|px)/)).toEqual([]);
    expect(offenders(/^[^\s{}。、：（]+\{\{\w+\}\}[件名台]$/)).toEqual([]);
  });

  it('writes ranges with 〜 and fractions with a slash', () => {
    expect(offenders(/[0-9}] ?[–—～] ?[0-9{]/)).toEqual([]);
    expect(offenders(/[0-9}]\s*／|\{\{\w+\}\}\/\{\{/)).toEqual([]);
    // Only sentences for the ear say it in words.
    expect(offenders(/件中|台中/, ['builder.moved', 'adherence.sentence.', 'adherence.strip.'])).toEqual([]);
  });

  it('keeps the long vowel of katakana', () => {
    expect(
      offenders(
        /(サーバ|フォルダ|ユーザ|メモリ|コンピュータ|ブラウザ|センサ|フィルタ|タイマ|キャリパ|プリンタ|ルータ|ヘッダ)(?!ー)|モニタ(?!ー|リング)/,
      ),
    ).toEqual([]);
  });

  it('names keys as they are printed', () => {
    expect(
      offenders(/Shiftと|Control|PageUp|PageDown|スペースキー|左右キー|上下キー|(Enter|Esc|Shift|Ctrl|Alt)で/),
    ).toEqual([]);
  });

  it('opens pages with を開く and does things with a noun', () => {
    expect(offenders(/を見る$|をご確認/)).toEqual([]);
    // Options to tick are whole statements.
    expect(offenders(/を[\u30a1-\u30ff\u4e00-\u9fff]{2,}する$/, ['builder.motion', 'uploads.acceptTitle'])).toEqual([]);
  });

  it('asks before what cannot be undone, and nowhere else', () => {
    expect(
      desk
        .filter(([, words]) => words.includes('ますか？') && !words.includes('いますか？'))
        .map(([key]) => key)
        .sort(),
    ).toEqual(IRREVERSIBLE);
  });

  it.each(DIALOGS)('%s has the words of its buttons', (title, ...buttons) => {
    for (const button of buttons) expect(text(title).endsWith(text(button)), text(button)).toBe(true);
  });

  it.each(NAMED_BUTTONS)('%s is in %s', (visible, accessible) => {
    expect(text(accessible)).toContain(text(visible));
  });

  it('speaks of research, never of care or of events of a trial', () => {
    expect(
      offenders(/異常|不整脈|診断|監視|警報|リアルタイム|後ろ向き|脱落|逸脱|有害事象|同意撤回/, [
        'app.retrospective',
        'src-server/site/set-up/words.ts',
      ]),
    ).toEqual([]);
  });
});
