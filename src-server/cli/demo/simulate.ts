/** Worker of the demo: simulates one subject and writes the recordings, so that several subjects are made at once. */
import { ACTIVITIES, type Span } from '../../analytics/types.ts';
import type { SimulationOptions } from '../../simulator/physiology/options.ts';
import { simulateSubject } from '../../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../simulator/physiology/write.ts';

export interface SimulateTask {
  dir: string;
  options: SimulationOptions;
}

export interface SimulatedFile {
  path: string;
  location: string;
  udid: string;
  firmwareId: string;
  startMs: number;
  stopMs: number;
}

export interface SimulateOutcome {
  /** In order of their end, as a hub would bring them. */
  files: SimulatedFile[];
  /** Quiet times early on, in which a posture calibration fits. */
  calibrations: { posture: 'STANDING' | 'SITTING' | 'LYING'; span: Span }[];
  /** Walks of five minutes and more. */
  walks: Span[];
  sleep: Span[];
}

const CALIBRATION_SECONDS = 20;
const WALK_SECONDS = 300;

export default async function simulate({ dir, options }: SimulateTask): Promise<SimulateOutcome> {
  const { truth, recordings } = simulateSubject(options);
  const files: SimulatedFile[] = [];
  for (const recording of recordings) {
    const { path } = await writeSimulatedRecording(dir, recording);
    const { physicalConfig, udid, firmwareId } = recording.header;
    files.push({
      path,
      location: physicalConfig.location,
      udid,
      firmwareId,
      startMs: Math.floor(recording.startUs / 1000),
      stopMs: Math.floor(recording.stopUs / 1000),
    });
  }
  files.sort((a, b) => a.stopMs - b.stopMs || a.location.localeCompare(b.location));
  const calibrations = (['STANDING', 'SITTING', 'LYING'] as const).flatMap((posture) => {
    const span = runsOf(truth.activity, truth.worn, `RESTING:${posture}`, truth.startMs, CALIBRATION_SECONDS)[0];
    if (!span) return [];
    // The middle of the bout: its ends are still in motion.
    const startMs = Math.round((span.startMs + span.stopMs) / 2) - (CALIBRATION_SECONDS * 1000) / 2;
    return [{ posture, span: { startMs, stopMs: startMs + CALIBRATION_SECONDS * 1000 } }];
  });
  return {
    files,
    calibrations,
    walks: runsOf(truth.activity, truth.worn, 'MOVING:WALKING', truth.startMs, WALK_SECONDS),
    sleep: truth.sleep,
  };
}

/** Spans in which the worn subject keeps to one activity for at least so long. */
function runsOf(
  activity: Uint8Array,
  worn: Uint8Array,
  name: (typeof ACTIVITIES)[number],
  startMs: number,
  minimumSeconds: number,
): Span[] {
  const code = ACTIVITIES.indexOf(name);
  const spans: Span[] = [];
  let first = -1;
  for (let i = 0; i <= activity.length; i++) {
    const holds = i < activity.length && activity[i] === code && worn[i] === 1;
    if (holds && first < 0) first = i;
    if (!holds && first >= 0) {
      if (i - first >= minimumSeconds) spans.push({ startMs: startMs + first * 1000, stopMs: startMs + i * 1000 });
      first = -1;
    }
  }
  return spans;
}
