/** Fused results of the motion sensors over a span; row i is the second `startSecond + i` (epoch seconds). */
export interface MotionSpan {
  startSecond: number;
  count: number;
  /** 1 when at least half of the second is covered by samples of any sensor, an ECG included. */
  recorded: Uint8Array;
  /** 1 when any sensor was worn. */
  worn: Uint8Array;
  /** Codes of ACTIVITIES, never SLEEPING (see `detectSleep`); 0 when not worn or unknown. */
  activity: Uint8Array;
  /** Steps in the second. */
  steps: Uint8Array;
  /** Times of those steps, epoch microseconds, increasing. */
  stepsUs: Float64Array;
  /** Vector magnitude of the activity counts of the preferred worn sensor; NaN when no motion sensor is worn. */
  counts: Float32Array;
  /** Codes of LEAN_SIDES and LEAN_FORWARDS while the trunk is known and upright at rest, else 0. */
  leanSide: Uint8Array;
  leanForward: Uint8Array;
  /** Degrees, right and forward positive; NaN when unknown. */
  leanSideDegrees: Float32Array;
  leanForwardDegrees: Float32Array;
  /**
   * Degrees the trunk is rolled while lying: 0 on the back, 90 on the left side, 180 on the chest, -90 on the right side;
   * NaN when not lying or not known.
   */
  lyingRollDegrees: Float32Array;
  /** 1 when a sensor was worn that can show steps and posture: any but a wrist. */
  bodyKnown: Uint8Array;
  /** 1 when a worn trunk sensor of known orientation distinguishes lying from sitting. */
  trunkKnown: Uint8Array;
  /** SD of the acceleration of the preferred worn sensor, g (root of the summed axis variances); NaN when none is worn. */
  movement: Float32Array;
  /** Posture change, degrees between the gravity of this second and the one before; NaN when unknown. */
  turnDegrees: Float32Array;
}
