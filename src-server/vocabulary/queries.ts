/** Data queries: what they can be about, their states, and their steps. */

/** ANSWER and LABEL are annotations: a reported task or answer, and a label. */
export const QUERY_TARGETS = ['RECORDING', 'DAY', 'ANSWER', 'LABEL'] as const;
export type QueryTarget = (typeof QUERY_TARGETS)[number];

export const QUERY_STATES = ['OPEN', 'ANSWERED', 'RESOLVED'] as const;
export type QueryState = (typeof QUERY_STATES)[number];

/** OPEN is the first step of each query. COMMENT and ASSIGN leave the state as it is. */
export const QUERY_STEPS = ['OPEN', 'ANSWER', 'RESOLVE', 'REOPEN', 'COMMENT', 'ASSIGN'] as const;
export type QueryStep = (typeof QUERY_STEPS)[number];

/** The longest text of a step, in characters. */
export const LONGEST_QUERY_TEXT = 4000;
