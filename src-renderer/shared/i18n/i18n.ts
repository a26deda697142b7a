/** The desk's languages: i18next with the text areas of `locales/words.ts`, each loaded when a screen first needs it. */
import i18next, { type TFunction } from 'i18next';
import { useMemo } from 'react';
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
    // Keys contain codes of the interface, such as RESTING:LYING.
    nsSeparator: false,
    resources: {},
    interpolation: { escapeValue: false },
    // Render again when an area's texts arrive after its screen.
    react: { bindI18nStore: 'added' },
  });
  await load('desk', language);
  document.documentElement.lang = language;
}

/** Loads areas in the current language. The router awaits it before a screen mounts. */
export async function loadWords(...areas: Area[]): Promise<void> {
  await Promise.all(areas.map((area) => load(area, i18next.language as Language)));
}

/** Switches the desk to another language, after loading it for every area in use. */
export async function changeLanguage(language: Language): Promise<void> {
  const areas = (Object.keys(AREAS) as Area[]).filter((area) => loaded.has(`${i18next.language} ${area}`));
  await Promise.all(areas.map((area) => load(area, language)));
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Whether the current language has a text of this key: asking the table itself would load English with every language. */
export const hasText = (key: string): boolean => i18next.exists(key);

export interface Words {
  t: Translate;
  format: Format;
  language: Language;
}

/** Texts and formats of the current language. */
export function useWords(): Words {
  const { t, i18n } = useTranslation('desk');
  const language = i18n.language as Language;
  return useMemo(() => ({ t, format: formatOf(language), language }), [t, language]);
}
