import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { createSignalFile } from '../../signals/index.ts';
import { simulateSubject } from '../../simulator/physiology/subject.ts';
import { fixedZone, noonWindowsBetween } from '../../study/day-windows.ts';
import type { AnalysedOnce } from '../../testing/analyse-once.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import type { AnalyseRequest } from './contract.ts';
import { ANALYTICS_ENGINE_OPTIONS, analyticsEnvironment } from './supervisor.ts';

const START_MS = Date.UTC(2024, 4, 14, 12);
const ZONE = fixedZone('UTC');
const folder = temporaryFolder();
afterAll(() => folder.remove());

/** A simulated hour of a thigh sensor, repeated for some days. */
async function requestOf(days: number): Promise<AnalyseRequest> {
  const stopMs = START_MS + HOUR_MS;
  const options = { seed: 5, timeZone: 'UTC', startMs: START_MS, stopMs, dailyCharging: false };
  const hour = simulateSubject(options).recordings.find(({ header }) =>
    header.physicalConfig.location.includes('THIGH'),
  )!;
  const pages = [...hour.pages()];
  const path = join(folder.path, `${days}.sig`);
  const writer = await createSignalFile(path, hour.header);
  for (let k = 0; k < 24 * days; k++) {
    for (const page of pages) await writer.append({ ...page, startUs: page.startUs + k * HOUR_MS * 1000 });
  }
  const { startUs, stopUs } = await writer.finish();
  const { location } = hour.header.physicalConfig;
  return {
    recordings: [{ recordingId: `${days}`, path, location, startUs, stopUs }],
    windows: noonWindowsBetween(START_MS, START_MS + days * DAY_MS - 1, ZONE),
    ...{ reached: [], days: [], neighbours: [], labels: [] },
  };
}

async function memoryOf(days: number): Promise<AnalysedOnce> {
  const child = fork(new URL('../../testing/analyse-once.ts', import.meta.url), {
    serialization: 'advanced',
    execArgv: [...ANALYTICS_ENGINE_OPTIONS],
    env: analyticsEnvironment(),
  });
  child.send(await requestOf(days));
  const [answer] = (await once(child, 'message')) as [AnalysedOnce];
  return answer;
}

it('needs hardly more memory for nine days than for three', async () => {
  const three = await memoryOf(3);
  const nine = await memoryOf(9);
  expect(three.windows).toBe(3);
  expect(nine.windows).toBe(9);
  // The garbage of V8 varies by a tenth; the samples of six more days would add three quarters.
  expect(nine.peakBytes).toBeLessThan(1.3 * three.peakBytes);
});
