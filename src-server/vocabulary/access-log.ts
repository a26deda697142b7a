/** The access log: which kinds of entries there are, and what each says in particular. */

/** What an entry says in particular, by its kind. */
export const ACCESS_DETAILS = {
  SIGN_IN: ['PASSWORD', 'CODE', 'RECOVERY_CODE'],
  SIGN_IN_FAILED: ['PASSWORD', 'CODE', 'NAME', 'DISABLED', 'THROTTLED', 'RESET_CODE'],
  SIGN_OUT: ['OWN'],
  SESSION_END: ['ONE', 'ALL', 'LIMIT'],
  PASSWORD: ['CHANGED', 'RESET', 'CODE_CREATED'],
  SECOND_FACTOR: ['ON', 'OFF', 'RESET', 'RECOVERY_CODES', 'REQUIRED', 'OPTIONAL'],
  READ: [
    'SUBJECTS',
    'SUBJECT',
    'MESSAGES',
    'NOTES',
    'PARTICIPATION',
    'RECORDINGS',
    'RESULTS',
    'RECORDS',
    'EQUIPMENT',
    'HISTORY',
    'SEARCH',
    'OTHER',
  ],
  EXPORT: ['STUDY', 'SUBJECT', 'RECORDING', 'RESULTS', 'RECORDS', 'HISTORY', 'ACCESS', 'OTHER'],
  DOWNLOAD: ['STUDY', 'SUBJECT', 'RECORDING', 'RESULTS', 'RECORDS', 'HISTORY', 'ACCESS', 'DOCUMENT', 'IMAGE', 'OTHER'],
} as const;

export type AccessKind = keyof typeof ACCESS_DETAILS;
export type AccessDetail = (typeof ACCESS_DETAILS)[AccessKind][number];
export const ACCESS_KINDS = Object.keys(ACCESS_DETAILS) as AccessKind[];

/** How long entries are kept, in days. */
export const ACCESS_LOG_DAYS = { shortest: 30, longest: 3650, initial: 730 } as const;
