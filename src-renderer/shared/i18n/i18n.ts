/** The desk's languages: i18next with the areas of `locales/words.ts`, loaded when a language and a screen need them. */
import i18next, { type TFunction } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import { AREAS, type Area, type Messages } from '../locales/words.ts';
import { type Format, formatOf } from './format.ts';
import type { Language } from './languages.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'desk';
    nsSeparator: false;
    resources: { desk: Messages };
  }
}

export type Translate = TFunction<'desk'>;

const loaded = new Map<string, Promise<unknown>>();

function load(area: Area, language: Language): Promise<unknown> {
  const key = `${language} ${area}`;
  const started =
    loaded.get(key) ??
    AREAS[area][language]().then(
      (texts) => i18next.addResourceBundle(language, 'desk', texts, true),
      (error: unknown) => {
        loaded.delete(key);
        throw error;
      },
    );
  loaded.set(key, started);
  return started;
}

/** Starts i18next in a language; call once before the first render. */
export async function startLanguages(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    ns: ['desk'],
    defaultNS: 'desk',
    // Keys hold the interface's own words, such as RESTING:LYING.
    nsSeparator: false,
    resources: {},
    interpolation: { escapeValue: false },
    // Texts of an area that arrive while a screen shows must show.
    react: { bindI18nStore: 'added' },
  });
  await load('desk', language);
  document.documentElement.lang = language;
}

/** Loads the texts of areas in the present language; screens wait for it before they show. */
export async function loadWords(...areas: Area[]): Promise<void> {
  await Promise.all(areas.map((area) => load(area, i18next.language as Language)));
}

/** Switches the desk to another language, with the texts of every area that was shown. */
export async function changeLanguage(language: Language): Promise<void> {
  const areas = (Object.keys(AREAS) as Area[]).filter((area) => loaded.has(`${i18next.language} ${area}`));
  await Promise.all(areas.map((area) => load(area, language)));
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Texts and formats of the present language. */
export function useWords(): { t: Translate; format: Format; language: Language } {
  const { t, i18n } = useTranslation('desk');
  const language = i18n.language as Language;
  return { t, format: formatOf(language), language };
}
