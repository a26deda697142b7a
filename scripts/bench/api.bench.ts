/**
 * The API over HTTP, with the client in another thread: reading 60 s of raw data from a day, streaming compared to
 * JSON.stringify of the same object, and the event loop of the server while long responses stream.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createSecondColumns } from '../../src-server/analytics/seconds.ts';
import { SYSTEM } from '../../src-server/db/index.ts';
import { DAY_MS } from '../../src-server/durations.ts';
import { fixedZone, noonWindowsBetween } from '../../src-server/study/day-windows.ts';
import { seededRandom } from '../../src-server/testing/signal-fixtures.ts';
import { startTestApi, type TestApi } from '../../src-server/testing/test-api.ts';
import { addTestRecording } from '../../src-server/testing/test-recording.ts';
import type { BenchRow } from './types.ts';

const START_MS = Date.UTC(2026, 0, 10, 12);
const READS = 200;
const HISTORY_DAYS = 7;
const LOOP_LIMIT_MS = 20;
const IDLE_MS = 3000;

interface Fetched {
  ms: number;
  bytes: number;
}

function fetchAll(api: TestApi, urls: string[]): Promise<Fetched[]> {
  return new Promise((resolve, reject) => {
    const workerData = { urls, authorization: api.authorization };
    const worker = new Worker(new URL('./api-client.ts', import.meta.url), { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

const percentile = (values: number[], share: number): number =>
  values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))]!;

/** Runs the work and returns the p99 event-loop delay of this thread during it, in ms. */
async function loopDelay(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay.percentile(99) / 1e6;
}

/** The bar applies to the delay itself; an idle loop of the same run shows the share of the machine. */
const loopRow = (name: string, value: number, idleMs: number): BenchRow => ({
  name,
  value,
  unit: 'ms',
  peer: 'an idle loop',
  peerValue: idleMs,
  ratio: value / idleMs,
  bar: `<= ${LOOP_LIMIT_MS} ms`,
  pass: value <= LOOP_LIMIT_MS,
});

async function addHistory(api: TestApi): Promise<void> {
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const stopMs = START_MS + HISTORY_DAYS * DAY_MS;
  const windows = noonWindowsBetween(START_MS, stopMs, fixedZone('Etc/GMT')).map((window) => {
    const seconds = createSecondColumns(window.startMs, (window.stopMs - window.startMs) / 1000);
    for (let i = 0; i < seconds.count; i++) {
      seconds.rrCount[i] = 1;
      seconds.rrSumMs[i] = 800 + (i % 100);
      seconds.activity[i] = 1 + (Math.floor(i / 60) % 8);
      seconds.worn[i] = 1;
      seconds.steps[i] = i % 3;
      seconds.counts[i] = (i % 64) / 16;
    }
    return { window, seconds, timezone: 'Etc/GMT', sleep: [], inputsHash: window.date };
  });
  await api.store.analytics.store({ ...place, algorithmVersion: 'bench', windows, days: [] }, SYSTEM);
  await addTestRecording(api.store, api.deps.signalsDir, place, {
    startUs: (stopMs - 10_000) * 1000,
    durationSeconds: 10,
    udid: 'AA:BB:CC:00:00:09',
  });
}

export async function run(): Promise<BenchRow[]> {
  const api = await startTestApi({ timeZones: ['Etc/GMT'] });
  try {
    const params = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
    await addTestRecording(api.store, api.deps.signalsDir, params, {
      startUs: START_MS * 1000,
      durationSeconds: 86_400,
    });
    const raw = (from: number, to: number) => api.client.url('getRawData', { params, query: { from, to } });
    const random = seededRandom(1);
    const starts = Array.from({ length: READS }, () => START_MS + Math.floor(random() * (DAY_MS - 60_000)));
    await fetchAll(
      api,
      starts.slice(0, 20).map((from) => raw(from, from + 59_999)),
    );
    const reads = await fetchAll(
      api,
      starts.map((from) => raw(from, from + 59_999)),
    );
    const readMs = percentile(
      reads.map(({ ms }) => ms),
      0.95,
    );

    const object = await (
      await fetch(raw(START_MS, START_MS + 59_999), { headers: { authorization: api.authorization } })
    ).json();
    const stringifyMs = percentile(
      Array.from({ length: 50 }, () => {
        const started = performance.now();
        JSON.stringify(object);
        return performance.now() - started;
      }),
      0.5,
    );
    const medianMs = percentile(
      reads.map(({ ms }) => ms),
      0.5,
    );

    const idleDelay = await loopDelay(() => setTimeout(IDLE_MS));
    const page = raw(START_MS, START_MS + DAY_MS);
    const pageDelay = await loopDelay(() =>
      fetchAll(
        api,
        Array.from({ length: 10 }, () => page),
      ),
    );

    await addHistory(api);
    const history = api.client.url('getChannels', {
      params: { ...params, pipelineId: 'fdd051b8-d753-11e6-ab51-34363bc84032' },
      query: { masterId: '4e8a80fd-4778-11e6-a313-34363bc3dbe2', from: 0, to: 32_503_680_000_000, interval: 1000 },
    });
    let answers: Fetched[] = [];
    const historyDelay = await loopDelay(async () => {
      answers = await fetchAll(api, [history]);
    });
    const perDay = answers[0]!.ms / HISTORY_DAYS;
    return [
      {
        name: '60 s of raw data from a day over HTTP, p95',
        value: readMs,
        unit: 'ms',
        bar: '<= 10 ms',
        pass: readMs <= 10,
      },
      {
        name: '60 s of raw data over HTTP, median',
        value: medianMs,
        unit: 'ms',
        peer: 'JSON.stringify of the same object',
        peerValue: stringifyMs,
        ratio: medianMs / stringifyMs,
        pass: true,
      },
      loopRow('event loop while full pages of raw data stream, p99', pageDelay, idleDelay),
      {
        name: 'whole history at 1 s, per day of data',
        value: perDay,
        unit: 'ms',
        bar: '<= 1000 ms',
        pass: perDay <= 1000,
      },
      loopRow('event loop while the whole history streams, p99', historyDelay, idleDelay),
    ];
  } finally {
    await api.close();
  }
}
