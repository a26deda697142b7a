/** Compressed answers of the listener on the local network. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { decodeChannelTable } from '../contract/channel-table.ts';
import { CHANNEL_TABLE, MASTER_ID, PIPELINE_ID } from '../contract/channels.ts';
import { createApi } from '../create-api.ts';

const START_MS = Date.UTC(2026, 0, 15, 11);

let api: TestApi;
let recordingId: string;
const server = createServer();
beforeAll(async () => {
  api = await startTestApi({ timeZones: Array.from({ length: 300 }, () => 'Etc/GMT') });
  await api.store.settings.set('lan.deskOpen', true, { actor: { type: 'SYSTEM' } });
  const options = { startUs: START_MS * 1000, durationSeconds: 600 };
  recordingId = (await addTestRecording(api.store, api.deps.signalsDir, place(), options)).id;
  server.on('request', createApi(api.deps, 'lan'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await api.close();
});

const place = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0]! });
const lanUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Fetches an address of the loopback listener from the LAN one, without decoding: `fetch` would decode. */
function get(href: string, headers: Record<string, string>, { method = 'GET', root = lanUrl() } = {}): Promise<Answer> {
  const { pathname, search } = new URL(href);
  return new Promise((resolve, reject) => {
    const options = { method, headers: { authorization: api.authorization, ...headers } };
    const sent = httpRequest(root + pathname + search, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.once('error', reject).end();
  });
}

const decoded = ({ headers, body }: Answer): Buffer => {
  const coding = headers['content-encoding'];
  return coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body;
};

const addresses = (): [string, string][] => [
  ['a long list', api.client.url('listSubjects', { params: { studyId: api.studyId } })],
  ['a stored answer', api.client.url('listStudyRecordings', { params: { studyId: api.studyId } })],
  ['raw data', api.client.url('getRawData', { params: place(), query: { from: START_MS, to: START_MS + 60_000 } })],
  ['definitions', api.client.url('listMetricDefinitions')],
];

describe('answers on the local network', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
  ])('are the same with Accept-Encoding %s, in coding %s', async (accepted, coding) => {
    for (const [name, href] of addresses()) {
      const plain = await get(href, { 'accept-encoding': 'identity' }, { root: api.url });
      for (let time = 0; time < 2; time++) {
        const sent = await get(href, { 'accept-encoding': accepted });
        expect(sent.status, name).toBe(200);
        expect(sent.headers.vary, name).toContain('Accept-Encoding');
        expect(sent.headers['content-type']).toBe(plain.headers['content-type']);
        expect(decoded(sent).equals(plain.body), name).toBe(true);
        if (plain.body.length < 2048) continue;
        expect(sent.headers['content-encoding'], name).toBe(coding);
        if (coding) expect(sent.body.length, name).toBeLessThan(plain.body.length / 2);
      }
    }
  });

  it('carry binary channels, also without rows', async () => {
    const query = { masterId: MASTER_ID, from: START_MS, to: START_MS + 600_000, interval: 1000 };
    const href = api.client.url('getChannels', { params: { ...place(), pipelineId: PIPELINE_ID }, query });
    const sent = await get(href, { accept: CHANNEL_TABLE, 'accept-encoding': 'br' });
    expect(sent.headers.vary).toMatch(/Accept(,|$)/);
    const bytes = decoded(sent);
    expect(decodeChannelTable(new Uint8Array(bytes).buffer).times.length).toBe(0);
  });

  it('stay as they are on loopback, when short, for HEAD, for errors and where they hold a signed address', async () => {
    const [, list] = addresses()[0]!;
    const accept = { 'accept-encoding': 'br, gzip' };
    const params = { studyId: api.studyId, recordingId };
    const cases: [Promise<Answer>, number][] = [
      [get(list, accept, { root: api.url }), 200],
      [get(api.client.url('listAnnotations', { params: place() }), accept), 200],
      [get(list, accept, { method: 'HEAD' }), 200],
      [get(list, { ...accept, authorization: 'Basic eDp5' }), 401],
      [get(list.replace(/studies\/[^/]+/, 'studies/none'), accept), 404],
      [get(api.client.url('getRecordingExport', { params, query: { format: 'zip' } }), accept), 200],
    ];
    for (const [answer, status] of cases) {
      const { headers, ...sent } = await answer;
      expect(sent.status).toBe(status);
      expect(headers['content-encoding']).toBeUndefined();
    }
    const signed = await get(api.client.url('getRecordingExport', { params, query: { format: 'zip' } }), accept);
    const { href } = JSON.parse(signed.body.toString()) as { href: string };
    const file = await get(href, { ...accept, range: 'bytes=0-9' });
    expect(file.status).toBe(206);
    expect(file.headers).toMatchObject({ 'content-length': '10' });
    expect(file.headers['content-encoding']).toBeUndefined();
  });

  it('end for a reader that disconnects, and the site keeps answering', async () => {
    const query = { from: START_MS, to: START_MS + 600_000 };
    const href = api.client.url('getRawData', { params: place(), query });
    const { pathname, search } = new URL(href);
    const headers = { authorization: api.authorization, 'accept-encoding': 'br' };
    const sent = httpRequest(lanUrl() + pathname + search, { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { destroy(): void }];
    response.destroy();
    await once(response, 'close');
    expect((await get(href, { 'accept-encoding': 'br' })).status).toBe(200);
  });
});
