import { escapeHtml, pageUrl } from './page.ts';
import { commonWords, type PageLanguage, setUpWords } from './words.ts';

const script = `const form = document.querySelector('form');
const button = form.querySelector('button.primary');
const problem = document.querySelector('.problem');
form.elements.timeZone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const label = button.textContent;
  button.disabled = true;
  button.textContent = button.dataset.busy;
  problem.textContent = '';
  const outcome = await window.outpostDesktop.createSite(Object.fromEntries(new FormData(form)));
  if (!outcome.ok) {
    problem.textContent = outcome.message;
    button.disabled = false;
    button.textContent = label;
  }
});
document.querySelector('button[data-action]').addEventListener('click', () => { window.outpostDesktop.chooseFolder(); });
form.elements.account.focus();`;

/** Asks for what a new site needs, as an address to load. */
export const setUpPage = (siteDir: string, language: PageLanguage): string => {
  const words = setUpWords[language];
  const field = (name: string, text: string, attributes: string, hint = '') =>
    `<label>${escapeHtml(text)}<input name="${name}" required ${attributes}>${hint === '' ? '' : `<small>${escapeHtml(hint)}</small>`}</label>`;
  const body = `<h1>${escapeHtml(words.title)}</h1><p>${escapeHtml(words.intro)}</p>
<dl><dt>${commonWords[language].folder}</dt><dd>${escapeHtml(siteDir)}</dd></dl>
<form>${field('account', words.account, 'autocomplete="organization"')}
${field('email', words.email, 'type="email" autocomplete="username"')}
${field('password', words.password, 'type="password" minlength="8" maxlength="64" autocomplete="new-password"', words.passwordHint)}
${field('timeZone', words.timeZone, 'autocomplete="off" spellcheck="false"')}
<p class="problem" role="alert"></p>
<div class="actions"><button class="primary" data-busy="${escapeHtml(words.creating)}">${escapeHtml(words.create)}</button>
<button type="button" data-action="chooseFolder">${escapeHtml(words.openOther)}</button></div></form>`;
  return pageUrl(language, words.title, body, script);
};
