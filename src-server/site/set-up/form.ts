/** The form that makes a site: its fields, and what is wrong with what was typed, in the person's language. */
import type { OutpostError } from '../../errors.ts';
import { OFFERED_ZONES } from '../../study/zones.ts';
import type { NewSite } from '../folder.ts';
import { escapeHtml } from './document.ts';
import { SET_UP_LANGUAGES, type SetUpLanguage, type SetUpWords, setUpWords } from './words.ts';

export const SET_UP_FIELDS = ['account', 'timeZone', 'firstName', 'lastName', 'email', 'password'] as const;
type FieldName = (typeof SET_UP_FIELDS)[number];

export interface SetUpProblem {
  /** What is wrong as a whole. */
  message: string;
  fields: Partial<Record<FieldName, string>>;
}

const isFailure = (code: string, words: SetUpWords): code is keyof SetUpWords['failures'] => code in words.failures;

/** Why a site was not made. What has no words of its own keeps those of the error. */
export function setUpProblem({ code, message, errors }: OutpostError, language: SetUpLanguage): SetUpProblem {
  const words = setUpWords[language];
  const wrong = SET_UP_FIELDS.filter((name) => errors?.some(({ path }) => path === name));
  const whole = wrong.length > 0 ? words.refused : isFailure(code, words) ? words.failures[code] : message;
  return { message: whole, fields: Object.fromEntries(wrong.map((name) => [name, words.problems[name]])) };
}

const zones = () => [...new Set([...OFFERED_ZONES, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

/** Both steps, with what was typed. A password is never sent back. */
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
    return `<div class="field"><label for="${name}">${words[name]}</label>
<input id="${name}" name="${name}" required ${attributes} value="${value}" aria-describedby="${name}-problem ${name}-help"${invalid}>
<small class="problem" id="${name}-problem" data-field="${name}">${problem ?? ''}</small><small id="${name}-help">${help ?? ''}</small></div>`;
  };
  const names = [field('firstName', 'autocomplete="given-name"'), field('lastName', 'autocomplete="family-name"')];
  if (language === 'ja') names.reverse();
  return `<fieldset><legend>${words.siteStep}</legend><div class="fields"><p>${words.siteStepHelp}</p>
${field('account', 'maxlength="200" autocomplete="organization"')}
${field('timeZone', 'list="zones" autocomplete="off" spellcheck="false"', words.timeZoneHelp)}
<datalist id="zones">${zones()
    .map((zone) => `<option value="${zone}">`)
    .join('')}</datalist>
<p>${words.folder} <code>${escapeHtml(dir)}</code></p></div></fieldset>
<fieldset><legend>${words.personStep}</legend><div class="fields"><p>${words.personStepHelp}</p>
<div class="pair">${names.join('\n')}</div>
${field('email', 'type="email" autocomplete="username"', words.emailHelp)}
${field('password', 'type="password" minlength="8" maxlength="64" autocomplete="new-password"', words.passwordHelp)}</div></fieldset>`;
}

/** The choice of the language; each names itself in its own words. `attributes` say what pressing does. */
export const languageButtons = (language: SetUpLanguage, attributes: string): string =>
  `<div class="languages" role="group" aria-label="${setUpWords[language].language}">${SET_UP_LANGUAGES.map(
    ({ id, label }) =>
      `<button ${attributes} name="language" value="${id}" lang="${id}" aria-pressed="${id === language}">${label}</button>`,
  ).join('')}</div>`;
