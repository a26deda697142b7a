/** ETags of answers that stored content determines, and 304 for a client that has them. */
import { rename } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecondColumns } from '../../analytics/seconds.ts';
import { SYSTEM } from '../../db/index.ts';
import { fixedZone, noonWindow } from '../../study/day-windows.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { CHANNEL_TABLE, MASTER_ID, PIPELINE_ID } from '../contract/channels.ts';

const ZONE = 'Etc/GMT';
const DATE = '2026-01-15';
const WINDOW = noonWindow(DATE, fixedZone(ZONE));

let api: TestApi;
let recordingId: string;
beforeAll(async () => {
  api = await startTestApi({ timeZones: [ZONE] });
  recordingId = (
    await addTestRecording(api.store, api.deps.signalsDir, place(), {
      startUs: WINDOW.startMs * 1000,
      durationSeconds: 900,
    })
  ).id;
  await analyse(60);
});
afterAll(() => api.close());

const place = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0]! });

async function analyse(steps: number): Promise<void> {
  const seconds = createSecondColumns(WINDOW.startMs, 86_400);
  seconds.recorded.fill(1, 0, 900);
  seconds.steps.fill(1, 0, steps);
  const window = { window: WINDOW, seconds, timezone: ZONE, sleep: [], inputsHash: `${DATE} ${steps}` };
  await api.store.analytics.store(
    { ...place(), algorithmVersion: 'test', windows: [{ ...window, window: { ...WINDOW, date: DATE } }], days: [] },
    SYSTEM,
  );
}

const addresses = (): Record<string, string> => {
  const { studyId } = place();
  const span = { from: WINDOW.startMs, to: WINDOW.startMs + 60_000 };
  const channels = { params: { ...place(), pipelineId: PIPELINE_ID }, query: { masterId: MASTER_ID, ...span } };
  return {
    channels: api.client.url('getChannels', channels),
    'raw data': api.client.url('getRawData', { params: place(), query: span }),
    overview: api.client.url('getRecordingOverview', { params: { studyId, recordingId }, query: { bins: 10 } }),
    beats: api.client.url('getRecordingBeats', { params: { studyId, recordingId }, query: span }),
  };
};

const get = (href: string, headers: Record<string, string> = {}) =>
  fetch(href, { headers: { authorization: api.authorization, ...headers } });

async function tagOf(href: string, headers?: Record<string, string>): Promise<string> {
  const response = await get(href, headers);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('private, no-cache');
  await response.arrayBuffer();
  return response.headers.get('etag')!;
}

/** Uses Node's client: `fetch` adds `cache-control: no-cache` to a conditional request, which asks for the whole answer. */
async function statusOf(href: string, tag: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await rawGet(href, { 'if-none-match': tag, ...headers });
  if (response.status === 304) expect(response.length).toBe(0);
  return response.status;
}

function rawGet(href: string, headers: Record<string, string>): Promise<{ status: number; length: number }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(href, { headers: { authorization: api.authorization, ...headers } }, (response) => {
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
      });
      response.on('end', () => resolve({ status: response.statusCode!, length }));
    });
    sent.once('error', reject).end();
  });
}

const NAMES = ['channels', 'raw data', 'overview', 'beats'];

describe('answers that stored content determines', () => {
  it.each(NAMES)('of %s are answered 304 to a client that has them, and only then', async (name) => {
    const href = addresses()[name]!;
    const tag = await tagOf(href);
    expect(await tagOf(href)).toBe(tag);
    expect(await statusOf(href, tag)).toBe(304);
    expect(await statusOf(href, `"other", ${tag}`)).toBe(304);
    expect(await statusOf(href, 'W/"other"')).toBe(200);
    expect(await statusOf(href, '*')).toBe(200);
    expect(await statusOf(href, tag, { 'if-modified-since': '0' })).toBe(200);
    expect(await statusOf(href, tag, { 'cache-control': 'no-cache' })).toBe(200);
    expect(await statusOf(href, tag, { authorization: 'Basic eDp5' })).toBe(401);
  });

  it('have a tag of their own per type and window', async () => {
    const { channels } = addresses();
    const tags = [
      await tagOf(channels!),
      await tagOf(channels!, { accept: CHANNEL_TABLE }),
      await tagOf(`${channels!}&interval=1000`),
    ];
    expect(new Set(tags).size).toBe(3);
  });

  it('are recognised before the file is read', async () => {
    const { overview, beats } = addresses();
    const [first, second] = [await tagOf(overview!), await tagOf(beats!)];
    const path = join(api.deps.signalsDir, `${recordingId}.sig`);
    await rename(path, `${path}.away`);
    try {
      expect(await statusOf(overview!, first)).toBe(304);
      expect(await statusOf(beats!, second)).toBe(304);
      const failed = await get(overview!);
      expect(failed.status).toBeGreaterThanOrEqual(400);
      expect(failed.headers.get('etag')).toBeNull();
      expect(failed.headers.get('cache-control')).toBe('no-store');
    } finally {
      await rename(`${path}.away`, path);
    }
  });

  it('change with a new analysis, a new recording and a lost file', async () => {
    const { channels, overview, 'raw data': raw } = addresses();
    const before = await tagOf(channels!);
    await analyse(30);
    expect(await statusOf(channels!, before)).toBe(200);
    const rawBefore = await tagOf(raw!);
    const options = { startUs: WINDOW.startMs * 1000 + 10e6, durationSeconds: 60, udid: 'AA:BB:CC:00:00:09' };
    await addTestRecording(api.store, api.deps.signalsDir, place(), options);
    expect(await statusOf(raw!, rawBefore)).toBe(200);
    const overviewBefore = await tagOf(overview!);
    await api.store.recordings.setFileState(recordingId, 'MISSING', SYSTEM);
    expect(await statusOf(overview!, overviewBefore)).not.toBe(304);
    await api.store.recordings.setFileState(recordingId, 'PRESENT', SYSTEM);
  });
});
