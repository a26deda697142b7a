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

/** The longest text that can be searched for, in characters. */
export const LONGEST_SEARCH = 200;
/** Results of one kind at most. */
export const MOST_HITS = 50;
