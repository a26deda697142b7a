/** Saved filters: which tables of the desk have them, and how large they are. */

/** Tables of one study: a filter that was saved there belongs to the study. */
export const STUDY_FILTER_TABLES = ['subjects', 'queries', 'labels'] as const;
/** Tables of the whole site. */
const SITE_FILTER_TABLES = ['allSubjects', 'equipment', 'events', 'audit'] as const;

export const FILTER_TABLES = [...STUDY_FILTER_TABLES, ...SITE_FILTER_TABLES] as const;
export type FilterTable = (typeof FILTER_TABLES)[number];

export const isStudyFilterTable = (table: FilterTable): boolean =>
  STUDY_FILTER_TABLES.some((ofStudy) => ofStudy === table);

/** What is chosen, by the parameters of the desk's address. */
export type FilterSearch = Readonly<Record<string, string>>;

export const LONGEST_FILTER_NAME = 100;
/** Of one parameter. */
export const LONGEST_FILTER_VALUE = 200;
export const MOST_FILTER_VALUES = 10;
/** That one person keeps, and that are shared with one study. */
export const MOST_FILTERS = 100;
