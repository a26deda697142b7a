/**
 * Tuned thresholds of the activity rules. Constant in production; benches vary them for leave-one-wearer-out cross-validation.
 */
export interface ActivitySettings {
  /** Thigh tilt halfway between standing and seated (Acti4). */
  seatedThighDegrees: number;
  /** Trunk tilt: a recliner leaves a seated trunk at about 65 degrees, a raised pillow a lying one at 75. */
  lyingTrunkDegrees: number;
  leaningTrunkDegrees: number;
  /** A thigh rolled this far from front-up is not seated. */
  rolledThighDegrees: number;
  /** A moving, level trunk with its front down is bending to the ground; otherwise it is turning in bed. */
  frontDownDegrees: number;
  /** Movement (SD, g) beyond shifting one's weight. */
  movingThighG: number;
  movingTrunkG: number;
  runningThighG: number;
  runningTrunkG: number;
  longestRunningStepSeconds: number;
  runningRhythm: number;
  /** Pedalling: mostly below 3 Hz (see `sharpness` in orientation.ts), with the knee in front of the hip. */
  pedallingSharpness: number;
  pedallingThighG: number;
  pedallingFlexionDegrees: number;
  saddleFlexionDegrees: number;
  mostFlexedDegrees: number;
  swayingTrunkSharpness: number;
  handlebarLeanDegrees: number;
  bentOverBarsDegrees: number;
}

export const ACTIVITY_SETTINGS: ActivitySettings = {
  seatedThighDegrees: 45,
  lyingTrunkDegrees: 70,
  leaningTrunkDegrees: 40,
  rolledThighDegrees: 60,
  frontDownDegrees: 120,
  movingThighG: 0.18,
  movingTrunkG: 0.09,
  runningThighG: 0.95,
  runningTrunkG: 0.58,
  longestRunningStepSeconds: 0.44,
  runningRhythm: 0.4,
  pedallingSharpness: 0.75,
  pedallingThighG: 0.12,
  pedallingFlexionDegrees: 14,
  saddleFlexionDegrees: 22,
  mostFlexedDegrees: 65,
  swayingTrunkSharpness: 0.6,
  handlebarLeanDegrees: 8,
  bentOverBarsDegrees: 18,
};

/** Tuned thresholds of the step rule. */
export interface StepSettings {
  /** Least autocorrelation of all axes at the stride lag for movement to be gait. */
  leastStrideRhythm: number;
  /** Least movement (SD, g) of gait: a shuffling old person reaches 0.04 g. */
  leastDeviationG: number;
  /** A step may come this fraction of a period early or late. */
  tolerance: number;
  /** Least height of a step at the edge of a walk, as a part of the walk's median step. */
  edgeStepShare: number;
  /** Penalty in g for a step a whole period away from its expected time: the height of a clear step peak. */
  offBeatCostG: number;
}

export const STEP_SETTINGS: StepSettings = {
  leastStrideRhythm: 0.35,
  leastDeviationG: 0.04,
  tolerance: 0.35,
  edgeStepShare: 0.35,
  offBeatCostG: 1,
};
