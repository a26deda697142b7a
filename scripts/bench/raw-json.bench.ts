/**
 * One minute of raw data over HTTP, compared to the simplest possible server: bare Express with JSON.stringify of the same
 * object in memory. Both answer the same client in another thread, in alternating rounds.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import express from 'express';
import { DAY_MS } from '../../src-server/durations.ts';
import { seededRandom } from '../../src-server/testing/signal-fixtures.ts';
import { startTestApi } from '../../src-server/testing/test-api.ts';
import { addTestRecording } from '../../src-server/testing/test-recording.ts';
import type { BenchRow } from './types.ts';

const START_MS = Date.UTC(2026, 0, 10, 12);
const WINDOW_MS = 60_000;
const ROUNDS = 10;
const READS_PER_ROUND = 30;
const BAR = 0.6;

interface Fetched {
  ms: number;
  bytes: number;
}

function fetchAll(urls: string[], authorization: string): Promise<Fetched[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./api-client.ts', import.meta.url), { workerData: { urls, authorization } });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

const percentile = (fetched: readonly Fetched[], share: number): number =>
  fetched.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(share * fetched.length)]!;

/** Bytes per ms over all answers. */
const throughput = (fetched: readonly Fetched[]): number =>
  fetched.reduce((sum, { bytes }) => sum + bytes, 0) / fetched.reduce((sum, { ms }) => sum + ms, 0);

export async function run(): Promise<BenchRow[]> {
  const api = await startTestApi({ timeZones: ['Etc/GMT'] });
  const app = express();
  const server = createServer(app);
  try {
    const params = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
    await addTestRecording(api.store, api.deps.signalsDir, params, {
      startUs: START_MS * 1000,
      durationSeconds: 86_400,
    });
    const random = seededRandom(1);
    const urlOf = () => {
      const from = START_MS + Math.floor(random() * (DAY_MS - WINDOW_MS));
      return api.client.url('getRawData', { params, query: { from, to: from + WINDOW_MS - 1 } });
    };
    const answer = await fetch(urlOf(), { headers: { authorization: api.authorization } });
    const object: unknown = await answer.json();
    app.get('/', (_request, response) => {
      response.type('application/json').end(JSON.stringify(object));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bare = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

    const ours: Fetched[] = [];
    const peers: Fetched[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const mine = await fetchAll(Array.from({ length: READS_PER_ROUND }, urlOf), api.authorization);
      const theirs = await fetchAll(new Array<string>(READS_PER_ROUND).fill(bare), api.authorization);
      // The first round warms up the servers, the first three responses of each thread warm up the client.
      if (round < 0) continue;
      ours.push(...mine.slice(3));
      peers.push(...theirs.slice(3));
    }
    const ratio = throughput(ours) / throughput(peers);
    return [
      {
        name: '60 s of raw data over HTTP, throughput',
        value: throughput(ours) / 1000,
        unit: 'MB/s',
        peer: 'bare Express, JSON.stringify',
        peerValue: throughput(peers) / 1000,
        ratio,
        bar: `>= ${BAR} x`,
        pass: ratio >= BAR,
      },
      ...[0.5, 0.95].map((share) => ({
        name: `60 s of raw data over HTTP, ${share === 0.5 ? 'median' : 'p95'}`,
        value: percentile(ours, share),
        unit: 'ms',
        peer: 'bare Express, JSON.stringify',
        peerValue: percentile(peers, share),
        ratio: percentile(ours, share) / percentile(peers, share),
        pass: true,
      })),
    ];
  } finally {
    server.closeAllConnections();
    server.close();
    await api.close();
  }
}
