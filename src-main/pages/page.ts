import { createHash } from 'node:crypto';
import tokens from '../../src-renderer/shared/tokens.css?raw';
import type { PageLanguage } from './words.ts';

/** Text made safe for HTML, in content and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const style = `${tokens}
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: var(--space-5); background: var(--ground);
  color: var(--text); font: var(--weight-normal) var(--size-lead)/var(--leading) var(--font); }
main { width: min(36rem, 100%); background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-large);
  box-shadow: var(--shadow-raised); padding: var(--space-6); }
h1 { margin: 0 0 var(--space-3); font-size: var(--size-figure); line-height: 1.25; text-wrap: balance; }
p { margin: 0 0 var(--space-4); }
dl { margin: 0 0 var(--space-5); padding: var(--space-3) var(--space-4); background: var(--surface-sunken);
  border-radius: var(--radius); font-size: var(--size-body); }
dt { color: var(--text-muted); }
dd { margin: 0 0 var(--space-2); overflow-wrap: anywhere; user-select: text; }
dd:last-child { margin-bottom: 0; }
h2 { margin: 0 0 var(--space-2); font-size: var(--size-title); }
form { display: grid; gap: var(--space-4); }
[hidden] { display: none; }
fieldset { display: grid; gap: var(--space-3); margin: 0; padding: 0; border: 0; min-width: 0; }
fieldset p { margin: 0; color: var(--text-muted); font-size: var(--size-body); }
fieldset dl { margin: 0; }
legend { padding: 0; margin-bottom: var(--space-1); font-size: var(--size-title); font-weight: var(--weight-strong); }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: var(--space-3); }
section { margin-top: var(--space-5); padding-top: var(--space-5); border-top: 1px solid var(--line); }
section > p { color: var(--text-muted); font-size: var(--size-body); }
label { display: grid; gap: var(--space-1); font-weight: var(--weight-strong); font-size: var(--size-body); }
small { font-weight: var(--weight-normal); color: var(--text-muted); font-size: var(--size-small); }
input { font: inherit; font-weight: var(--weight-normal); height: 2.25rem; padding: 0 var(--space-3); color: var(--text);
  background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--radius-small); }
.actions { display: flex; flex-wrap: wrap; gap: var(--space-3); }
button { font: inherit; min-height: 2.25rem; padding: 0 var(--space-4); border-radius: var(--radius); cursor: pointer;
  border: 1px solid var(--line-strong); background: var(--surface); color: var(--text); }
button:hover { background: var(--surface-hover); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
button.primary:hover { background: var(--accent-hover); }
button:disabled { cursor: progress; opacity: 0.7; }
:focus-visible { outline: none; box-shadow: var(--ring); }
.problem { margin: 0; color: var(--bad); }
.problem:empty { display: none; }
`;

/**
 * A page that needs no server, as an address to load. Its policy lets nothing run but the one script given.
 *
 * @param body trusted HTML; foreign text in it must have gone through `escapeHtml`
 */
export const pageUrl = (language: PageLanguage, title: string, body: string, script: string): string => {
  const scriptHash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${scriptHash}'; base-uri 'none'; form-action 'none'`;
  const html = `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main>${body}</main><script>${script}</script></body></html>`;
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`;
};
