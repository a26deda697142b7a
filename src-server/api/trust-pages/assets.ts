/** Style and scripts of the page, served from memory. */
import { SEEN_PATH, TRUST_PATH } from './paths.ts';

/** A subset of the desk's design tokens (tokens.css). */
export const TRUST_STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f3f5f4, #0f1517);
  --surface: light-dark(#ffffff, #171f22);
  --text: light-dark(#14211f, #e7eeec);
  --muted: light-dark(#475553, #b0bfbc);
  --line: light-dark(#d8dfdd, #2b373a);
  --accent: light-dark(#0b6a70, #62c9c3);
  --accent-text: light-dark(#ffffff, #062a2b);
  --good: light-dark(#1d6b41, #6cc795);
  --bad: light-dark(#a92a22, #f28f83);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1.0625rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header { display: flex; justify-content: space-between; gap: 1rem; padding: 0.75rem 1rem 0; }
header small { color: var(--muted); padding-block: 0.5rem; }
header a { padding: 0.5rem; }
main { max-width: 40rem; padding: 0 1rem 3rem; }
h1 { margin: 0.5rem 0; font-size: 1.625rem; line-height: 1.25; }
h2 { display: inline; margin: 0; font-size: 1.125rem; }
section, details { margin-block: 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
section > p, section > ul { margin-block: 0.5rem 0; }
summary { padding-block: 0.25rem; cursor: pointer; }
ol, ul { padding-inline-start: 1.375rem; }
li { margin-block: 0.5rem; }
pre { margin: 0.5rem 0; font: 600 1rem/1.7 ui-monospace, monospace; white-space: pre-wrap; }
a { color: var(--accent); }
.name { font-weight: 600; }
.button, button { display: inline-block; min-height: 3rem; padding: 0.75rem 1.25rem; border: 0; border-radius: 8px; background: var(--accent); color: var(--accent-text); font: inherit; font-weight: 600; text-decoration: none; }
#app, button { margin-block-start: 0.75rem; margin-inline-end: 0.5rem; }
.back { display: inline-block; padding-block: 0.75rem; }
.result[data-state=trusted] { border-color: var(--good); }
.result[data-state=trusted] p { color: var(--good); font-weight: 600; }
.result[data-state=untrusted] p { color: var(--bad); font-weight: 600; }
[hidden] { display: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/**
 * Registers a service worker, which browsers refuse on a page whose certificate they do not trust, even when a person has dismissed
 * the warning. WebKit is asked for more: what a person dismissed there holds for workers too, but for one address only, so the
 * worker must reach the site at another.
 */
export const TRUST_SCRIPT = `const test = document.getElementById('test');
const result = document.getElementById('result');
const again = document.getElementById('again');
const app = document.getElementById('app');

function show(state) {
  test.dataset.state = state;
  result.textContent = test.dataset[state];
  again.hidden = state === 'testing' || state === 'trusted';
  app.hidden = state !== 'trusted';
}

async function isTrusted() {
  const needsOther = navigator.vendor.startsWith('Apple');
  if (needsOther && test.dataset.other === '') return undefined;
  const query = needsOther ? '?other=' + encodeURIComponent(test.dataset.other) : '';
  const registration = await navigator.serviceWorker.register(test.dataset.worker + query, { scope: '${TRUST_PATH}/' });
  const worker = registration.installing || registration.waiting || registration.active;
  try {
    if (worker.state === 'activated') return true;
    return await new Promise((resolve) => {
      worker.addEventListener('statechange', () => {
        if (worker.state === 'activated') resolve(true);
        if (worker.state === 'redundant') resolve(false);
      });
    });
  } finally {
    await registration.unregister();
  }
}

async function run() {
  show('testing');
  if (!('serviceWorker' in navigator) || location.protocol !== 'https:') {
    show('unknown');
    return;
  }
  try {
    const trusted = await isTrusted();
    show(trusted === undefined ? 'unknown' : trusted ? 'trusted' : 'untrusted');
  } catch {
    show('untrusted');
  }
}

again.addEventListener('click', run);
run();
`;

/** It runs only where the certificate is trusted, tells the site so, and is removed again. */
export const TRUST_WORKER = `self.addEventListener('install', (event) => {
  const other = new URL(location.href).searchParams.get('other');
  event.waitUntil((async () => {
    if (other) await fetch(other, { mode: 'no-cors', cache: 'no-store' });
    const answer = await fetch('${SEEN_PATH}', { method: 'POST' });
    if (!answer.ok) throw new Error(String(answer.status));
    await self.skipWaiting();
  })());
});
`;
