import type { OutpostError } from '../../src-server/errors.ts';
import { escapeHtml } from '../../src-server/site/set-up/document.ts';
import { pageUrl } from './page.ts';
import { RECOVERY_SCRIPT, recoveryKindOf, recoverySection } from './recovery-section.ts';
import { actionWords, commonWords, type FailureAction, failureWords, type PageLanguage } from './words.ts';

const script = `${RECOVERY_SCRIPT}
for (const button of document.querySelectorAll('button[data-action]')) {
  button.addEventListener('click', async () => {
    if (button.ariaDisabled) return;
    button.ariaDisabled = 'true';
    try { await window.outpostDesktop[button.dataset.action](); } finally { button.ariaDisabled = null; }
  });
}
document.querySelector('button[data-action]').focus();`;

/**
 * Returns a page, as a data URL, that explains why the site did not open and offers actions.
 *
 * @param hasSites whether there are recent sites to choose from
 */
export const failurePage = (error: OutpostError, siteDir: string, language: PageLanguage, hasSites = false): string => {
  const { title, advice, actions: usual } = failureWords(error, language);
  const kind = recoveryKindOf(error);
  const actions: FailureAction[] = hasSites ? [...usual.slice(0, -1), 'showSites', ...usual.slice(-1)] : usual;
  const words = commonWords[language];
  const buttons = actions.map(
    (action, i) =>
      `<button type="button" data-action="${action}"${i === 0 && !kind ? ' class="primary"' : ''}>${escapeHtml(actionWords[language][action])}</button>`,
  );
  const body = `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(advice)}</p>
<dl><dt>${words.folder}</dt><dd>${escapeHtml(siteDir)}</dd><dt>${words.details}</dt><dd>${escapeHtml(error.message)}</dd>
<dt>${words.code}</dt><dd>${error.code}</dd></dl><div class="actions">${buttons.join('')}</div>${kind ? recoverySection(kind, language) : ''}`;
  return pageUrl(language, title, body, script);
};
