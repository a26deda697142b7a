import type { AnalysisParameters } from '../../vocabulary/analysis-parameters.ts';

/** Thresholds of pauses and episodes, chosen by the study. */
export type RhythmSettings = AnalysisParameters['rhythm'];

/** Successive intervals whose mean gives the rate. */
export const RATE_INTERVALS = 8;

/** Codes of the `rateEpisode` column; 0 none. Stored. */
export const RATE_EPISODES = [null, 'BRADYCARDIA', 'TACHYCARDIA'] as const;
/** Codes of the `ecgState` column; 0 without an ECG in contact. Stored. */
export const ECG_STATES = [null, 'READABLE', 'UNRESOLVED', 'UNREADABLE'] as const;
/** `quality` where no ECG was recorded. Stored. */
export const NO_ECG = 255;
