/** The page that tells a phone how to trust the site. It needs no script, except to test whether it worked. */
import { APP_PATH, CERTIFICATE_PATH, PROFILE_PATH, SCRIPT_PATH, STYLE_PATH, TRUST_PATH, WORKER_PATH } from './paths.ts';
import { type TrustWords, WORDS } from './words.ts';

export type Language = keyof typeof WORDS;

export interface TrustPageFacts {
  language: Language;
  siteName: string;
  root: { name: string; fingerprint: string; hostName: string } | undefined;
  system: 'ANDROID' | 'IOS' | 'OTHER';
  /** Another address of the site, for browsers that need it for the test. */
  otherUrl: string | undefined;
}

/** As Android and iOS show it: pairs of capitals. Eight pairs to a line. */
export function fingerprintLines(fingerprint: string): string[] {
  const pairs = fingerprint.toUpperCase().match(/../g) ?? [];
  return [0, 8, 16, 24].map((start) => pairs.slice(start, start + 8).join(' '));
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export function trustPage({ language, siteName, root, system, otherUrl }: TrustPageFacts): string {
  const words = WORDS[language];
  const content = root ? withAuthority(words, root, system, otherUrl) : `<p>${escaped(words.none)}</p>`;
  const other: Language = language === 'en' ? 'ja' : 'en';
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(words.title)} · ${escaped(siteName)}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="icon" href="data:,">
${root ? `<script src="${SCRIPT_PATH}" defer></script>` : ''}
</head>
<body>
<header><small>${escaped(siteName)}</small><a href="${TRUST_PATH}?lang=${other}" lang="${other}">${words.other}</a></header>
<main>
<a class="back" href="${APP_PATH}">${escaped(words.backToApp)}</a>
<h1>${escaped(words.title)}</h1>
${content}
</main>
</body>
</html>
`;
}

function withAuthority(
  words: TrustWords,
  root: NonNullable<TrustPageFacts['root']>,
  system: TrustPageFacts['system'],
  otherUrl: string | undefined,
): string {
  const filled = (text: string) =>
    escaped(text.replaceAll('{{name}}', root.name).replaceAll('{{hostName}}', root.hostName));
  const items = (texts: readonly string[]) => texts.map((text) => `<li>${filled(text)}</li>`).join('\n');
  const open = (when: boolean) => (when ? ' open' : '');
  return `<p>${filled(words.intro)}</p>
<section class="result" id="test" data-worker="${WORKER_PATH}" data-other="${escaped(otherUrl ?? '')}"
  data-testing="${filled(words.testing)}" data-trusted="${filled(words.trusted)}"
  data-untrusted="${filled(words.untrusted)}" data-unknown="${filled(words.unknown)}">
<h2>${filled(words.test)}</h2>
<p id="result" role="status">${filled(words.noScript)}</p>
<a id="app" class="button" href="${APP_PATH}" hidden>${filled(words.openApp)}</a>
<button id="again" type="button" hidden>${filled(words.again)}</button>
</section>
<section>
<h2>${filled(words.fingerprint)}</h2>
<p class="name">${escaped(root.name)}</p>
<pre id="fingerprint">${fingerprintLines(root.fingerprint).join('\n')}</pre>
<p>${filled(words.fingerprintHelp)}</p>
</section>
<details${open(system !== 'IOS')}>
<summary><h2>Android</h2></summary>
<ol>${items(words.androidSteps)}</ol>
<a class="button" href="${CERTIFICATE_PATH}" download>${filled(words.download)}</a>
</details>
<details${open(system !== 'ANDROID')}>
<summary><h2>iPhone, iPad</h2></summary>
<ol>${items(words.iosSteps)}</ol>
<a class="button" href="${PROFILE_PATH}">${filled(words.downloadProfile)}</a>
</details>
<section>
<h2>${filled(words.limits)}</h2>
<ul>${items(words.limitList)}</ul>
</section>
<section>
<h2>${filled(words.remove)}</h2>
<ul>${items(words.removeList)}</ul>
</section>`;
}
