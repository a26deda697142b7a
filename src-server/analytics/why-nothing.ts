/** Explains why a recording yields no results. */
import type { FoundInRecording } from './stored-features.ts';
import type { SignalSource } from './types.ts';

/** Slower signals are not used; see heart/segments.ts and motion/resample.ts. Intervals have no rate. */
const SLOWEST_HZ = { ECG: 60, ACCEL: 8, RR: 0, PPI: 0 };
const NAMES = {
  ECG: 'The ECG',
  ACCEL: 'The acceleration',
  RR: 'The series of RR intervals',
  PPI: 'The series of pulse intervals',
};
/** Returns sentences that explain why signals of a recording yield no beats or no movement; none when they all do. */
export function whyNothing(
  signals: readonly Pick<SignalSource, 'type' | 'scale' | 'nominalRateHz'>[],
  { beats, unresolvedSeconds, motion }: FoundInRecording,
): string[] {
  if (signals.length === 0) return ['The recording holds no ECG, no beat intervals and no three-axis acceleration.'];
  return signals.flatMap(({ type, scale, nominalRateHz }) => {
    const name = NAMES[type];
    const slowest = SLOWEST_HZ[type];
    if (scale.some((value) => !Number.isFinite(value) || value === 0))
      return [`${name} has no usable scale, so it was left out.`];
    if (nominalRateHz < slowest)
      return [`${name} was sampled at ${nominalRateHz} Hz; the analysis needs at least ${slowest} Hz.`];
    if (type === 'ECG' && unresolvedSeconds > 0) {
      const time = `${unresolvedSeconds} s of the ECG`;
      return [
        `In ${time} the rhythm cannot be resolved into beats (as in ventricular flutter or fibrillation, or strong interference), so there is no heart rate.`,
      ];
    }
    if ((type === 'RR' || type === 'PPI') && beats === 0) return [`${name} is empty.`];
    if (type === 'ECG' && beats === 0) return ['No heartbeat was found in the ECG. It may be flat or too short.'];
    if (type === 'ACCEL' && !motion)
      return ['The acceleration is too short to detect movement, or does not show gravity.'];
    return [];
  });
}
