import { extractEcgFeatures } from './heart/index.ts';
import { extractIntervalFeatures, isIntervalType } from './intervals/extract.ts';
import { extractMotionFeatures } from './motion/index.ts';
import type { RecordingFeatures, SensorFeatures, SignalInput } from './types.ts';

/**
 * Stage 1: returns the features of one recording, which depend on it alone. Reads every channel once, in order.
 *
 * @param startUs first instant to use, epoch microseconds
 * @param stopUs end of the span to use, exclusive
 */
export function analyseRecording(
  recordingId: string,
  location: string,
  signals: SignalInput[],
  startUs: number,
  stopUs: number,
): RecordingFeatures {
  const sensors: SensorFeatures[] = [];
  for (const signal of signals) {
    if (signal.type === 'ECG') sensors.push(...extractEcgFeatures(signal, startUs, stopUs));
    else if (isIntervalType(signal.type))
      sensors.push(...extractIntervalFeatures(signal, signal.type, startUs, stopUs));
    else if (signal.type === 'ACCEL') sensors.push(extractMotionFeatures(signal, startUs, stopUs));
  }
  return { recordingId, location, startUs, stopUs, sensors };
}
