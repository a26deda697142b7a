import { escapeHtml } from '../../src-server/site/set-up/document.ts';
import type { SiteLine } from '../desktop-api.ts';
import { pageUrl } from './page.ts';
import { sitesWords } from './sites-words.ts';
import type { PageLanguage } from './words.ts';

/** How often the page looks again: a disk was connected, another program ended. */
const LOOK_EVERY_MS = 2000;

const script = `const list = document.querySelector('ul');
const problem = document.querySelector('.problem');
const desktop = window.outpostDesktop;
const show = (sites) => {
  for (const item of [...list.children]) {
    const site = sites.find(({ dir }) => dir === item.dataset.dir);
    if (!site) { item.remove(); continue; }
    const status = item.querySelector('.state');
    if (status.textContent !== site.status) status.textContent = site.status;
    item.querySelector('[data-do=openSite]').disabled = !site.canOpen;
  }
  list.hidden = list.children.length === 0;
  document.querySelector('.none').hidden = !list.hidden;
};
const look = async () => {
  show(await desktop.sites());
  setTimeout(look, ${LOOK_EVERY_MS});
};
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-do]');
  if (!button) return;
  const { do: method, value } = button.dataset;
  problem.textContent = '';
  const outcome = await desktop[method](...(value === undefined ? [] : [value]));
  if (outcome && !outcome.ok) problem.textContent = outcome.message;
  if (method === 'forgetSite') {
    const next = button.closest('li').nextElementSibling ?? button.closest('li').previousElementSibling;
    (next ?? document).querySelector(next ? '[data-do=forgetSite]' : '[data-do=chooseFolder]').focus();
    show(await desktop.sites());
  }
});
(document.querySelector('[data-do=openSite]:enabled') ?? document.querySelector('button')).focus();
if (desktop) look();`;

const STYLE = `.notice { margin: 0 0 1rem; padding: 0.75rem 1rem; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--surface); }
.sites { display: grid; gap: 0.75rem; margin: 0 0 1.5rem; padding: 0; list-style: none; }
.sites li { display: grid; grid-template-columns: 1fr auto; gap: 0.25rem 1rem; align-items: center; padding: 1rem 1.25rem;
  border: 1px solid var(--line); border-radius: 12px; background: var(--surface); }
.sites strong, .sites small { display: block; overflow-wrap: anywhere; }
.sites .state { grid-column: 1 / -1; margin: 0; color: var(--muted); font-size: 0.8125rem; }
.sites button:disabled { border-color: var(--line-strong); background: none; color: var(--muted); cursor: default; }`;

const item = (site: SiteLine, language: PageLanguage): string => {
  const words = sitesWords[language];
  const value = `data-value="${escapeHtml(site.dir)}"`;
  const label = (verb: string) => `aria-label="${escapeHtml(`${verb}: ${site.name}`)}"`;
  const open = site.isOpen ? words.back : words.open;
  return `<li data-dir="${escapeHtml(site.dir)}"><div><strong>${escapeHtml(site.name)}</strong><small>${escapeHtml(site.dir)}</small></div>
<div class="actions"><button type="button" class="primary" data-do="openSite" ${value} ${label(open)}${site.canOpen ? '' : ' disabled'}>${open}</button>
${site.isOpen ? '' : `<button type="button" data-do="forgetSite" ${value} ${label(words.forget)}>${words.forget}</button>`}</div>
<p class="state">${escapeHtml(site.status)}</p></li>`;
};

/**
 * Returns the page with the recent sites, as a data URL. It looks after the folders itself while it is shown.
 * @param notice why it is shown, when nobody asked for it
 */
export const sitesPage = (sites: readonly SiteLine[], language: PageLanguage, notice?: string): string => {
  const words = sitesWords[language];
  const body = `<style>${STYLE}</style><h1>${words.title}</h1><p class="lead">${words.lead}</p>
${notice === undefined ? '' : `<p class="notice" role="status">${escapeHtml(notice)}</p>`}<p class="problem" role="alert"></p><ul class="sites"${sites.length === 0 ? ' hidden' : ''}>${sites.map((site) => item(site, language)).join('')}</ul>
<p class="none"${sites.length === 0 ? '' : ' hidden'}>${words.none}</p>
<div class="actions"><button type="button" data-do="chooseFolder">${words.openFolder}</button>
<button type="button" data-do="newSite">${words.create}</button></div>`;
  return pageUrl(language, words.title, body, script);
};
