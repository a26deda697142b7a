/** Placeholders of message templates, as the site fills them and the desk previews them. */

export const PLACEHOLDERS = ['name', 'date', 'study'] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

export const MESSAGE_LANGUAGES = ['en', 'ja'] as const;
export type MessageLanguage = (typeof MESSAGE_LANGUAGES)[number];

/** What became of a message to one of many subjects. */
export const BATCH_OUTCOMES = ['SENT', 'HIDDEN', 'NOT_TAKING_PART', 'NO_SUBJECT', 'NOT_SENT'] as const;
export type BatchOutcome = (typeof BATCH_OUTCOMES)[number];

export const MOST_RECIPIENTS = 2000;
export const LONGEST_MESSAGE = 10_000;

const PATTERN = /\{([^{}\s]{1,40})\}/g;

/** Returns words in braces that are no placeholders: a typing error would be sent to everyone as it stands. */
export function unknownPlaceholders(text: string): string[] {
  const known: readonly string[] = PLACEHOLDERS;
  return [...text.matchAll(PATTERN)].map(([, word = '']) => word).filter((word) => !known.includes(word));
}

/** Returns the text with its placeholders filled; a value is never searched for placeholders itself. */
export function filledText(text: string, values: Readonly<Record<Placeholder, string>>): string {
  return text.replace(PATTERN, (whole, word: string) => (word in values ? values[word as Placeholder] : whole));
}

/** A local date (YYYY-MM-DD) as a message writes it. */
export function dateInWords(date: string, language: MessageLanguage): string {
  return new Intl.DateTimeFormat(language === 'ja' ? 'ja-JP' : 'en-GB', {
    dateStyle: 'long',
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`));
}
