import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import type { CsvMapping } from '../../vocabulary/csv-mapping.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const START_MS = 1_772_000_000_000;
const table = (rows: number, header = 'time;ecg (mV);note') =>
  `${header}\n${Array.from({ length: rows }, (_, i) => `${START_MS + i * 8};0,${i % 10};ok`).join('\n')}\n`;

async function zipOf(members: Record<string, Buffer>): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(members)) zip.addBuffer(bytes, name, { compress: false });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return new Uint8Array(Buffer.concat(chunks));
}

function recognise(head: BlobPart, facts: Record<string, string> = {}, tail?: BlobPart) {
  const body = new FormData();
  const sizeBytes = typeof head === 'string' ? Buffer.byteLength(head) : (head as Uint8Array).byteLength;
  for (const [name, value] of Object.entries({ fileName: 'file.bin', sizeBytes: String(sizeBytes), ...facts }))
    body.append(name, value);
  body.append('head', new Blob([head]), 'head');
  if (tail !== undefined) body.append('tail', new Blob([tail]), 'tail');
  return api.client.call('recogniseFile', { params: { studyId: api.studyId }, body });
}

/** An EDF header of one signal. */
function edfHeader(patient: string): string {
  const cell = (text: string, length: number): string => text.padEnd(length);
  const main = [
    cell('0', 8),
    cell(patient, 80),
    cell('Startdate 02-MAR-2022 X X X', 80),
    cell('02.03.22', 8),
    cell('10.55.06', 8),
    cell('512', 8),
    cell('EDF+C', 44),
    cell('1', 8),
    cell('1', 8),
    cell('1', 4),
  ];
  const signal = [
    cell('ECG', 16),
    cell('', 80),
    cell('mV', 8),
    cell('-5', 8),
    cell('5', 8),
    cell('-32768', 8),
    cell('32767', 8),
    cell('', 80),
    cell('100', 8),
    cell('', 32),
  ];
  return [...main, ...signal].join('') + '\0'.repeat(200);
}

describe('recognition', () => {
  it.each([
    ['S-017 F 02-MAY-1951 Ada_Example', 'S-017'],
    ['X X X X', undefined],
    ['Ada Example, born 1951', undefined],
  ])('shows of the EDF patient %j the code %s, never a name', async (patient, code) => {
    const found = await recognise(edfHeader(patient), { fileName: 'night.edf' });
    expect(found.format).toBe('EDF+C');
    expect(found.clock).toMatchObject({ kind: 'WALL_CLOCK', wallStart: '2022-03-02T10:55:06.000' });
    expect(found.device?.subjectCode).toBe(code);
    expect(JSON.stringify(found)).not.toMatch(/Ada|1951/);
    expect(found.siteTimeZone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it('says of a known format that is not read what to do', async () => {
    const { problem, format } = await recognise(
      new Uint8Array(Buffer.concat([Buffer.from('SBEM0000'), Buffer.alloc(99)])),
    );
    expect(format).toBe('Movesense SBEM');
    expect(problem).toMatchObject({ code: 'UNSUPPORTED_FORMAT', message: expect.stringContaining('sbem2json') });
  });

  it('describes an unknown text by its columns and rows, and stores nothing', async () => {
    const before = await readdir(api.deps.inboxDir);
    const { text, format, clock } = await recognise(table(50));
    expect(format).toBeUndefined();
    expect(clock).toMatchObject({ kind: 'UTC', wallStart: '2026-02-25T06:13:20.000' });
    expect(text).toMatchObject({ columns: ['time', 'ecg (mV)', 'note'], origin: 'PROPOSED' });
    expect(text!.mapping).toMatchObject({
      delimiter: ';',
      decimal: ',',
      time: { kind: 'UNIX', column: 0, unit: 'ms' },
      channels: [{ type: 'ECG', unit: 'mV', columns: [1] }],
    });
    expect(text!.preview!.rows[1]).toMatchObject({ line: 3, time: '2026-02-25T06:13:20.008', values: ['0.1'] });
    expect(text!.preview!.counts).toEqual({ rows: 50, unreadable: 0, missing: 0 });
    expect(await readdir(api.deps.inboxDir)).toEqual(before);
  });

  it('previews a given mapping with the errors of each line, and rejects one that is none', async () => {
    const { text } = await recognise(table(50));
    const mapping: CsvMapping = { ...text!.mapping, channels: [{ type: 'ECG', unit: 'mV', columns: [2] }] };
    const again = await recognise(table(50), { csvMapping: JSON.stringify(mapping) });
    expect(again.text!.origin).toBe('GIVEN');
    expect(again.text!.preview!.counts.unreadable).toBe(50);
    expect(again.text!.preview!.faults[0]).toEqual({ line: 2, column: 2, kind: 'NUMBER', text: 'ok' });
    await expect(recognise(table(5), { csvMapping: '{"delimiter":"#"}' })).rejects.toMatchObject({ status: 400 });
    await expect(recognise(table(5), { csvMapping: 'no JSON' })).rejects.toMatchObject({ status: 400 });
    await expect(recognise(table(5), { timeZone: 'Mars/Olympus' })).rejects.toMatchObject({ status: 400 });
  });

  it('keeps a mapping as a template of the study: audited, versioned, recognised by its header, exported and imported', async () => {
    const params = { studyId: api.studyId };
    const { text } = await recognise(table(50));
    const template = {
      id: crypto.randomUUID(),
      displayName: 'Bench recorder',
      header: text!.columns,
      mapping: text!.mapping,
    };
    await api.client.call('putDefinition', { params, body: { csvTemplates: [template] } });
    expect((await recognise(table(9, 'TIME ; ECG (mV);note'))).text).toMatchObject({
      origin: 'TEMPLATE',
      templateId: template.id,
    });
    expect((await recognise(table(9, 'time;emg (mV);note'))).text!.origin).toBe('PROPOSED');
    const document = await api.client.call('getDefinition', { params });
    expect(document.csvTemplates).toEqual([template]);
    const audit = await api.client.call('listAccountAudit', { params: { accountId: api.accountId }, query: {} });
    expect(JSON.stringify(audit.items[0])).toContain('Bench recorder');
    // A document of an earlier version leaves them; one with templates replaces them.
    const { csvTemplates: _, ...older } = document;
    await api.client.call('importDefinition', { params, body: older });
    expect((await api.client.call('getDefinition', { params })).csvTemplates).toEqual([template]);
    await api.client.call('importDefinition', { params, body: { ...document, csvTemplates: [] } });
    expect((await api.client.call('getDefinition', { params })).csvTemplates).toBeUndefined();
    const twice = [template, { ...template, id: crypto.randomUUID() }];
    await expect(api.client.call('putDefinition', { params, body: { csvTemplates: twice } })).rejects.toMatchObject({
      status: 400,
    });
    const empty = [{ ...template, mapping: { ...template.mapping, channels: [] } }];
    await expect(api.client.call('putDefinition', { params, body: { csvTemplates: empty } })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('recognises a ZIP by head and tail alone', async () => {
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const header = Buffer.from('Timestamp (ms),Accel X (g),Accel Y (g),Accel Z (g)\n');
    const zip = await zipOf({ 'a/filler.bin': Buffer.from(noise), 'accel.csv': header });
    const whole = await recognise(zip);
    const parts = await recognise(zip.slice(0, 4096), { sizeBytes: String(zip.byteLength) }, zip.slice(-2048));
    // The hole between the parts must not make the file look damaged.
    expect(parts.problem).toBeUndefined();
    expect(parts.format).toBe('MC10 ZIP');
    expect(whole.problem?.code).toBe('FILE_EMPTY');
  });

  it('says nothing of bytes that are no known file, and needs a head', async () => {
    expect(await recognise(new Uint8Array([1, 2, 3, 0, 5]))).toMatchObject({
      channels: [],
      recordings: 0,
      problem: { code: 'UNSUPPORTED_FORMAT' },
    });
    const body = new FormData();
    body.append('fileName', 'a.csv');
    body.append('sizeBytes', '5');
    await expect(api.client.call('recogniseFile', { params: { studyId: api.studyId }, body })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('imports with a mapping of the request', async () => {
    const body = new FormData();
    const { text } = await recognise(table(50));
    body.append('csvMapping', JSON.stringify(text!.mapping));
    body.append('file', new Blob([table(50)]), 'bench.txt');
    const params = { studyId: api.studyId, subjectId: api.subjectIds[1]! };
    await api.client.call('importRecordings', { params, body });
    const payloads = api.jobs.rows.filter(({ kind }) => kind === 'import').map(({ payload }) => payload);
    expect(payloads.at(-1)).toMatchObject({ options: { csvMapping: text!.mapping } });
  });
});
