import { afterAll, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { simulateSubject } from '../../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../simulator/physiology/write.ts';
import { fixedZone, midnightWindowsBetween, noonWindowsBetween } from '../../study/day-windows.ts';
import { analyseWhole } from '../../testing/analyse-whole.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import type { AnalysisRecording } from './contract.ts';

const START_MS = Date.UTC(2024, 4, 14, 15);
const ZONE = fixedZone('US/Eastern');
const DAYS = 7;
const folder = temporaryFolder();
afterAll(() => folder.remove());

it('computes many days as it does each alone, although it forgets recordings meanwhile', async () => {
  const recordings: AnalysisRecording[] = [];
  for (let day = 0; day < DAYS; day++) {
    const startMs = START_MS + day * DAY_MS;
    const stopMs = startMs + 5 * MINUTE_MS;
    const options = { seed: 3 + day, timeZone: 'US/Eastern', startMs, stopMs, dailyCharging: false };
    for (const recording of simulateSubject(options).recordings) {
      const recordingId = `${recording.header.recordingId}-${day}`;
      const { path, startUs, stopUs } = await writeSimulatedRecording(folder.path, recording);
      recordings.push({ recordingId, path, location: recording.header.physicalConfig.location, startUs, stopUs });
    }
  }
  const windows = noonWindowsBetween(START_MS, START_MS + (DAYS - 1) * DAY_MS + MINUTE_MS, ZONE);
  const days = midnightWindowsBetween(windows[0]!.startMs, windows.at(-1)!.stopMs, ZONE);
  const request = { recordings, windows, reached: [], days, neighbours: [], labels: [] };
  const reads = new Set<string>();
  const onProgress = (_done: number, _total: number, step: string) => void reads.add(step);
  const all = await analyseWhole(request, onProgress);
  expect(recordings).toHaveLength(2 * DAYS);
  expect(reads).toContain(`reading recording ${2 * DAYS} of ${2 * DAYS}`);
  expect(all.windows).toHaveLength(DAYS);
  // Backwards, so that none is still kept from the window before.
  for (const [index, window] of [...windows.entries()].reverse()) {
    const alone = await analyseWhole({ ...request, windows: [window], days: [] });
    expect(Buffer.compare(alone.windows[0]!.columns, all.windows[index]!.columns)).toBe(0);
  }
});
