/** Thresholds of pauses and episodes, as published. */
export interface RhythmSettings {
  /** An interval between two beats from which it is a pause. */
  pauseMs: number;
  /** Rates beyond which an episode lies, beats/min, and the least time that it lasts. */
  bradycardiaBpm: number;
  tachycardiaBpm: number;
  episodeSeconds: number;
  /** Successive intervals whose mean gives the rate. */
  rateIntervals: number;
}

export const RHYTHM_SETTINGS: RhythmSettings = {
  // Kusumoto et al., Circulation 2019;140:e382: pauses of more than 3 s; sinus bradycardia below 50/min.
  pauseMs: 3000,
  bradycardiaBpm: 50,
  // Page et al., Circulation 2016;133:e506: above 100/min.
  tachycardiaBpm: 100,
  // Sustained, as of tachycardias: 30 s.
  episodeSeconds: 30,
  rateIntervals: 8,
};

/** Codes of the `rateEpisode` column; 0 none. Stored. */
export const RATE_EPISODES = [null, 'BRADYCARDIA', 'TACHYCARDIA'] as const;
/** Codes of the `ecgState` column; 0 without an ECG in contact. Stored. */
export const ECG_STATES = [null, 'READABLE', 'UNRESOLVED', 'UNREADABLE'] as const;
/** `quality` where no ECG was recorded. Stored. */
export const NO_ECG = 255;
