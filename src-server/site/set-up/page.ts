/** The page of the first run without a window: a plain form, so that it needs no script and no file. */
import type { NewSite } from '../folder.ts';

export type SetUpLanguage = 'en' | 'ja';

const WORDS = {
  en: {
    title: 'Create a site',
    intro: 'A site is one folder that holds your studies and recordings. Nothing leaves this computer.',
    folder: 'Folder',
    siteStep: '1. The site',
    siteStepHelp:
      'Its name is shown on every page, in e-mails and on devices that pair with it. You can change it later.',
    account: 'Organisation',
    timeZone: 'Time zone',
    timeZoneHelp: 'Where the clinic is, such as US/Eastern. Every subject has a zone of their own later.',
    personStep: '2. The first administrator',
    personStepHelp: 'You. An administrator adds all other users, makes backups and sees every study.',
    firstName: 'First name',
    lastName: 'Last name',
    email: 'Your e-mail address',
    password: 'Password',
    passwordHelp: '8 to 64 characters. Keep it safe: without another administrator nobody can reset it.',
    create: 'Create the site',
    demo: 'To look around first, stop this and run “outpost demo”: it makes a site of its own with invented people.',
    doneTitle: 'The site is made',
    done: 'It opens in a moment.',
    open: 'Open it now',
  },
  ja: {
    title: '施設データを作成',
    intro:
      '施設データは、研究と記録を保存する1つのフォルダーです。データがこのコンピューターの外に出ることはありません。',
    folder: 'フォルダー',
    siteStep: '1. 施設',
    siteStepHelp: '名前は各ページ、メール、ペアリングする端末に表示されます。後で変更できます。',
    account: '組織名',
    timeZone: 'タイムゾーン',
    timeZoneHelp: '施設の所在地です（例：Asia/Tokyo）。被験者ごとのタイムゾーンは後で設定します。',
    personStep: '2. 最初の管理者',
    personStepHelp: 'あなたのことです。管理者はユーザーの追加、バックアップ、すべての研究の閲覧ができます。',
    firstName: '名',
    lastName: '姓',
    email: 'あなたのメールアドレス',
    password: 'パスワード',
    passwordHelp: '8〜64文字。大切に保管してください。他に管理者がいないと再設定できません。',
    create: '施設データを作成',
    demo: '先にデモを見るには、これを終了して「outpost demo」を実行してください。架空の人物による独立した施設データが作られます。',
    doneTitle: '施設データを作成しました',
    done: 'まもなく開きます。',
    open: '今すぐ開く',
  },
} as const satisfies Record<SetUpLanguage, Record<string, string>>;

const STYLE = `:root { color-scheme: light dark; --line: light-dark(#7f8d8a, #6f8280); --muted: light-dark(#475553, #b0bfbc);
  --accent: light-dark(#0b6a70, #62c9c3); --on: light-dark(#fff, #062a2b); --bad: light-dark(#a92a22, #f28f83); }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: light-dark(#f3f5f4, #0f1517); color: light-dark(#14211f, #e7eeec);
  font: 0.9375rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: 2rem; border-radius: 12px; background: light-dark(#fff, #171f22); }
h1 { margin: 0 0 0.75rem; font-size: 1.375rem; } p { margin: 0 0 1rem; }
form, fieldset { display: grid; gap: 1rem; margin: 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; font-size: 1.125rem; font-weight: 600; } fieldset p, small { margin: 0; color: var(--muted); }
label { display: grid; gap: 0.25rem; font-weight: 600; } small { font-weight: 400; font-size: 0.8125rem; }
input { min-height: 2.375rem; padding: 0 0.75rem; border: 1px solid var(--line); border-radius: 7px; background: none;
  color: inherit; font: inherit; font-weight: 400; }
button { min-height: 2.375rem; padding: 0 1rem; border: 0; border-radius: 7px; background: var(--accent); color: var(--on);
  font: inherit; font-weight: 600; }
:focus-visible { outline: 2px solid light-dark(#0b5fd0, #8cc2ff); outline-offset: 2px; }
.problem { color: var(--bad); } code { overflow-wrap: anywhere; } a { color: var(--accent); }`;

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const document = (language: SetUpLanguage, title: string, head: string, body: string): string =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style>${head}</head><body><main>${body}</main></body></html>`;

/** The form, with what was typed and why it was refused. A password is never sent back. */
export function setUpForm(
  language: SetUpLanguage,
  dir: string,
  typed: Partial<NewSite>,
  problem: string | undefined,
): string {
  const words = WORDS[language];
  const field = (name: keyof NewSite, attributes: string, help?: string) =>
    `<label>${words[name]}<input name="${name}" required ${attributes} value="${escapeHtml(name === 'password' ? '' : (typed[name] ?? ''))}">${help === undefined ? '' : `<small>${help}</small>`}</label>`;
  return document(
    language,
    words.title,
    '',
    `<h1>${words.title}</h1><p>${words.intro}</p><form method="post">
<fieldset><legend>${words.siteStep}</legend><p>${words.siteStepHelp}</p><p>${words.folder}: <code>${escapeHtml(dir)}</code></p>
${field('account', 'autocomplete="organization"')}${field('timeZone', 'autocomplete="off" spellcheck="false"', words.timeZoneHelp)}</fieldset>
<fieldset><legend>${words.personStep}</legend><p>${words.personStepHelp}</p>
${field('firstName', 'autocomplete="given-name"')}${field('lastName', 'autocomplete="family-name"')}
${field('email', 'type="email" autocomplete="username"')}
${field('password', 'type="password" minlength="8" maxlength="64" autocomplete="new-password"', words.passwordHelp)}</fieldset>
${problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<button>${words.create}</button></form><p></p><p><small>${words.demo}</small></p>`,
  );
}

/** The site starts at the same address in a moment. */
export function setUpDone(language: SetUpLanguage): string {
  const words = WORDS[language];
  return document(
    language,
    words.doneTitle,
    '<meta http-equiv="refresh" content="3;url=/">',
    `<h1>${words.doneTitle}</h1><p>${words.done}</p><p><a href="/">${words.open}</a></p>`,
  );
}
