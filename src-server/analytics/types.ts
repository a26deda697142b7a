/**
 * Data types of analytics.
 *
 * Two stages, so that a recording is read once and recomputing a day stays cheap:
 * 1. `RecordingFeatures`: depend on one immutable recording alone (beats, per-second motion features);
 * 2. `SecondColumns`: all sensors of one subject fused, one row per second of a window from local noon to local noon.
 * Channels and daily metrics are derived from the second columns alone.
 */

/** Evenly spaced counts (see signals/types.ts); sample i is at startUs + i * periodUs. */
import type { BeatCode, CorrectionKind } from '../vocabulary/corrections.ts';
import type { EpochDetails, EpochMethod, EpochSource } from './epochs/types.ts';

export type { EpochMethod } from './epochs/types.ts';

export interface SignalChunk {
  startUs: number;
  periodUs: number;
  count: number;
  columns: (Int16Array | Int32Array)[];
  /** What the exact times of the samples differ by, microseconds: beats are not evenly spaced. */
  timeResidualsUs?: Int32Array;
}

/** One channel of one recording. */
export interface SignalSource {
  type: 'ECG' | 'ACCEL' | 'RR' | 'PPI';
  /** As on the wire: MEDIAL_CHEST, ECG_LEAD_II, ANTERIOR_THIGH, SACRUM ... */
  location: string;
  /** Physical value = count * scale[d] + offset[d]: volts for ECG, g for ACCEL, seconds for intervals. */
  scale: number[];
  offset: number[];
  nominalRateHz: number;
}

/** A channel with its samples. `chunks` is in time order and may be iterated once. */
export interface SignalInput extends SignalSource {
  chunks: Iterable<SignalChunk>;
}

/** A sensor's place on the body; it decides which results the sensor contributes to. */
export type BodySite = 'chest' | 'thigh' | 'back' | 'waist' | 'wrist' | 'other';

/** Beats found in one ECG channel, or reported by a device. */
export interface BeatSeries {
  /** Times of R peaks or pulse waves, epoch microseconds with a sub-sample fraction, increasing. */
  timesUs: Float64Array;
  /** Per beat: BEAT_NORMAL and the other codes of heart/beats.ts. */
  kinds: Uint8Array;
  /** R amplitude in volts, for ECG-derived respiration; NaN without an ECG. */
  amplitudesV: Float32Array;
  /**
   * The interval that ends at each beat as the device reported it, ms; NaN where none does. Absent for an ECG, whose intervals are
   * the differences of the times.
   */
  intervalsMs?: Float64Array;
}

/** Per-second features of one sensor over its own recording; row i is the second `startSecond + i` (epoch seconds). */
export interface SecondFeatures<Name extends string> {
  startSecond: number;
  count: number;
  columns: Record<Name, Float32Array | Uint8Array>;
}

/**
 * Columns of one motion segment, all in the sensor's own frame and in g:
 * - `coverage` percent of the second that samples cover; `saturated` percent of it at the sensor's rail;
 * - `meanX..Z` and `sdX..Z` mean and SD per axis; `magnitude` mean of the vector magnitude and `magnitudeSd` its SD;
 * - `deviation` root of the summed axis variances; `jerk` RMS change of acceleration over 1/30 s, all axes;
 * - `countsX..Z` ActiGraph counts of the second;
 * - `stepPeriod` seconds per step of the rhythm around the second (0 when there is none), `stepRhythm` autocorrelation of
 *   the magnitude one step apart, `strideRhythm` autocorrelation of the three axes two steps apart.
 */
export const MOTION_COLUMNS = [
  'coverage',
  'saturated',
  'meanX',
  'meanY',
  'meanZ',
  'sdX',
  'sdY',
  'sdZ',
  'magnitude',
  'magnitudeSd',
  'deviation',
  'jerk',
  'countsX',
  'countsY',
  'countsZ',
  'stepPeriod',
  'stepRhythm',
  'strideRhythm',
] as const;

export type MotionColumn = (typeof MOTION_COLUMNS)[number];
export type MotionSegment = SecondFeatures<MotionColumn>;

/** Seconds since the epoch, stop exclusive. */
interface SecondSpan {
  startSecond: number;
  stopSecond: number;
}

interface CorrectedSensor {
  /** Spans in which a person corrected beats of the sensor, and so chose it. */
  chosen?: readonly SecondSpan[];
  /** Spans that a person excluded, or in which the subject did not wear the sensor: nothing is known of them. */
  excluded?: readonly SecondSpan[];
}

export interface EcgFeatures extends CorrectedSensor {
  kind: 'ecg';
  site: BodySite;
  beats: BeatSeries;
  /**
   * Columns `quality` (0..100; 0 without samples), `contact` (0 or 1) and `unresolved` (1 where the rhythm cannot be resolved
   * into beats).
   */
  seconds: SecondFeatures<'quality' | 'contact' | 'unresolved'>;
}

/** Beats that a device reported without a signal. */
export interface IntervalFeatures extends CorrectedSensor {
  kind: 'intervals';
  /** RR intervals between heartbeats, or PPI between pulse waves. */
  source: 'RR' | 'PPI';
  site: BodySite;
  beats: BeatSeries;
  /** As of an ECG: quality 100 where usable intervals cover the second, contact 1 where any does. */
  seconds: EcgFeatures['seconds'];
}

/** Whatever shows heartbeats. */
export type HeartFeatures = EcgFeatures | IntervalFeatures;

export interface MotionFeatures {
  kind: 'motion';
  site: BodySite;
  /**
   * Segments of the recording without a gap of more than 10 s, ascending and disjoint, so that a gap of years takes no memory.
   */
  segments: MotionSegment[];
  /** Of a chest sensor, one per segment: its slow motion, for respiration. */
  slow?: SlowMotion[];
  /** Of a wrist, a waist or a lower back. */
  epochs?: EpochSource;
  /** Step times found by this sensor alone, epoch microseconds, increasing. */
  stepsUs: Float64Array;
  /** Where `segments` are only those around a span. */
  whole?: {
    /**
     * Some columns of the whole recording piece by piece, from which the sensor is oriented. A piece is valid until the next one is
     * requested.
     */
    pieces<Name extends MotionColumn>(names: readonly Name[]): Iterable<SecondFeatures<Name>>;
    /** The features of the same sensor that decide the wear of another span, seconds since the epoch. */
    around(fromSecond: number, toSecond: number): MotionFeatures;
  };
}

/** Acceleration in g averaged over thirds of a second; sample i is the third that starts at `startSecond + i / 3`. NaN in gaps. */
export interface SlowMotion {
  startSecond: number;
  axes: [Float32Array, Float32Array, Float32Array];
}

export type SensorFeatures = HeartFeatures | MotionFeatures;

export interface RecordingFeatures {
  recordingId: string;
  location: string;
  startUs: number;
  stopUs: number;
  sensors: SensorFeatures[];
  /** Where `sensors` hold only a span: those of the whole recording. */
  whole?: () => SensorFeatures[];
  /** Those of the channel whose beats a person sees and corrects: the first with an ECG, else with intervals. */
  shownHearts?: HeartFeatures[];
}

/** A posture-calibration label: a known posture, by which a sensor is oriented. */
export interface CalibrationLabel {
  startMs: number;
  stopMs: number;
  posture: 'STANDING' | 'SITTING' | 'LYING';
}

/** Activity codes of the `activity` column; 0 is unknown or not worn. The codes are stored, so their order must not change. */
export const ACTIVITIES = [
  null,
  'MOVING:WALKING',
  'MOVING:RUNNING',
  'MOVING:CYCLING',
  'MOVING:OTHER',
  'RESTING:STANDING',
  'RESTING:SITTING',
  'RESTING:LYING',
  'RESTING:LEANING',
  'SLEEPING:LYING',
] as const;

/** Codes of the `heartSource` column; 0 none. Stored. */
export const HEART_SOURCES = [null, 'ECG', 'RR', 'PPI'] as const;

/** Codes of the `sleepingPosture` column: 0 none, then these; a pair (between two) is first + 16 * second. Stored. */
export const LYING_POSTURES = [null, 'LYING_BACK', 'LYING_CHEST', 'LYING_LEFT', 'LYING_RIGHT'] as const;

/** Codes of the `leanSide` column (the `c` of resting_posture); 0 unknown. Stored. */
export const LEAN_SIDES = [null, 'NEUTRAL', 'LEAN_LEFT', 'LEAN_RIGHT'] as const;
/** Codes of the `leanForward` column (the `s` of resting_posture); 0 unknown. Stored. */
export const LEAN_FORWARDS = [null, 'NEUTRAL', 'SLOUCHING', 'LEAN_FORWARD', 'RECLINING'] as const;

/**
 * One row per second of a window; row i is the second that starts at `startMs + 1000 * i`. All zone offsets in use are whole
 * seconds, so local noon falls on one.
 */
export interface SecondColumns {
  startMs: number;
  count: number;
  /** 1 when any sensor was worn in this second. */
  worn: Uint8Array;
  /** 1 when a recording covers this second, worn or not. */
  recorded: Uint8Array;
  /** Sum (ms) and number of the valid RR intervals that end in this second. Heart rate = 60000 * n / sum. */
  rrSumMs: Float32Array;
  rrCount: Uint8Array;
  /** Sum (ms^2) and number of the squared differences of successive normal RR intervals that end in this second. */
  rrDiffSquaredMs2: Float32Array;
  rrDiffCount: Uint8Array;
  /** Which sensor the intervals of this second come from: code of {@link HEART_SOURCES}. Absent before version 10. */
  heartSource?: Uint8Array;
  /** Intervals that end in this second and are left out of variability. Absent before version 10. */
  rrExcluded?: Uint8Array;
  /** LF/HF of the 5 minutes around this second; NaN without enough normal intervals. */
  lfHf: Float32Array;
  /** Breaths per minute, asleep and where sleep cannot be distinguished from waking rest; NaN when unsure. */
  respiration: Float32Array;
  activity: Uint8Array;
  steps: Uint8Array;
  /** Activity counts of the second (additive over bins); NaN when no motion sensor is worn. */
  counts: Float32Array;
  leanSide: Uint8Array;
  leanForward: Uint8Array;
  /** Degrees; NaN when unknown. */
  leanSideDegrees: Float32Array;
  leanForwardDegrees: Float32Array;
  sleepingPosture: Uint8Array;
  /** 1 while asleep. */
  asleep: Uint8Array;
  /** Where the sensor is by which sleep is found in the window. Absent without motion, and before version 11. */
  sleepSource?: BodySite;
  /** 1 where a person excluded the beats of a recording and no other shows any. Absent where nothing is excluded. */
  excluded?: Uint8Array;
  /** 1 where an ECG shows a rhythm that cannot be resolved into beats, so there is no heart rate. Absent before version 9. */
  unresolved?: Uint8Array;
  /** Of a wrist, waist or lower back sensor: absent without one, and before version 11. */
  epochs?: EpochSeconds;
  /** Of an ECG or beat intervals: absent without them, and before version 11. */
  rhythm?: RhythmSeconds;
  /** Variability per five minutes that begin in the window. Absent before version 11. */
  fiveMinutes?: FiveMinutes;
}

/** Columns of {@link FiveMinutes}. */
export const FIVE_MINUTE_COLUMNS = [
  'nnMeanMs',
  'sdnnMs',
  'pnn50Percent',
  'lfMs2',
  'hfMs2',
  'totalMs2',
  'sd1Ms',
  'sd2Ms',
  'sampleEntropy',
] as const;
export type FiveMinuteColumn = (typeof FIVE_MINUTE_COLUMNS)[number];

/**
 * Variability of normal intervals, one row per five minutes; row i begins at `startMs + 300,000 i`, a multiple of five minutes
 * since the epoch. NaN where normal intervals cover less than 80 % of the five minutes.
 */
export interface FiveMinutes extends Record<FiveMinuteColumn, Float32Array> {
  startMs: number;
  /** Normal intervals, successive differences of them, and how many of these exceed 50 ms; also where they are too few. */
  nnCount: Uint16Array;
  differences: Uint16Array;
  differencesOver50: Uint16Array;
}

/** Codes of sleep by counts; 0 unknown. Stored. */
export const COUNT_SLEEP = [null, 'ASLEEP', 'AWAKE'] as const;

/** What epochs of acceleration show, per second of a window; an epoch's value is that of each of its seconds. */
export interface EpochSeconds {
  /** Milli-g; NaN where the sensor is not known to be worn. */
  enmo: Float32Array;
  mad: Float32Array;
  /** ActiLife counts of the second per axis; NaN where the sensor is not known to be worn. */
  countsX: Float32Array;
  countsY: Float32Array;
  countsZ: Float32Array;
  /** Code of INTENSITIES. */
  intensity: Uint8Array;
  /** Codes of COUNT_SLEEP per minute of counts, in each of its seconds: after Sadeh, and after Cole and Kripke. */
  sadeh: Uint8Array;
  coleKripke: Uint8Array;
  /** 1 where a sensor that can tell posture and steps was worn: a wrist cannot. */
  bodyKnown: Uint8Array;
  details: EpochDetails;
}

/** A correction by a person that is in force; corrections are applied in their order. */
export interface Correction {
  kind: CorrectionKind;
  /** Of beats and excluded spans. */
  recordingId?: string;
  /** The beat as it was when it was corrected, or the added one, epoch microseconds. */
  timeUs?: number;
  /** Where a moved beat went. */
  toUs?: number;
  code?: BeatCode;
  /** The span that it touches, epoch ms, stop exclusive. */
  startMs: number;
  stopMs: number;
}

/** What the heartbeats show beyond their rate, per second of a window. */
export interface RhythmSeconds {
  /** Quality of the best ECG, 0 to 100; 255 without an ECG. */
  quality: Uint8Array;
  /** Ventricular and supraventricular ectopic beats of the second, from an ECG; none of the latter in atrial fibrillation. */
  ventricular: Uint8Array;
  supraventricular: Uint8Array;
  /** Runs of three or more supraventricular ectopic beats that begin in the second. */
  supraventricularRuns: Uint8Array;
  /** Length of the pause that ends in this second; 0 for none. */
  pauseMs: Float32Array;
  /** Codes of RATE_EPISODES, ECG_STATES and AF_STATES in rhythm/settings.ts. */
  rateEpisode: Uint8Array;
  ecgState: Uint8Array;
  afState: Uint8Array;
}

/** A time span in epoch milliseconds, stop exclusive. */
export interface Span {
  startMs: number;
  stopMs: number;
}

/** One sleep period: from falling asleep to the final wake. */
export interface SleepPeriod {
  onsetMs: number;
  wakeMs: number;
}

/** A window of 24 hours (23 or 25 on days of a clock change) from local noon of the day before to local noon of `date`. */
export interface NoonWindow extends Span {
  /** The local date whose night this window holds: YYYY-MM-DD. */
  date: string;
}

/** The results of one window. */
export interface WindowResult {
  window: NoonWindow;
  seconds: SecondColumns;
  /**
   * Sleep periods that begin inside the window, longest first; they may end after it. Before them stands a period that began
   * before the window and ends in it: it belongs to the date before.
   */
  sleep: SleepPeriod[];
  /** Times of the steps in the `steps` column, epoch microseconds; absent from stored windows. */
  stepsUs?: Float64Array;
}

/** One day's metrics by their names in the API; a metric without enough data is absent. */
export interface DailyMetrics {
  date: string;
  dayStartMs: number;
  dayStopMs: number;
  /** First and last recorded instant of the day. */
  dataStartMs: number;
  dataStopMs: number;
  metrics: Record<string, number>;
  /**
   * Seconds of valid data per state, shown as "from 6 h 12 min resting". RHYTHM_UNRESOLVED counts those whose rhythm could not be
   * resolved into beats; absent when there are none. Where reported intervals are used, HEART_ECG, HEART_RR and HEART_PPI are the
   * seconds of valid intervals by their origin, BEAT_INTERVALS the number of intervals between heartbeats, and
   * BEAT_INTERVALS_LEFT_OUT how many of them variability leaves out. HEART_EXCLUDED counts those in which a person excluded the
   * beats; absent when there are none. HEART_AF counts those with intervals between heartbeats, for atrial fibrillation.
   */
  validSeconds: Record<string, number>;
  /** How acceleration was classified; absent without epochs. */
  epochMethod?: EpochMethod;
}
