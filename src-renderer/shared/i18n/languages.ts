export const LANGUAGES = ['en', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language to start with: the stored choice, else the first of the browser's that there is, else English. */
export function pickLanguage(stored: string | null, browser: readonly string[]): Language {
  const wanted = [stored ?? '', ...browser].map((tag) => tag.slice(0, 2).toLowerCase());
  return (
    LANGUAGES.find((language) => language === wanted.find((tag) => LANGUAGES.some((known) => known === tag))) ?? 'en'
  );
}
