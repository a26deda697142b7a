/** The types of epochs of acceleration and of the rules that apply to them. */
import type { AnalysisParameters, CutPointId, IntensitySite, NonWearId } from '../../vocabulary/analysis-parameters.ts';

/** Why a sensor was not calibrated. */
export type CalibrationFault = 'TOO_FEW_WINDOWS' | 'SPHERE_NOT_COVERED' | 'NO_IMPROVEMENT';

/** Calibrated acceleration = (acceleration + offset) * gain, per axis; offset 0 and gain 1 where there was a fault. */
export interface Autocalibration {
  fault: CalibrationFault | null;
  offsetG: readonly [number, number, number];
  gain: readonly [number, number, number];
  /** Mean distance of the still windows from 1 g, before and after; NaN without windows. */
  errorBeforeG: number;
  errorAfterG: number;
  windows: number;
}

/**
 * Epochs [firstEpoch, firstEpoch + PIECE_EPOCHS), numbered since 1970: `enmo`, `enmoa` and `mad` in g, `angle` in degrees, `coverage`
 * percent of the epoch that samples cover. NaN and 0 without samples. `quarters` holds `QUARTER_VALUES` per quarter of an hour.
 */
export interface EpochPiece {
  firstEpoch: number;
  enmo: Float32Array;
  enmoa: Float32Array;
  mad: Float32Array;
  angle: Float32Array;
  coverage: Uint8Array;
  quarters: Float32Array;
}

/** Consecutive epochs, numbered since 1970; see `EpochPiece` for the columns. `quarters` begin at the quarter of the first epoch. */
export interface EpochRows extends EpochPiece {
  count: number;
}

/** The epochs of one sensor over its whole recording. */
export interface EpochSource {
  readonly calibration: Autocalibration;
  /** Epochs before the first and from the last on have no samples. */
  readonly firstEpoch: number;
  readonly stopEpoch: number;
  /** The epochs [fromEpoch, toEpoch), whether recorded or not. */
  read(fromEpoch: number, toEpoch: number): EpochRows;
}

/** Which published rules a study uses. */
export type EpochSettings = Pick<AnalysisParameters, 'cutPoints' | 'nonWear'>;

/** A calibration as results name it: NaN does not exist in JSON. */
export interface CalibrationDetails {
  fault: CalibrationFault | null;
  offsetG: number[];
  gain: number[];
  /** Null without still windows. */
  errorBeforeG: number | null;
  errorAfterG: number | null;
  windows: number;
}

/** How acceleration was calibrated and classified. */
export interface EpochMethod {
  site: IntensitySite;
  cutPoints: CutPointId;
  /** Null for a lower back: its wear follows from breathing too. */
  nonWear: NonWearId | null;
  calibration: CalibrationDetails;
}

/** How the epochs of a window were computed, and what belongs to more than its seconds. Stored with the columns. */
export interface EpochDetails extends EpochMethod {
  /** Of the whole recording; null with less than three days of it. */
  interdailyStability: number | null;
  intradailyVariability: number | null;
  /** Sleep of this window against that of the 24 hours before, in the same recording: 100 equal, -100 opposite. */
  sleepRegularity: number | null;
}
