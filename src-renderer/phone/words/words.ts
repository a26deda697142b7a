/**
 * The words of the phone: i18next without its React binding, one language loaded at a time. `en.ts` and `ja.ts` have the same
 * keys, which the compiler and the tests of the desk's words check.
 */
import i18next from 'i18next';
import { useMemo } from 'react';
import { type Format, formatOf } from '../../shared/i18n/format.ts';
import { type Language, pickLanguage } from '../../shared/i18n/languages.ts';
import { createStore, useStore } from '../../shared/store.ts';
import type { en } from './en.ts';

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
export type Translate = (key: WordKey, values?: Readonly<Record<string, string | number>>) => string;

const STORED = 'outpost.phone.language';
const NAMESPACE = 'phone';
const texts = i18next.createInstance();
/** Undefined until the words of the first language are there. */
const language = createStore<Language>('en');

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

async function show(next: Language): Promise<void> {
  texts.addResourceBundle(next, NAMESPACE, await PHONE_WORDS[next]());
  await texts.changeLanguage(next);
  document.documentElement.lang = next;
  language.set(next);
}

/** Loads the words before the first render: the chosen language, or the phone's own. */
export async function startWords(): Promise<void> {
  await texts.init({
    fallbackLng: false,
    ns: [NAMESPACE],
    defaultNS: NAMESPACE as never,
    nsSeparator: false,
    resources: {},
    interpolation: { escapeValue: false },
  });
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

const translate: Translate = (key, values) => (texts.t as unknown as Translate)(key, values);

export interface Words {
  t: Translate;
  /** Whether the words have this key: codes of the site may be newer than this program. */
  has: (key: string) => key is WordKey;
  format: Format;
  language: Language;
}

export function useWords(): Words {
  const shown = useStore(language);
  return useMemo(
    () => ({
      t: (key, values) => translate(key, values),
      has: (key): key is WordKey => texts.exists(key),
      format: formatOf(shown),
      language: shown,
    }),
    [shown],
  );
}
