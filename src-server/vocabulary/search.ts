/** What a search finds, in the order of its results. */
export const SEARCH_KINDS = [
  'study',
  'subject',
  'equipment',
  'staff',
  'note',
  'message',
  'query',
  'label',
  'answer',
  'task',
  'event',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** The events that are found by their words, and the words. Other words need another SEARCH_VERSION. */
export const SEARCHED_EVENTS = ['STUDY_STARTED', 'STUDY_STOPPED', 'SUBJECT_CREATED'] as const;
export type SearchedEvent = (typeof SEARCHED_EVENTS)[number];
export const EVENT_WORDS = {
  STUDY_STARTED: { en: 'Study started', ja: '研究を開始' },
  STUDY_STOPPED: { en: 'Study completed', ja: '研究を終了' },
  SUBJECT_CREATED: { en: 'Subject enrolled', ja: '被験者を登録' },
} as const satisfies Record<SearchedEvent, { en: string; ja: string }>;

/** The longest text that can be searched for, in characters. */
export const LONGEST_SEARCH = 200;
/** Results of one kind at most. */
export const MOST_HITS = 50;

/** Folds width, kana and letter case, so that ﾀﾅｶ, タナカ and たなか match each other in the search of a list. */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u30a1-\u30f6]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60));
}
