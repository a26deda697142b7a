/**
 * What the activity rules weigh by amounts. They are fixed; benches pass others to find out how much the results hang on them
 * (each wearer scored by what the other wearers would have chosen).
 */
export interface ActivitySettings {
  /** Halfway between a standing and a seated thigh (Acti4). */
  seatedThighDegrees: number;
  /** Recliners take a seated trunk to some 65 degrees; a raised pillow leaves a lying one at 75. */
  lyingTrunkDegrees: number;
  leaningTrunkDegrees: number;
  /** A thigh rolled this far from front-up is not seated. */
  rolledThighDegrees: number;
  /** A moving trunk with its front down bends to the ground; any other level trunk that moves turns in bed. */
  frontDownDegrees: number;
  /** Movement (SD, g) of a body that does more than shift its weight. */
  movingThighG: number;
  movingTrunkG: number;
  runningThighG: number;
  runningTrunkG: number;
  longestRunningStepSeconds: number;
  runningRhythm: number;
  /** Pedalling: mostly below 3 Hz (see orientation.ts), with the knee in front of the hip. */
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

/** The same of the step rule. */
export interface StepSettings {
  /** Autocorrelation of all axes one stride apart from which movement is gait. */
  leastStrideRhythm: number;
  /** A rhythm without movement at the step rate is no walk: a shuffle of the very old reaches 0.04 g. */
  leastDeviationG: number;
  /** A step may come this fraction of a period early or late. */
  tolerance: number;
  /** An edge step is at least this part of the usual step of its walk. */
  edgeStepShare: number;
  /** Cost in g of a step a whole period off its beat: the size of a clear step peak. */
  offBeatCostG: number;
}

export const STEP_SETTINGS: StepSettings = {
  leastStrideRhythm: 0.35,
  leastDeviationG: 0.04,
  tolerance: 0.35,
  edgeStepShare: 0.35,
  offBeatCostG: 1,
};
