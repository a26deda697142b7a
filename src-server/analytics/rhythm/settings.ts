import type { AnalysisParameters } from '../../vocabulary/analysis-parameters.ts';

/** Thresholds of pauses and episodes, chosen by the study. */
export type RhythmSettings = AnalysisParameters['rhythm'];

/** Successive intervals whose mean gives the rate. */
export const RATE_INTERVALS = 8;

/** Thresholds of atrial fibrillation, as published. */
export interface AfSettings {
  /** COSEn from which intervals have no pattern. */
  cosen: number;
  /** Median change of successive intervals, as a part of the mean one, from which they are irregular, and up to which steady. */
  change: number;
  steadyChange: number;
  /** Least time that atrial fibrillation lasts. */
  leastSeconds: number;
}

export const AF_SETTINGS: AfSettings = {
  // Lake and Moorman 2011.
  cosen: -1.4,
  // Dash et al. 2009: an RMSSD of 0.1 of the mean interval, of normal changes a median of 0.067. Half as much again as that is irregular,
  // as for variability (intervals/sinus-rhythm.ts).
  change: 0.1,
  steadyChange: 0.067,
  // Hindricks et al. 2021.
  leastSeconds: 30,
};

/** Codes of the `afState` column; 0 without intervals between heartbeats. Stored. */
export const AF_STATES = [null, 'NONE', 'AF', 'UNDECIDED'] as const;
/** Codes of the `rateEpisode` column; 0 none. Stored. */
export const RATE_EPISODES = [null, 'BRADYCARDIA', 'TACHYCARDIA'] as const;
/** Codes of the `ecgState` column; 0 without an ECG in contact. Stored. */
export const ECG_STATES = [null, 'READABLE', 'UNRESOLVED', 'UNREADABLE'] as const;
/** `quality` where no ECG was recorded. Stored. */
export const NO_ECG = 255;
