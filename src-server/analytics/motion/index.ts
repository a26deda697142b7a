/**
 * Wear, activity, posture, steps and activity counts from acceleration.
 *
 * Stage 1 (`extractMotionFeatures`) reads one accelerometer once and computes features per second in the sensor's own frame.
 * Stage 2 (`fuseMotion`) orients the sensors, fuses them and classifies each second of a span.
 */

export { extractMotionFeatures } from './features.ts';
export { fuseMotion } from './fuse.ts';
export { SLOW_HZ } from './slow.ts';
export type { MotionSpan } from './span.ts';
