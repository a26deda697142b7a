/**
 * Texts by their keys, in the notation of the desk's words: `{{name}}` stands for a value, and a key with the endings `_one` and `_other` for
 * a text with a plural. The desk's library does much more, at a tenth of what a phone loads first.
 */
interface Words {
  readonly [key: string]: string | Words;
}

export type Values = Readonly<Record<string, string | number>>;

const textAt = (words: Words, key: string): string | undefined => {
  let at: string | Words | undefined = words;
  for (const part of key.split('.')) at = typeof at === 'object' && Object.hasOwn(at, part) ? at[part] : undefined;
  return typeof at === 'string' ? at : undefined;
};

/** @param language of the plurals */
export function textsOf(words: Words, language: string) {
  const plurals = new Intl.PluralRules(language);
  const find = (key: string, count: string | number | undefined): string | undefined =>
    (typeof count === 'number' ? textAt(words, `${key}_${plurals.select(count)}`) : undefined) ?? textAt(words, key);
  return {
    has: (key: string): boolean => textAt(words, key) !== undefined,
    /** A key without a text is shown itself. */
    t: (key: string, values: Values = {}): string =>
      (find(key, values.count) ?? key).replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? '')),
  };
}

/** Puts sentences one after the other as the language does. */
export const sentencesOf =
  (language: string) =>
  (...parts: readonly (string | false)[]): string =>
    parts.filter((part) => part !== false && part !== '').join(language === 'ja' ? '' : ' ');
