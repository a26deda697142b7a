/** Recordings for a simulated hub: made by the simulated physiology, as its sensors would have recorded them until now. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { simulateSubject } from '../physiology/subject.ts';
import { writeSimulatedRecording } from '../physiology/write.ts';

export interface WornSensor {
  /** Serial number. */
  serial: string;
  udid: string;
  location: string;
}

export interface MadeRecording {
  path: string;
  sensor: string;
}

/**
 * Writes the recordings of sensors that one subject wore for `hours` up to `stopMs` into a new folder below `folder`; hands
 * each over and removes it after.
 */
export async function makeRecordings(
  folder: string,
  options: { sensors: readonly WornSensor[]; hours: number; stopMs: number; timeZone: string; seed: number },
  take: (made: MadeRecording) => Promise<void>,
): Promise<void> {
  const { sensors, hours, timeZone, seed } = options;
  const stopMs = Math.floor(options.stopMs / 1000) * 1000;
  const { recordings } = simulateSubject({
    seed,
    timeZone,
    startMs: stopMs - Math.round(hours * 3600) * 1000,
    stopMs,
    sensors: sensors.map(({ udid, location }) => ({
      location,
      side: isOnChest(location) ? 'NONE' : 'RIGHT',
      part: isOnChest(location) ? 'chest' : 'thigh',
      ecg: isOnChest(location),
      udid,
    })),
  });
  await mkdir(folder, { recursive: true });
  const made = await mkdtemp(join(folder, 'made-'));
  try {
    for (const recording of recordings) {
      const { path } = await writeSimulatedRecording(made, recording);
      const sensor = sensors.find(({ udid }) => udid === recording.header.udid)?.serial;
      if (sensor !== undefined) await take({ path, sensor });
      await rm(path, { force: true });
    }
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

function isOnChest(location: string): boolean {
  return location === 'MEDIAL_CHEST' || location.startsWith('ECG_LEAD');
}
