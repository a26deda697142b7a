/** The cover of a subject's own copy: one HTML page per language that needs nothing from outside. */
import { COVER_LANGUAGES, COVER_WORDS, type CoverLanguage, FILES } from './words.ts';

export { COVER_LANGUAGES };

export interface CoverFacts {
  code: string;
  study: { displayName: string; title: string };
  organisation: string;
  requestedTs: number;
  dataTs: number;
  /** Members of the study by role. */
  roles: readonly { role: string; count: number }[];
  /** Hosts that the site notifies. */
  receivers: readonly string[];
  exports: number;
  recordings: number;
}

export const coverFile = (language: CoverLanguage): string =>
  language === 'en' ? 'index.html' : `index.${language}.html`;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const html = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character]!);

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1b2226;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
th,td{text-align:start;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #cfd6da}th{font-weight:600}
code{font-size:.9em}@media (prefers-color-scheme:dark){body{color:#e8edef;background:#14191c}a{color:#7cc7c3}th,td{border-color:#3a444a}}`;

const row = (name: string, value: string) => `<tr><th scope="row">${html(name)}</th><td>${html(value)}</td></tr>`;
const list = (lines: readonly string[]) => `<ul>${lines.map((line) => `<li>${html(line)}</li>`).join('')}</ul>`;

export function coverPage(language: CoverLanguage, facts: CoverFacts): string {
  const words = COVER_WORDS[language];
  const { about, files, from, who, kept, notes } = words;
  const other = COVER_LANGUAGES.find((one) => one !== language)!;
  const time = `${new Date(facts.dataTs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const roles = facts.roles.map(({ role, count }) => `${who.roles[role] ?? role}: ${count}`);
  const study =
    facts.study.title === '' ? facts.study.displayName : `${facts.study.displayName} (${facts.study.title})`;
  return `<!doctype html>
<html lang="${words.locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${html(words.title)}</title><style>${STYLE}</style></head>
<body>
<p><a href="${coverFile(other)}" lang="${other}" hreflang="${other}">${words.otherLanguage}</a></p>
<h1>${html(words.title)}</h1>
<p>${html(words.intro)}</p>
<h2>${html(about.title)}</h2>
<table>${row(about.code, facts.code)}${row(about.study, study)}${row(about.organisation, facts.organisation)}${row(about.asked, time)}${row(about.recordings, String(facts.recordings))}</table>
<h2>${html(files.title)}</h2>
<p>${html(files.help)}</p>
<table><tr><th scope="col">${html(files.file)}</th><th scope="col">${html(files.holds)}</th></tr>
${FILES.map((file) => `<tr><td><code>${html(file)}</code></td><td>${html(words.holds[file])}</td></tr>`).join('\n')}
</table>
<h2>${html(from.title)}</h2>
${list(from.lines)}
<h2>${html(who.title)}</h2>
<p>${html(who.help)}</p>
${list([
  ...(roles.length > 0 ? roles : [who.none]),
  ...(facts.receivers.length > 0 ? [who.receivers.replace('{{hosts}}', facts.receivers.join(', '))] : []),
  who.exports.replace('{{count}}', String(facts.exports)),
])}
<h2>${html(kept.title)}</h2>
${list(kept.lines)}
<h2>${html(notes.title)}</h2>
${list(notes.lines)}
</body>
</html>
`;
}
