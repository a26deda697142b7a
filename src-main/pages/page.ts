import { createHash } from 'node:crypto';
import { startDocument } from '../../src-server/site/set-up/document.ts';
import type { PageLanguage } from './words.ts';

/**
 * Returns a self-contained page as a data URL. Its content security policy allows only the given script.
 *
 * @param body trusted HTML; foreign text in it must have gone through `escapeHtml`
 */
export const pageUrl = (language: PageLanguage, title: string, body: string, script: string): string => {
  const scriptHash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${scriptHash}'; base-uri 'none'; form-action 'none'`;
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const html = startDocument(language, title, head, `${body}<script>${script}</script>`);
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`;
};
