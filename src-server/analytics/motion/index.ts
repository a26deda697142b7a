/**
 * Motion: from acceleration to wear, activity, posture, steps and activity counts.
 *
 * Stage 1 (`extractMotionFeatures`) reads one accelerometer once and keeps features per second in the sensor's own frame.
 * Stage 2 (`fuseMotion`) orients the sensors, joins them and says what the wearer did in each second of a span.
 */

export { extractMotionFeatures } from './features.ts';
export { fuseMotion } from './fuse.ts';
export { SLOW_HZ } from './slow.ts';
export type { MotionSpan } from './span.ts';
