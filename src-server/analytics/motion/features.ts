import type { MotionFeatures, SecondFeatures, SignalChunk, SignalInput } from '../types.ts';
import { bodySiteOf } from './body-site.ts';
import { countsPerSecond } from './counts.ts';
import { findRhythm } from './rhythm.ts';
import { GRID_HZ, resampleSegments, type GridSegment } from './resample.ts';
import { findSteps } from './steps.ts';

/**
 * Columns of one motion segment, all in the sensor's own frame and in g:
 * - `coverage` percent of the second that samples cover; `saturated` percent of samples at the sensor's rail;
 * - `meanX..Z`, `sdX..Z` mean and SD per axis; `magnitude` mean of the vector magnitude, `magnitudeSd` its SD;
 * - `jerk` RMS change of acceleration per 1/30 s, summed over the axes;
 * - `countsX..Z` ActiGraph counts of the second;
 * - `stepPeriod` seconds per step of the rhythm around the second (0 when there is none), `stepRhythm` autocorrelation of
 *   the magnitude one step apart, `strideRhythm` autocorrelation of the 3-D acceleration two steps apart.
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
  'jerk',
  'countsX',
  'countsY',
  'countsZ',
  'stepPeriod',
  'stepRhythm',
  'strideRhythm',
] as const;
