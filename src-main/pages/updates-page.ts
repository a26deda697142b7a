/** The page of updates, as a data URL. What it shows comes whole from the main process, and is only ever set as text. */
import { escapeHtml } from '../../src-server/site/set-up/document.ts';
import type { UpdatesView } from '../desktop-api.ts';
import { pageUrl } from './page.ts';
import { updatesWords } from './updates-words.ts';
import type { PageLanguage } from './words.ts';

/** How often the page asks how far a step is. */
const LOOK_EVERY_MS = 500;

const script = `const desktop = window.outpostDesktop;
const find = (selector) => document.querySelector(selector);
const make = (name, text) => Object.assign(document.createElement(name), { textContent: text });
let shown = '';
const show = (view) => {
  const text = JSON.stringify(view);
  if (text === shown) return;
  const isSame = shown !== '' && JSON.stringify(JSON.parse(shown).buttons) === JSON.stringify(view.buttons);
  shown = text;
  find('h1').textContent = view.title;
  find('.sentences').replaceChildren(...view.sentences.map((one) => make('p', one)));
  find('.problem').textContent = view.problem ?? '';
  find('.status').textContent = view.status ?? '';
  find('dl').replaceChildren(...view.facts.flatMap(([name, value]) => [make('dt', name), make('dd', value)]));
  find('.question').hidden = !view.question;
  if (view.question) {
    find('.question label').textContent = view.question.label;
    const go = find('.question button');
    go.textContent = view.question.button;
    go.dataset.step = view.question.step;
  }
  if (!isSame) {
    const buttons = view.buttons.map(({ step, label, isPrimary }) => {
      const button = Object.assign(make('button', label), { type: 'button', className: isPrimary ? 'primary' : '' });
      button.dataset.step = step;
      return button;
    });
    find('.steps').replaceChildren(...buttons);
    (find('.steps .primary') ?? find('.steps button'))?.focus();
  }
};
let asked = 0;
let last = Promise.resolve();
const ask = (step, words) => {
  asked++;
  last = last.then(async () => show(await desktop.updates(step, words))).catch(() => {}).finally(() => { asked--; });
};
document.addEventListener('click', ({ target }) => {
  const button = target.closest('button[data-step]');
  if (button) ask(button.dataset.step, find('input').value);
});
show(JSON.parse(document.body.querySelector('[data-view]').dataset.view));
if (desktop) setInterval(() => { if (asked === 0) ask('view', ''); }, ${LOOK_EVERY_MS});`;

const STYLE = `.sentences p { margin: 0 0 0.75rem; white-space: pre-line; }
.status:empty { display: none; }
p.problem { margin-bottom: 1rem; }
.question { margin: 0 0 1.5rem; }
.question button { justify-self: start; margin-top: 0.5rem; }`;

export const updatesPage = (view: UpdatesView, language: PageLanguage): string => {
  const body = `<style>${STYLE}</style><div data-view="${escapeHtml(JSON.stringify(view))}"><h1>${escapeHtml(view.title)}</h1>
<div class="sentences"></div><p class="problem" role="alert"></p><p class="status" role="status"></p><dl></dl>
<div class="field question" hidden><label for="words"></label><input id="words" maxlength="500" autocomplete="off"><button type="button"></button></div>
<div class="actions steps"></div></div>`;
  return pageUrl(language, view.title, body, script);
};

/** Shown while a new version tests itself. */
export const testingPage = (language: PageLanguage): string => {
  const { testing, testingHelp } = updatesWords[language];
  const body = `<h1>${escapeHtml(testing)}</h1><p class="lead" role="status">${escapeHtml(testingHelp)}</p>`;
  return pageUrl(language, testing, body, '');
};
