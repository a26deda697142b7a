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

/** What a sheet keeps for its margins, its header and its footer. */
const MARGINS_MM = { side: 9, top: 8, bottom: 6 };
const HEADER_MM = 26;
const FOOTER_MM = 9;
/** Texts wrap on a printer as on the screen, but for a line here and there. */
const SLACK_MM = 4;

/** The part of a sheet that holds the contents of a report. */
export function bodyOf(paper: Paper): { widthMm: number; heightMm: number } {
  const { widthMm, heightMm } = PAPERS[paper];
  const { side, top, bottom } = MARGINS_MM;
  return { widthMm: widthMm - 2 * side, heightMm: heightMm - top - bottom - HEADER_MM - FOOTER_MM - SLACK_MM };
}

const MM_PER_INCH = 25.4;
/** CSS pixels of paper. */
export const PX_PER_MM = 96 / MM_PER_INCH;
