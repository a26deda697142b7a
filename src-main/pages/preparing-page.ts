import { escapeHtml } from '../../src-server/site/set-up/document.ts';
import { pageUrl } from './page.ts';
import { type PageLanguage, preparingWords } from './words.ts';

/** Returns a page, as a data URL, for the minutes in which a site of an older version is brought to the present form. */
export const preparingPage = (language: PageLanguage): string => {
  const { title, help } = preparingWords[language];
  return pageUrl(language, title, `<h1>${escapeHtml(title)}</h1><p role="status">${escapeHtml(help)}</p>`, '');
};
