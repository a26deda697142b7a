import type { RecordingFeatures, SensorFeatures, SignalInput } from './types.ts';

/** Below these rates a signal is not used: see heart/stretches.ts and motion/resample.ts. */
const SLOWEST_ECG_HZ = 60;
const SLOWEST_MOTION_HZ = 8;
/** Percent of a second that samples must cover for it to count. */
const HALF_COVERED = 50;

/** Seconds of an ECG in which the rhythm has no separate beats. */
function unresolvedSeconds(sensor: SensorFeatures): number {
  return sensor.kind === 'ecg' ? sensor.seconds.columns.unresolved.filter((one: number) => one > 0).length : 0;
}

/** Why a recording's signals tell nothing of the heart or of movement: sentences for a person, none when they do. */
export function whyNothing(
  signals: readonly Pick<SignalInput, 'type' | 'scale' | 'nominalRateHz'>[],
  { sensors }: RecordingFeatures,
): string[] {
  if (signals.length === 0) return ['There is no ECG and no acceleration of three axes in it.'];
  return signals.flatMap(({ type, scale, nominalRateHz }) => {
    const name = type === 'ECG' ? 'The ECG' : 'The acceleration';
    const slowest = type === 'ECG' ? SLOWEST_ECG_HZ : SLOWEST_MOTION_HZ;
    if (scale.some((value) => !Number.isFinite(value) || value === 0))
      return [`${name} has no usable scale, so it was left out.`];
    if (nominalRateHz < slowest)
      return [`${name} was sampled at ${nominalRateHz} Hz; it takes ${slowest} Hz to make something of it.`];
    const beats = sensors.some((sensor) => sensor.kind === 'ecg' && sensor.beats.timesUs.length > 0);
    const unresolved = sensors.reduce((sum, sensor) => sum + unresolvedSeconds(sensor), 0);
    if (type === 'ECG' && unresolved > 0) {
      const time = `${unresolved} s of the ECG`;
      return [
        `In ${time} the rhythm cannot be resolved into beats (as in ventricular flutter or fibrillation, or strong interference), so there is no heart rate.`,
      ];
    }
    if (type === 'ECG' && !beats) return ['No heart beat was found in the ECG: it may be flat, or too short.'];
    const motion = sensors.some(
      (sensor) =>
        sensor.kind === 'motion' &&
        sensor.segments.some(({ columns }) => columns.coverage.some((percent) => percent >= HALF_COVERED)),
    );
    if (type === 'ACCEL' && !motion)
      return ['The acceleration is too short to tell movement, or does not even show gravity.'];
    return [];
  });
}
