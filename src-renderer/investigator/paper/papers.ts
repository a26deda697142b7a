/** Sheets of paper, all landscape, and where an ECG strip stands on them. Lengths are millimetres. Pure. */

export const PAPERS = {
  a4: { name: 'A4', widthMm: 297, heightMm: 210 },
  letter: { name: 'Letter', widthMm: 279.4, heightMm: 215.9 },
} as const;
export type Paper = keyof typeof PAPERS;
export const PAPER_IDS = Object.keys(PAPERS) as Paper[];

/** Countries that use US Letter, by the Unicode CLDR's paper size data. */
const LETTER_COUNTRIES = new Set('BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' '));

/** Returns the paper that is usual where a language tag such as `en-US` is spoken; A4 where the tag names no country. */
export function usualPaper(languageTag: string): Paper {
  return LETTER_COUNTRIES.has(new Intl.Locale(languageTag).region ?? '') ? 'letter' : 'a4';
}
