/** Raw data as an Arrow stream, compared with the JSON response for the same window. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Table, tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import type { RawDataPage } from '../contract/index.ts';

const START_MS = Date.UTC(2026, 0, 15, 11);
const ARROW = 'application/vnd.apache.arrow.stream';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  for (const udid of ['AA:BB:CC:00:00:01', 'AA:BB:CC:00:00:02']) {
    const options = { startUs: START_MS * 1000 + 600, durationSeconds: 900, udid };
    await addTestRecording(api.store, api.deps.signalsDir, place(), options);
  }
});
afterAll(() => api.close());

const place = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0]! });

async function arrow(href: string): Promise<{ table: Table; response: Response; metadata: Map<string, string> }> {
  const response = await fetch(href, { headers: { authorization: api.authorization, accept: ARROW } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(ARROW);
  const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
  return { table, response, metadata: table.schema.metadata };
}

const urlOf = (query: Record<string, string | number>) =>
  api.client.url('getRawData', { params: place(), query: query as never });

describe('raw data as Arrow', () => {
  it('has the rows of the JSON response, with microseconds, units and recordings', async () => {
    const query = { from: START_MS, to: START_MS + 20_000 };
    const json = await api.client.call('getRawData', { params: place(), query: { ...query, tsMicros: true } });
    const { table, metadata, response } = await arrow(urlOf(query));
    expect(response.headers.get('vary')).toContain('Accept');
    expect(table.schema.fields.map(({ name, type, nullable }) => [name, String(type), nullable])).toEqual([
      ['recording_id', 'Dictionary<Int16, Utf8>', false],
      ['type', 'Dictionary<Int16, Utf8>', false],
      ['time', 'Timestamp<MICROSECOND, UTC>', false],
      ['x', 'Float64', true],
      ['y', 'Float64', true],
      ['z', 'Float64', true],
      ['v', 'Float64', true],
    ]);
    const rows = json.channels.flatMap(({ type, times, values, recording }) =>
      times.map((time, i) => [
        recording.id,
        type,
        time,
        ...['x', 'y', 'z', 'v'].map((name) => values[name]?.[i] ?? null),
      ]),
    );
    const columns = ['recording_id', 'type', 'x', 'y', 'z', 'v'].map((name) => table.getChild(name)!);
    const times = table.batches.flatMap((batch) => [...(batch.getChild('time')!.data[0]!.values as BigInt64Array)]);
    const read = times.map((time, i) => {
      const [recordingId, type, ...values] = columns.map((column) => column.get(i) as unknown);
      return [recordingId, type, Number(time), ...values];
    });
    expect(read).toEqual(rows);
    expect(metadata.has('next')).toBe(false);
    expect(metadata.has('warnings')).toBe(false);
    expect(JSON.parse(metadata.get('channels')!)).toEqual(
      json.channels.map(({ type, dimensions, recording }) => ({
        recordingId: recording.id,
        type,
        dimensions,
        unit: type === 'ECG' ? 'V' : 'g',
        nominalRateHz: type === 'ECG' ? 250 : 31.25,
        udid: recording.udid,
        physicalConfig: recording.physicalConfig,
      })),
    );
  });

  it('continues by the link in metadata and header without losing or repeating rows', async () => {
    let href = urlOf({ from: 0, to: START_MS + 3_600_000 });
    const counts = new Map<string, number>();
    let pages = 0;
    for (let next: string | undefined = href; next !== undefined; pages++) {
      const { table, metadata, response } = await arrow(href);
      for (const batch of table.batches) {
        const key = `${batch.getChild('recording_id')!.get(0)} ${batch.getChild('type')!.get(0)}`;
        counts.set(key, (counts.get(key) ?? 0) + batch.numRows);
      }
      next = metadata.get('next');
      expect(response.headers.get('link')).toBe(next === undefined ? null : `<${next}>; rel="next"`);
      href = `${api.url}/api${next}`;
    }
    expect(pages).toBeGreaterThan(2);
    expect([...counts.values()].sort((a, b) => a - b)).toEqual([28_125, 28_125, 225_000, 225_000]);
  });

  it('is a stream with only its schema where there is no data', async () => {
    const { table } = await arrow(urlOf({ from: 0, to: 1 }));
    expect(table.numRows).toBe(0);
    expect(table.schema.fields.map(({ name }) => name)).toEqual(['recording_id', 'type', 'time']);
  });

  it.each(['application/json', '*/*', 'text/html', `${ARROW};q=0.1, application/json`])(
    'is JSON with the Accept header %s',
    async (accept) => {
      const headers = { authorization: api.authorization, accept };
      const response = await fetch(urlOf({ from: START_MS, to: START_MS + 100 }), { headers });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(((await response.json()) as RawDataPage).channels).toHaveLength(4);
    },
  );

  it('reports unreadable data in its metadata', async () => {
    const lost = await addTestRecording(api.store, api.deps.signalsDir, place(), {
      startUs: START_MS * 1000,
      udid: 'AA:BB:CC:00:00:03',
    });
    await rm(join(api.deps.signalsDir, `${lost.id}.sig`));
    const { metadata, table } = await arrow(urlOf({ from: START_MS, to: START_MS + 1000 }));
    expect(table.numRows).toBeGreaterThan(0);
    expect(JSON.parse(metadata.get('warnings')!)).toMatchObject([{ recordingId: lost.id }]);
  });
});
