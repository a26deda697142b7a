/** HTML pages of the browser set-up. The form works without scripts or external files. */
import type { NewSite } from '../folder.ts';
import { escapeHtml, startDocument } from './document.ts';
import { languageButtons, type SetUpProblem, setUpFields } from './form.ts';
import { type SetUpLanguage, setUpWords } from './words.ts';

/** Renders the form with the values entered and the problem, if any. */
export function setUpForm(
  language: SetUpLanguage,
  dir: string,
  typed: Partial<NewSite>,
  problem: SetUpProblem | undefined,
): string {
  const words = setUpWords[language];
  return startDocument(
    language,
    words.title,
    '',
    `<h1>${words.title}</h1><p class="lead">${words.intro}</p><form method="post">
<input type="hidden" name="shown" value="${language}">
${problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem.message)}</p>`}
${setUpFields(language, dir, typed, problem?.fields)}
<div class="actions"><button class="primary" name="make" value="yes">${words.create}</button></div>
<p class="hint">${words.demoHint}</p>
<div>${languageButtons(language, 'formnovalidate')}</div></form>`,
  );
}

/** Polls until the site answers at the same address. Without scripts, the page refreshes instead. */
export const WAIT_SCRIPT = `const poll = () => fetch('/api/v1/status').then(
  (answer) => answer.ok ? location.replace('/') : setTimeout(poll, 300), () => setTimeout(poll, 300));
poll();`;

/** Renders the page that waits for the new site to start. */
export function setUpDone(language: SetUpLanguage): string {
  const words = setUpWords[language];
  return startDocument(
    language,
    words.doneTitle,
    '<noscript><meta http-equiv="refresh" content="3;url=/"></noscript>',
    `<h1>${words.doneTitle}</h1><p role="status">${words.done}</p><p><a class="button primary" href="/">${words.open}</a></p>
<script>${WAIT_SCRIPT}</script>`,
  );
}

/** Renders the page for requests without the one-time address and for errors. */
export function setUpRefusal(language: SetUpLanguage, message?: string): string {
  const words = setUpWords[language];
  return startDocument(
    language,
    words.nobodyTitle,
    '',
    `<h1>${words.nobodyTitle}</h1><p>${message === undefined ? words.nobody : escapeHtml(message)}</p>`,
  );
}
