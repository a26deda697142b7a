/** Style and script of the page: small enough to be served from memory, and nothing comes from elsewhere. */

export const DOCS_STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f3f5f4, #0f1517);
  --surface: light-dark(#ffffff, #171f22);
  --text: light-dark(#14211f, #e7eeec);
  --muted: light-dark(#475553, #b0bfbc);
  --line: light-dark(#d8dfdd, #2b373a);
  --accent: light-dark(#0b6a70, #62c9c3);
  --good: light-dark(#1d6b41, #6cc795);
  --warn: light-dark(#805200, #e6b450);
  --bad: light-dark(#a92a22, #f28f83);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 0.9375rem/1.5 system-ui, sans-serif; }
header { padding: 1.5rem 2rem 1rem; max-width: 70rem; }
h1 { margin: 0; font-size: 1.5rem; }
h2 { margin: 2rem 0 0.25rem; font-size: 1.2rem; }
h4 { margin: 1rem 0 0.25rem; font-size: 0.9375rem; }
p { margin: 0.25rem 0; max-width: 75ch; }
a { color: var(--accent); }
small, .facts, nav small { color: var(--muted); }
code, pre { font: 0.875em/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid var(--line); border-radius: 6px; }
.search { display: flex; gap: 0.75rem; align-items: center; margin-top: 0.75rem; }
.search input { flex: 1; max-width: 32rem; padding: 0.5rem 0.75rem; border: 1px solid var(--muted); border-radius: 6px; background: var(--surface); color: inherit; font: inherit; }
.columns { display: grid; grid-template-columns: 12rem minmax(0, 1fr); gap: 1.5rem; padding: 0 2rem 4rem; }
nav ul { position: sticky; top: 1rem; margin: 2rem 0 0; padding: 0; list-style: none; }
nav li { padding: 0.15rem 0; }
main { max-width: 68rem; }
.operation { margin: 0.4rem 0; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); }
summary { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; padding: 0.45rem 0.75rem; cursor: pointer; }
summary::before { content: '\\25B8'; color: var(--muted); }
details[open] > summary::before { content: '\\25BE'; }
.method { min-width: 4rem; font-weight: 700; font-size: 0.8rem; }
.get { color: var(--accent); } .post { color: var(--good); } .put { color: var(--warn); } .delete { color: var(--bad); }
.path { overflow-wrap: anywhere; font-weight: 600; }
.body { padding: 0 0.75rem 0.75rem; border-top: 1px solid var(--line); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; }
th, td { padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--muted); font-weight: 600; }
td:first-child { min-width: 10rem; }
[hidden] { display: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 48rem) { .columns { grid-template-columns: minmax(0, 1fr); padding: 0 1rem 3rem; } header { padding: 1rem; } nav ul { position: static; display: flex; flex-wrap: wrap; gap: 0 1rem; } }
@media print { nav, .search { display: none; } .columns { display: block; } }
`;

export const DOCS_SCRIPT = `const search = document.getElementById('search');
const found = document.getElementById('found');
const entries = [...document.querySelectorAll('.operation')].map((element) => ({
  element,
  words: element.dataset.words + ' ' + element.textContent.toLowerCase(),
}));
const sections = [...document.querySelectorAll('section')];

function filter() {
  const wanted = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const { element, words } of entries) {
    element.hidden = !wanted.every((word) => words.includes(word));
    if (!element.hidden) count++;
  }
  for (const section of sections) section.hidden = !section.querySelector('.operation:not([hidden])');
  found.textContent = wanted.length === 0 ? '' : count + (count === 1 ? ' entry' : ' entries');
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.hidden) {
    search.value = '';
    filter();
  }
  if (target.matches('details')) target.open = true;
  target.scrollIntoView();
}

search.addEventListener('input', filter);
addEventListener('hashchange', openTarget);
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === search) return;
  event.preventDefault();
  search.focus();
});
openTarget();
`;
