/** The desk's languages: i18next with one locale file per language, loaded when it is chosen. */
import i18next, { type TFunction } from 'i18next';
import { useMemo } from 'react';
import { initReactI18next, useTranslation } from 'react-i18next';
import type { Messages } from '../locales/en.ts';
import { createFormat, type Format } from './format.ts';
import type { Language } from './languages.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'desk';
    nsSeparator: false;
    resources: { desk: Messages };
  }
}

export type Translate = TFunction<'desk'>;

const loaders: Record<Language, () => Promise<object>> = {
  en: async () => (await import('../locales/en.ts')).en,
  ja: async () => (await import('../locales/ja.ts')).ja,
};

/** Starts i18next in a language; call once before the first render. */
export async function startLanguages(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    ns: ['desk'],
    defaultNS: 'desk',
    // Keys hold the interface's own words, such as RESTING:LYING.
    nsSeparator: false,
    resources: { [language]: { desk: await loaders[language]() } },
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
}

/** Switches the desk to another language, loading its texts first. */
export async function changeLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, 'desk'))
    i18next.addResourceBundle(language, 'desk', await loaders[language]());
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Texts and formats of the present language. */
export function useWords(): { t: Translate; format: Format; language: Language } {
  const { t, i18n } = useTranslation('desk');
  const language = i18n.language as Language;
  const format = useMemo(() => createFormat(language), [language]);
  return { t, format, language };
}
