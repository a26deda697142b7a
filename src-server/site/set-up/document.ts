/** HTML frame and styles of the pages shown before the desk is available. It needs no other files. */
import type { SetUpLanguage } from './words.ts';
import { setUpWords } from './words.ts';

/** Subset of the desk's design tokens (tokens.css). */
const STYLE = `:root { color-scheme: light dark; --ground: light-dark(#f3f5f4, #0f1517); --surface: light-dark(#fff, #171f22);
  --sunken: light-dark(#eaeeed, #121a1c); --hover: light-dark(#f0f4f3, #1f2a2e); --selected: light-dark(#dff0ee, #17393c);
  --rail: light-dark(#0d3b45, #0b1a1e); --rail-text: light-dark(#d4e6e6, #a9bec0); --rail-strong: light-dark(#fff, #eaf5f4);
  --text: light-dark(#14211f, #e7eeec); --muted: light-dark(#475553, #b0bfbc); --line: light-dark(#d8dfdd, #2b373a);
  --line-strong: light-dark(#7f8d8a, #6f8280); --accent: light-dark(#0b6a70, #62c9c3); --accent-hover: light-dark(#08545a, #86dad4);
  --on-accent: light-dark(#fff, #062a2b); --bad: light-dark(#a92a22, #f28f83); --bad-soft: light-dark(#fbe4e1, #431a16);
  --focus: light-dark(#0b5fd0, #8cc2ff); }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { height: 100%; }
body { display: grid; grid-template-columns: minmax(14rem, 4fr) 8fr; margin: 0; background: var(--ground); color: var(--text);
  font: 0.875rem/1.5 "Segoe UI Variable Text", "Segoe UI", system-ui, -apple-system, "Hiragino Sans", "Yu Gothic UI", "Meiryo",
    "Noto Sans CJK JP", "Noto Sans JP", sans-serif; }
:lang(ja) { line-height: 1.65; line-break: strict; word-break: auto-phrase; }
aside { position: sticky; top: 0; display: flex; flex-direction: column; justify-content: space-between; gap: 2rem; height: 100vh;
  padding: 2rem; background: var(--rail); color: var(--rail-text); font-size: 0.75rem; }
aside p { margin: 0; }
.brand { display: flex; align-items: center; gap: 0.75rem; color: var(--rail-strong); font-size: 1.125rem; font-weight: 600; }
.trace { width: 100%; opacity: 0.7; }
main { width: min(36rem, 100% - 3rem); margin: 0 auto; padding: 2.5rem 0 3rem; }
main:not(:has(form)) { align-self: center; }
h1 { margin: 0 0 0.5rem; font-size: 1.375rem; line-height: 1.3; text-wrap: balance; }
h2 { margin: 0 0 0.25rem; font-size: 1.0625rem; }
p { margin: 0 0 1rem; }
.lead { color: var(--muted); }
form, fieldset { display: grid; gap: 1rem; min-width: 0; margin: 0; padding: 0; border: 0; }
form { gap: 2rem; }
.fields { display: grid; gap: 1rem; padding: 1.25rem 1.5rem 1.5rem; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); }
legend { padding: 0; margin-bottom: 0.75rem; font-size: 1.0625rem; font-weight: 600; }
fieldset p, small, .hint { margin: 0; color: var(--muted); font-size: 0.8125rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; }
.field { display: grid; align-content: start; gap: 0.25rem; } label { font-weight: 600; } small:empty { display: none; }
small.problem { color: var(--bad); }
p.problem:empty { display: none; }
p.problem { margin: 0; padding: 0.625rem 0.875rem; border: 1px solid var(--bad); border-radius: 7px; background: var(--bad-soft); }
input { width: 100%; min-height: 2.375rem; padding: 0 0.75rem; border: 1px solid var(--line-strong); border-radius: 7px;
  background: var(--surface); color: inherit; font: inherit; }
input[aria-invalid="true"] { border-color: var(--bad); }
.reveal { grid-area: 1 / 2; min-height: 1.5rem; padding: 0 0.5rem; border-color: transparent; color: var(--accent); font-size: 0.8125rem; }
.reveal[aria-pressed="true"] { border-color: var(--accent); background: var(--selected); }
.field:has(.reveal) { grid-template-columns: 1fr auto; }
.field:has(.reveal) > :is(input, small) { grid-column: 1 / -1; }
.visually-hidden { position: absolute; width: 1px; height: 1px; min-height: 0; padding: 0; overflow: hidden; clip-path: inset(50%); }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; margin: 0 0 1rem; padding: 0.75rem 1rem; border-radius: 7px;
  background: var(--sunken); }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; user-select: text; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; }
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.375rem; padding: 0 1rem; border: 1px solid
  var(--line-strong); border-radius: 7px; background: var(--surface); color: var(--text); font: inherit; font-weight: 600;
  text-decoration: none; cursor: pointer; user-select: none; }
button:hover { background: var(--hover); }
button.primary, .button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.primary:hover { background: var(--accent-hover); }
button:disabled, button[aria-disabled="true"] { cursor: progress; opacity: 0.7; }
.languages { display: inline-flex; gap: 2px; padding: 2px; border: 1px solid var(--line-strong); border-radius: 7px; background: var(--surface); }
.languages button { min-height: 1.75rem; padding: 0 0.625rem; border-color: transparent; border-radius: 5px; font-weight: 400; }
.languages button[aria-pressed="true"] { border-color: var(--accent); background: var(--selected); font-weight: 600; }
section { margin-top: 2rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
section.only { margin-top: 0; padding-top: 0; border-top: 0; }
section > p { color: var(--muted); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
@media (max-width: 48rem) {
  body { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
  aside { position: static; height: auto; padding: 0.75rem 1.5rem; }
  aside .trace, aside p { display: none; }
  main { padding: 1.5rem 0 2rem; }
}`;

const BRAND = `<span class="brand"><svg width="28" height="28" viewBox="0 0 32 32" fill="none" aria-hidden="true">
<path d="M3 18h7l3-9 5 15 3-8h8" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>Outpost</span>
<svg class="trace" viewBox="0 0 400 120" fill="none" aria-hidden="true"><path d="M0 70h52c6 0 8-9 14-9s8 9 14 9h10l5 9 9-62 9 84 8-31h14c9 0 12-16 22-16s13 16 22 16h32c6 0 8-9 14-9s8 9 14 9h10l5 9 9-62 9 84 8-31h14c9 0 12-16 22-16s13 16 22 16h47" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round"/></svg>`;

/** Escapes text for HTML content and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Renders a page. `head` and `body` are trusted HTML: untrusted text in them must be escaped by `escapeHtml`. */
export const startDocument = (language: SetUpLanguage, title: string, head: string, body: string): string =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
${head}<title>${escapeHtml(title)} · Outpost</title><style>${STYLE}</style></head>
<body><aside>${BRAND}<p>${setUpWords[language].retrospective}</p></aside><main>${body}</main></body></html>`;
