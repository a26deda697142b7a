import { escapeHtml } from '../../src-server/site/set-up/document.ts';
import { languageButtons, REVEAL_SCRIPT, setUpFields } from '../../src-server/site/set-up/form.ts';
import { setUpWords } from '../../src-server/site/set-up/words.ts';
import type { SiteWishes } from '../desktop-api.ts';
import { pageUrl } from './page.ts';
import { demoWords, type PageLanguage } from './words.ts';

const script = `${REVEAL_SCRIPT}
const form = document.querySelector('form');
const demo = document.querySelector('.demo');
const show = (problem, outcome) => {
  problem.textContent = outcome.ok ? '' : outcome.message;
  const wrong = outcome.ok ? {} : outcome.fields ?? {};
  for (const note of form.querySelectorAll('[data-field]')) {
    const text = wrong[note.dataset.field] ?? '';
    note.textContent = text;
    form.elements[note.dataset.field].toggleAttribute('aria-invalid', false);
    if (text) form.elements[note.dataset.field].setAttribute('aria-invalid', 'true');
  }
  form.querySelector('[aria-invalid]')?.focus();
};
const typed = () => Object.fromEntries(new FormData(form));
const busy = async (button, run) => {
  const label = button.textContent;
  const others = document.querySelectorAll('button');
  for (const other of others) other.disabled = true;
  button.textContent = button.dataset.busy;
  const outcome = await run();
  if (!outcome.ok) {
    for (const other of others) other.disabled = false;
    button.textContent = label;
  }
  return outcome;
};
void window.outpostDesktop.takeTypedPassword().then((password) => { form.elements.password.value ||= password; });
form.elements.timeZone.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const problem = form.querySelector('.problem');
  problem.textContent = '';
  show(problem, await busy(form.querySelector('button.primary'), () => window.outpostDesktop.createSite(typed())));
});
for (const button of document.querySelectorAll('[name=language]')) {
  button.addEventListener('click', () => { window.outpostDesktop.chooseLanguage(button.value, typed()); });
}
document.querySelector('button[data-action]').addEventListener('click', () => { window.outpostDesktop.chooseFolder(); });
demo.querySelector('button').addEventListener('click', async (event) => {
  const problem = demo.querySelector('.problem');
  problem.textContent = '';
  const outcome = await busy(event.target, () => window.outpostDesktop.openDemo());
  show(problem, outcome);
  if (!outcome.ok) return;
  const ready = document.querySelector('.ready');
  ready.querySelector('[data-value=email]').textContent = outcome.email;
  ready.querySelector('[data-value=password]').textContent = outcome.password;
  ready.hidden = false;
  for (const done of [form, demo, document.querySelector('.languages').parentElement]) done.hidden = true;
  const open = ready.querySelector('button');
  open.disabled = false;
  open.addEventListener('click', () => { window.outpostDesktop.retry(); });
  open.focus();
});
if (!form.elements.account.value) form.elements.account.focus();`;

/** Returns the set-up page, which also offers the demo, as a data URL. */
export const setUpPage = (siteDir: string, language: PageLanguage, typed: Partial<SiteWishes> = {}): string => {
  const words = setUpWords[language];
  const demo = demoWords[language];
  const body = `<div>${languageButtons(language, 'type="button"')}</div>
<h1>${words.title}</h1><p class="lead">${words.intro}</p>
<form><p class="problem" role="alert"></p>${setUpFields(language, siteDir, typed)}
<div class="actions"><button class="primary" data-busy="${escapeHtml(words.creating)}">${words.create}</button>
<button type="button" data-action="chooseFolder">${demo.openOther}</button></div></form>
<section class="demo"><h2>${demo.title}</h2><p>${demo.help}</p>
<p class="problem" role="alert"></p>
<div class="actions"><button type="button" data-busy="${escapeHtml(demo.making)}">${demo.make}</button></div></section>
<section class="ready" hidden aria-live="polite"><h2>${demo.ready}</h2><p>${escapeHtml(demo.readyHelp)}</p>
<dl><dt>${words.email}</dt><dd data-value="email"></dd><dt>${words.password}</dt><dd data-value="password"></dd></dl>
<div class="actions"><button type="button" class="primary">${demo.open}</button></div></section>`;
  return pageUrl(language, words.title, body, script);
};
