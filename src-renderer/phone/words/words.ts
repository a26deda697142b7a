/**
 * The words of the phone, one language loaded at a time. `en.ts` and `ja.ts` have the same keys, which the compiler and the tests of
 * the desk's words check.
 */
import { type Format, formatOf } from '../../shared/i18n/format.ts';
import { type Language, pickLanguage } from '../../shared/i18n/languages.ts';
import { createStore, useStore } from '../../shared/store.ts';
import type { en } from './en.ts';
import { sentencesOf, textsOf, type Values } from './texts.ts';

export const PHONE_WORDS = {
  en: async () => (await import('./en.ts')).en,
  ja: async () => (await import('./ja.ts')).ja,
} as const satisfies Record<Language, () => Promise<object>>;

type Keys<T, Prefix extends string = ''> = {
  [K in keyof T & string]: T[K] extends string ? `${Prefix}${K}` : Keys<T[K], `${Prefix}${K}.`>;
}[keyof T & string];
type WithoutPlural<K> = K extends `${infer Bare}_${'one' | 'other'}` ? Bare : K;

/** Names of the texts; a text with a plural is named without its ending. */
export type WordKey = WithoutPlural<Keys<typeof en>>;
export type Translate = (key: WordKey, values?: Values) => string;

const STORED = 'outpost.phone.language';
const shown = createStore<Words>(wordsOf({}, 'en'));

function wordsOf(words: Parameters<typeof textsOf>[0], language: Language): Words {
  const { t, has } = textsOf(words, language);
  const sentences = sentencesOf(language);
  return { t, has: (key): key is WordKey => has(key), format: formatOf(language), sentences, language };
}

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

/** Loads the words of a language for everything that shows words of the phone; the page keeps its own language. */
export async function loadPhoneWords(language: Language): Promise<void> {
  const words = await PHONE_WORDS[language]();
  shown.set(wordsOf(words, language));
}

async function show(next: Language): Promise<void> {
  await loadPhoneWords(next);
  document.documentElement.lang = next;
}

/** Loads the words before the first render: the chosen language, or the phone's own. */
export async function startWords(): Promise<void> {
  await show(pickLanguage(storedLanguage(), navigator.languages));
}

export async function changeLanguage(next: Language): Promise<void> {
  await show(next);
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // Storage is blocked: the choice lasts as long as the page.
  }
}

export interface Words {
  t: Translate;
  /** Whether the words have this key: codes of the site may be newer than this program. */
  has: (key: string) => key is WordKey;
  format: Format;
  /** One text of several sentences; those that are empty or false are left out. Japanese has no space between them. */
  sentences: (...parts: readonly (string | false)[]) => string;
  language: Language;
}

export const useWords = (): Words => useStore(shown);
