/**
 * What the beat and rhythm rules weigh by amounts rather than by physiology alone. They are fixed; benches pass others to
 * find out how much the results hang on them (each record scored by what the other records would have chosen).
 */
export interface HeartSettings {
  /** BeatBuffer of the level of the complexes around which a complex reaches, and which one sought in a long interval reaches (as in Hamilton 2002). */
  accept: number;
  searchBack: number;
  /** Intervals are long from this many usual ones (Pan and Tompkins 1985: 1.66). */
  searchBackIntervals: number;
  /** A T wave has less than this part of the energy of its own complex. */
  tWavePart: number;
  /** An interpolated beat is rare and then ventricular, hence strong: a weaker peak inside one usual interval is noise. */
  interpolatedPart: number;
  /** A beat of another origin spreads another way through the ventricles: its shape correlates less with the usual one. */
  shapeCorrelation: number;
  /**
   * Median changes of interval from which one stands out. Lipponen and Tarvainen ask 5.2 (3.5 SD of normal values) of one
   * change; here the step down and the step up must stand out together, so each may be a little smaller.
   */
  outstanding: number;
  /** The step down may be this part of an outstanding one, if the step up makes up for it: an early beat resets the node. */
  leadPart: number;
  /** The sinus node quickens by less than this part of an interval from one beat to the next; extra beats come earlier. */
  prematurePart: number;
  /** Two to one conduction halves an interval; a shorter one that a pause follows is an extra beat in any rhythm. */
  halved: number;
  /** In a pattern the pause is this much longer than the early beats' intervals, and cycles differ by less than this part. */
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
  leadPart: 0.6,
  prematurePart: 0.1,
  halved: 0.5,
  patternPause: 1.6,
  patternAlike: 0.2,
};
