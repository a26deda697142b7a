import { escapeHtml, pageUrl } from './page.ts';
import { commonWords, type PageLanguage, setUpWords } from './words.ts';

const script = `const form = document.querySelector('form');
const demo = document.querySelector('.demo');
const show = (problem, outcome) => { problem.textContent = outcome.ok ? '' : outcome.message; };
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
form.elements.timeZone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const zone of Intl.supportedValuesOf('timeZone')) {
  const option = document.createElement('option');
  option.value = zone;
  document.querySelector('datalist').append(option);
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const problem = form.querySelector('.problem');
  problem.textContent = '';
  const site = Object.fromEntries(new FormData(form));
  show(problem, await busy(form.querySelector('button.primary'), () => window.outpostDesktop.createSite(site)));
});
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
  form.hidden = true;
  demo.hidden = true;
  const open = ready.querySelector('button');
  open.disabled = false;
  open.addEventListener('click', () => { window.outpostDesktop.retry(); });
  open.focus();
});
form.elements.account.focus();`;

/** Asks for what a new site needs, each step with what it is for, or offers the demo; as an address to load. */
export const setUpPage = (siteDir: string, language: PageLanguage): string => {
  const words = setUpWords[language];
  const common = commonWords[language];
  const field = (name: string, text: string, attributes: string, hint = '') =>
    `<label>${escapeHtml(text)}<input name="${name}" required ${attributes}>${hint === '' ? '' : `<small>${escapeHtml(hint)}</small>`}</label>`;
  const step = (title: string, help: string, fields: string) =>
    `<fieldset><legend>${escapeHtml(title)}</legend><p>${escapeHtml(help)}</p>${fields}</fieldset>`;
  const body = `<h1>${escapeHtml(words.title)}</h1><p>${escapeHtml(words.intro)}</p>
<form>${step(
    words.siteStep,
    words.siteStepHelp,
    `<dl><dt>${common.folder}</dt><dd>${escapeHtml(siteDir)}</dd></dl>${field('account', words.account, 'autocomplete="organization"')}
${field('timeZone', words.timeZone, 'list="zones" autocomplete="off" spellcheck="false"', words.timeZoneHint)}<datalist id="zones"></datalist>`,
  )}
${step(
  words.personStep,
  words.personStepHelp,
  `<div class="pair">${field('firstName', words.firstName, 'autocomplete="given-name"')}${field('lastName', words.lastName, 'autocomplete="family-name"')}</div>
${field('email', words.email, 'type="email" autocomplete="username"')}
${field('password', words.password, 'type="password" minlength="8" maxlength="64" autocomplete="new-password"', words.passwordHint)}`,
)}
<p class="problem" role="alert"></p>
<div class="actions"><button class="primary" data-busy="${escapeHtml(words.creating)}">${escapeHtml(words.create)}</button>
<button type="button" data-action="chooseFolder">${escapeHtml(words.openOther)}</button></div></form>
<section class="demo"><h2>${escapeHtml(words.demoTitle)}</h2><p>${escapeHtml(words.demoHelp)}</p>
<p class="problem" role="alert"></p>
<div class="actions"><button type="button" data-busy="${escapeHtml(words.demoMaking)}">${escapeHtml(words.demoMake)}</button></div></section>
<section class="ready" hidden aria-live="polite"><h2>${escapeHtml(words.demoReady)}</h2><p>${escapeHtml(words.demoReadyHelp)}</p>
<dl><dt>${escapeHtml(words.email)}</dt><dd data-value="email"></dd><dt>${escapeHtml(words.password)}</dt><dd data-value="password"></dd></dl>
<div class="actions"><button type="button" class="primary">${escapeHtml(words.demoOpen)}</button></div></section>`;
  return pageUrl(language, words.title, body, script);
};
