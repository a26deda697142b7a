import type { MotionSpan } from '../motion/index.ts';
import type { SleepPeriod } from '../types.ts';

/** What is known of a span of seconds before sleep is: usually noon to noon with an hour's margin on both sides. */
export interface SleepInput {
  /** From `fuseMotion` over the same span. */
  motion: MotionSpan;
  /** Heart rate in beats/min per second of the span, NaN where unknown; absent without an ECG. */
  heartRate?: Float32Array;
}

/** Sleep over the same seconds as the input. */
export interface SleepResult {
  /** 1 while asleep; only in worn seconds. Such a second's activity is SLEEPING:LYING. */
  asleep: Uint8Array;
  /** Codes of LYING_POSTURES (a pair is first + 16 * second) in seconds asleep with a trunk sensor, else 0. */
  sleepingPosture: Uint8Array;
  /** All sleep periods of the span, naps included, in time order. */
  periods: SleepPeriod[];
}
