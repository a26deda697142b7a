/** Where beats are taken from, the best first. */
export const BEAT_TYPES = ['ECG', 'RR', 'PPI'] as const;

export type BeatOrigin = (typeof BEAT_TYPES)[number];
