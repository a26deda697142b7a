/** Explains why a recording yields no results. */
import type { FoundInRecording } from './stored-features.ts';
import type { SignalSource } from './types.ts';

/** Slower signals are not used; see heart/segments.ts and motion/resample.ts. */
const SLOWEST_ECG_HZ = 60;
const SLOWEST_MOTION_HZ = 8;
/** Returns sentences that explain why signals of a recording yield no beats or no movement; none when they all do. */
export function whyNothing(
  signals: readonly Pick<SignalSource, 'type' | 'scale' | 'nominalRateHz'>[],
  { beats, unresolvedSeconds, motion }: FoundInRecording,
): string[] {
  if (signals.length === 0) return ['The recording holds neither an ECG nor three-axis acceleration.'];
  return signals.flatMap(({ type, scale, nominalRateHz }) => {
    const name = type === 'ECG' ? 'The ECG' : 'The acceleration';
    const slowest = type === 'ECG' ? SLOWEST_ECG_HZ : SLOWEST_MOTION_HZ;
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
    if (type === 'ECG' && beats === 0) return ['No heartbeat was found in the ECG. It may be flat or too short.'];
    if (type === 'ACCEL' && !motion)
      return ['The acceleration is too short to detect movement, or does not show gravity.'];
    return [];
  });
}
