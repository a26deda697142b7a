/**
 * Tuned parameters of the beat and rhythm rules: thresholds that physiology does not fix. Constant in production; benches vary
 * them for leave-one-recording-out cross-validation.
 */
export interface HeartSettings {
  /** Detection threshold as a part of the local QRS level, and the lower one of the search-back (as in Hamilton 2002). */
  accept: number;
  searchBack: number;
  /** Median intervals from which an interval is long enough for a search-back (Pan and Tompkins 1985: 1.66). */
  searchBackIntervals: number;
  /** A T wave has less than this part of the energy of the complex before it. */
  tWavePart: number;
  /** Interpolated beats are rare, ventricular and hence strong: inside one median interval, a peak below this part is noise. */
  interpolatedPart: number;
  /** An ectopic beat spreads differently through the ventricles: its shape correlates less than this with the template. */
  shapeCorrelation: number;
  /**
   * Outlier threshold of interval changes, in medians of the local changes. Lipponen and Tarvainen use 5.2 (3.5 SD of normal
   * values) for one change; here a step down and a step up must exceed it together, so each may be smaller.
   */
  outstanding: number;
  /** Part of the threshold that the step down must reach when the step up makes up for it: a premature beat resets the node. */
  leadPart: number;
  /** The sinus node speeds up by less than this part of an interval from one beat to the next; ectopic beats come earlier. */
  prematurePart: number;
  /** 2:1 conduction halves an interval; below this part, and followed by a pause, a beat is ectopic in any rhythm. */
  halved: number;
  /** In a pattern the pause is this many times the premature intervals, and its cycles differ by less than this part. */
  patternPause: number;
  patternAlike: number;
}

export const HEART_SETTINGS: HeartSettings = {
  accept: 0.32,
  searchBack: 0.2,
  searchBackIntervals: 1.6,
  tWavePart: 0.6,
  interpolatedPart: 0.6,
  shapeCorrelation: 0.92,
  outstanding: 3.5,
  leadPart: 0.5,
  prematurePart: 0.1,
  halved: 0.5,
  patternPause: 1.6,
  patternAlike: 0.2,
};
