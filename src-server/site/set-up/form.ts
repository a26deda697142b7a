/** The set-up form: its fields and validation messages, in the user's language. */
import type { OutpostError } from '../../errors.ts';
import { placesOfZone } from '../../study/zone-places.ts';
import { OFFERED_ZONES } from '../../study/zones.ts';
import type { NewSite } from '../folder.ts';
import { escapeHtml } from './document.ts';
import { SET_UP_LANGUAGES, type SetUpLanguage, type SetUpWords, setUpWords } from './words.ts';

const SET_UP_FIELDS = ['account', 'timeZone', 'firstName', 'lastName', 'email', 'password'] as const;
type FieldName = (typeof SET_UP_FIELDS)[number];

export interface SetUpProblem {
  /** Message for the whole form. */
  message: string;
  fields: Partial<Record<FieldName, string>>;
}

const isFailure = (code: string, words: SetUpWords): code is keyof SetUpWords['failures'] => code in words.failures;

/** Reads the submitted fields; a missing one is empty. */
export function enteredSite(form: URLSearchParams): NewSite {
  const value = (name: FieldName) => form.get(name) ?? '';
  return {
    account: value('account'),
    timeZone: value('timeZone'),
    firstName: value('firstName'),
    lastName: value('lastName'),
    email: value('email'),
    password: value('password'),
  };
}

/** Describes why a site was not created. Errors without a specific text keep their own message. */
export function setUpProblem({ code, message, errors }: OutpostError, language: SetUpLanguage): SetUpProblem {
  const words = setUpWords[language];
  const wrong = SET_UP_FIELDS.filter((name) => errors?.some(({ path }) => path === name));
  const whole = wrong.length > 0 ? words.refused : isFailure(code, words) ? words.failures[code] : message;
  return { message: whole, fields: Object.fromEntries(wrong.map((name) => [name, words.problems[name]])) };
}

const zones = () => [...new Set([...OFFERED_ZONES, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

/** Renders both steps with the values entered, except the password. */
export function setUpFields(
  language: SetUpLanguage,
  dir: string,
  typed: Partial<NewSite>,
  wrong: SetUpProblem['fields'] = {},
): string {
  const words = setUpWords[language];
  const field = (name: FieldName, attributes: string, help?: string) => {
    const value = escapeHtml(name === 'password' ? '' : (typed[name] ?? ''));
    const problem = wrong[name];
    const invalid = problem === undefined ? '' : ' aria-invalid="true"';
    // Shown by the script of the page: without one the button would do nothing.
    const reveal =
      name === 'password'
        ? `<button type="button" class="reveal" data-reveal="password" aria-pressed="false" hidden>${words.showPassword}</button>`
        : '';
    return `<div class="field"><label for="${name}">${words[name]}</label>${reveal}
<input id="${name}" name="${name}" required ${attributes} value="${value}" aria-describedby="${name}-problem ${name}-help"${invalid}>
<small class="problem" id="${name}-problem" data-field="${name}">${problem ?? ''}</small><small id="${name}-help">${help ?? ''}</small></div>`;
  };
  const names = [field('firstName', 'autocomplete="given-name"'), field('lastName', 'autocomplete="family-name"')];
  if (language === 'ja') names.reverse();
  return `<fieldset><legend>${words.siteStep}</legend><div class="fields"><p>${words.siteStepHelp}</p>
${field('account', 'maxlength="200" autocomplete="organization"')}
${field('timeZone', 'list="zones" autocomplete="off" spellcheck="false"', words.timeZoneHelp)}
<datalist id="zones">${zones()
    .map((zone) => `<option value="${zone}">${escapeHtml(placesOfZone(zone) ?? '')}</option>`)
    .join('')}</datalist>
<p>${words.folder} <code>${escapeHtml(dir)}</code></p></div></fieldset>
<fieldset><legend>${words.personStep}</legend><div class="fields"><p>${words.personStepHelp}</p>
<div class="pair">${names.join('\n')}</div>
${field('email', 'type="email" autocomplete="username"', words.emailHelp)}
${field('password', 'type="password" minlength="8" maxlength="64" autocomplete="new-password"', words.passwordHelp)}</div></fieldset>`;
}

/** Shows the password as typed and hides it again; part of the script of each page with the form. */
export const REVEAL_SCRIPT = `const offerReveal = () => { for (const button of document.querySelectorAll('[data-reveal]')) button.hidden = false; };
document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-reveal]');
  if (!button) return;
  const input = document.getElementById(button.dataset.reveal);
  const isShown = input.type === 'password';
  input.type = isShown ? 'text' : 'password';
  button.setAttribute('aria-pressed', String(isShown));
});
offerReveal();`;

/** Renders the language buttons, each labelled in its own language, with `attributes` on each button. */
export const languageButtons = (language: SetUpLanguage, attributes: string): string =>
  `<div class="languages" role="group" aria-label="${setUpWords[language].language}">${SET_UP_LANGUAGES.map(
    ({ id, label }) =>
      `<button ${attributes} name="language" value="${id}" lang="${id}" aria-pressed="${id === language}">${label}</button>`,
  ).join('')}</div>`;
