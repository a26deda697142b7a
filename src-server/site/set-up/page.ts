/**
 * HTML pages of the browser set-up. The form works without scripts or external files; with a script nothing that was typed is lost
 * when the page is reloaded, left and returned to, switched to the other language, or refused.
 */
import type { NewSite } from '../folder.ts';
import { escapeHtml, startDocument } from './document.ts';
import { languageButtons, REVEAL_SCRIPT, type SetUpProblem, setUpFields } from './form.ts';
import { type SetUpLanguage, setUpWords } from './words.ts';

/** Polls until the site answers at the same address. Without scripts, the page refreshes instead. */
export const WAIT_SCRIPT = `const poll = () => fetch('/api/v1/status').then(
  (answer) => answer.ok ? location.replace('/') : setTimeout(poll, 300), () => setTimeout(poll, 300));
poll();`;

/**
 * Keeps what is typed for as long as the tab is open, except the password: a browser may write that store to the disk. Answers replace the
 * page in place, so that the password stays in its field too.
 */
export const FORM_SCRIPT = `${REVEAL_SCRIPT}
const KEPT = 'outpost.set-up ' + location.pathname;
const NAMES = ['account', 'timeZone', 'firstName', 'lastName', 'email'];
const form = () => document.querySelector('form');
const keep = () => {
  try { sessionStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, form().elements[name].value])))); } catch {}
};
try {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? '{}');
  for (const name of NAMES) if (typeof kept[name] === 'string') form().elements[name].value = kept[name];
} catch {}
document.addEventListener('input', keep);
document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { submitter } = event;
  const password = form().elements.password.value;
  const language = submitter?.name === 'language' ? submitter.value : undefined;
  const body = new URLSearchParams(new FormData(form(), submitter));
  keep();
  const buttons = document.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  let answer, html;
  try {
    answer = await fetch(location.href, { method: 'POST', body });
    html = await answer.text();
  } catch {
    for (const button of buttons) button.disabled = false;
    document.querySelector('[data-lost]').hidden = false;
    return;
  }
  const next = new DOMParser().parseFromString(html, 'text/html');
  document.documentElement.lang = next.documentElement.lang;
  document.title = next.title;
  document.body.replaceWith(document.adoptNode(next.body));
  if (!form()) {
    try { sessionStorage.removeItem(KEPT); } catch {}
    ${WAIT_SCRIPT}
    return;
  }
  form().elements.password.value = password;
  offerReveal();
  (language ? document.querySelector('[name=language][value=' + language + ']') : document.querySelector('[aria-invalid]') ?? form().elements.account).focus();
});`;

/** Renders the form with the values entered and the problem, if any. */
export function setUpForm(
  language: SetUpLanguage,
  dir: string,
  typed: Partial<NewSite>,
  problem: SetUpProblem | undefined,
): string {
  const words = setUpWords[language];
  // The first button of a form is what Enter presses, and must not be a language.
  return startDocument(
    language,
    words.title,
    '',
    `<form method="post"><button class="visually-hidden" name="make" value="yes" tabindex="-1" aria-hidden="true">${words.create}</button>
<div>${languageButtons(language, 'formnovalidate')}</div>
<div><h1>${words.title}</h1><p class="lead">${words.intro}</p></div>
<input type="hidden" name="shown" value="${language}">
${problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem.message)}</p>`}
<p class="problem" role="alert" data-lost hidden>${words.lost}</p>
${setUpFields(language, dir, typed, problem?.fields)}
<div class="actions"><button class="primary" name="make" value="yes">${words.create}</button></div>
<p class="hint">${words.demoHint}</p></form><script>${FORM_SCRIPT}</script>`,
  );
}

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
