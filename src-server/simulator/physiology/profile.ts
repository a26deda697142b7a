import type { Random } from './random.ts';

/** Individual parameters of a simulated subject; those not given are drawn from the seed. */
export interface SubjectProfile {
  /** Heart rate at rest, awake, in beats per minute. */
  restingHeartRate: number;
  /** Scales respiratory sinus arrhythmia and the 0.1 Hz rhythm; 1 is a healthy adult. */
  variability: number;
  prematureVentricularPerHour: number;
  prematureAtrialPerHour: number;
  /** Height of the R wave, volts. */
  rWaveV: number;
  /** Deviation of the white noise of the ECG at rest, volts; muscles add to it in motion. */
  ecgNoiseV: number;
  /** Amplitude of mains hum in the ECG, volts, and its frequency. */
  mainsV: number;
  mainsHz: number;
  /** Breaths per minute asleep. */
  restingRespiration: number;
  /** Steps per second at an ordinary walk. */
  cadenceHz: number;
  /** Above 1: shorter bouts of sitting, more walking. */
  restlessness: number;
  wakeHour: number;
  /** Local hour of going to bed, above 12 (24.5 is half past midnight). */
  bedHour: number;
  chargeHour: number;
  /** Chance per day of a bicycle ride and of a run; chance that an awakening leads out of bed. */
  cyclingChance: number;
  runningChance: number;
  nocturiaChance: number;
}

/** Draws a plausible adult from the stream. */
export const drawProfile = (random: Random, timeZone: string, given: Partial<SubjectProfile> = {}): SubjectProfile => ({
  restingHeartRate: random.range(56, 72),
  variability: random.range(0.7, 1.2),
  prematureVentricularPerHour: random.range(0.5, 8),
  prematureAtrialPerHour: random.range(0.5, 8),
  rWaveV: random.range(0.0008, 0.0014),
  ecgNoiseV: random.range(12e-6, 24e-6),
  mainsV: random.range(2e-6, 8e-6),
  // 60 Hz across the Americas; elsewhere 50 Hz (Japan has both, and its east, where Tokyo lies, 50 Hz).
  mainsHz: /^(America|US|Canada)\//.test(timeZone) ? 60 : 50,
  restingRespiration: random.range(12.5, 15.5),
  cadenceHz: random.range(1.7, 1.95),
  restlessness: random.range(0.8, 1.3),
  wakeHour: random.range(6.2, 7.4),
  bedHour: random.range(22.3, 23.6),
  chargeHour: random.range(18.5, 20),
  cyclingChance: 0.4,
  runningChance: 0.15,
  nocturiaChance: 0.4,
  ...given,
});
