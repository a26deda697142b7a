/** Round trip of real files: import by upload or command line, export by API, ZIP and EDF+, and reimport. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import type { RawDataChannel, RawDataPage, Recording } from '../api/contract/resources/recordings.ts';
import { importFiles } from '../cli/import.ts';
import { openZipMembers } from '../importers/csv/zip-members.ts';
import { verifySite } from '../integrity/verify.ts';
import type { ImportResult } from '../jobs/handlers/import.ts';
import { realData } from '../testing/real-data.ts';
import { jobEnd, makeTestSite, signIn, type TestSite, upload } from '../testing/test-site.ts';
import { type RunningSite, startSite } from './server.ts';

/** A 16-bit clock signal over records of one second encodes the times of an EDF+D file. */
const EDF_TIME_TOLERANCE_US = 40;
/** Far below one count (4.9e-4 g): the EDF header cannot represent every double of a CSV to the last bit. */
const EDF_VALUE_TOLERANCE = 1e-12;
const WFDB_START_MS = 1_700_000_000_000;

/** One channel of a file as an independent reader decodes it: times in microseconds, values per dimension. */
interface PlainChannel {
  type: string;
  timesUs: number[];
  values: Record<string, number[]>;
}

interface RealFile {
  name: string;
  paths: string[];
  fields: Record<string, string>;
  read(): Promise<PlainChannel[]>;
  /** Largest difference allowed between a served value and the file: half a count, or rounding if the file stores counts. */
  halfStep: number;
}

function readCsv(type: string, dimensions: string[], bytes: Uint8Array): PlainChannel {
  const timesUs: number[] = [];
  const values: Record<string, number[]> = Object.fromEntries(dimensions.map((dimension) => [dimension, []]));
  for (const line of Buffer.from(bytes).toString().split('\n').slice(1)) {
    if (line === '') continue;
    const cells = line.split(',').map(Number);
    timesUs.push(cells[0]!);
    dimensions.forEach((dimension, d) => {
      values[dimension]!.push(cells[d + 1]!);
    });
  }
  return { type, timesUs, values };
}

const MEMBERS: Record<string, [string, string[]]> = {
  'accel.csv': ['ACCEL', ['x', 'y', 'z']],
  'gyro.csv': ['GYRO', ['x', 'y', 'z']],
  'elec.csv': ['ECG', ['v']],
};

async function readZip(path: string): Promise<PlainChannel[]> {
  const zip = await openZipMembers(path);
  const channels: PlainChannel[] = [];
  for (const member of zip.members) {
    const form = MEMBERS[basename(member.name)];
    if (!form) continue;
    const chunks: Uint8Array[] = [];
    for await (const chunk of member.open()) chunks.push(chunk);
    channels.push(readCsv(...form, Buffer.concat(chunks)));
  }
  zip.close();
  return channels;
}

/** Format 212: two 12 bit samples in three bytes. Gain 200 per mV, zero at 1024, as the header says. */
async function readRecord100(path: string): Promise<PlainChannel[]> {
  const bytes = await readFile(path);
  const timesUs: number[] = [];
  const v: number[] = [];
  const v5: number[] = [];
  const volts = (low: number, high: number) => ((((low | (high << 8)) << 20) >> 20) - 1024) / 200_000;
  for (let i = 0; i + 2 < bytes.length; i += 3) {
    timesUs.push(Math.round(WFDB_START_MS * 1000 + (timesUs.length * 1e6) / 360));
    v.push(volts(bytes[i]!, bytes[i + 1]! & 0x0f));
    v5.push(volts(bytes[i + 2]!, bytes[i + 1]! >> 4));
  }
  return [{ type: 'ECG', timesUs, values: { v, v5 } }];
}

/** Sample number and code of each annotation of an .atr file (MIT format). */
async function readAtr(path: string): Promise<{ sample: number; code: number }[]> {
  const bytes = await readFile(path);
  const found: { sample: number; code: number }[] = [];
  let sample = 0;
  for (let i = 0; i + 1 < bytes.length; ) {
    const word = bytes.readUInt16LE(i);
    const code = word >> 10;
    const interval = word & 0x3ff;
    i += 2;
    if (word === 0) break;
    if (code === 59) {
      sample += (bytes.readInt16LE(i) << 16) | bytes.readUInt16LE(i + 2);
      i += 4;
    } else if (code === 63) i += interval + (interval & 1);
    else if (code < 50) {
      sample += interval;
      found.push({ sample, code });
    }
  }
  return found;
}

const formats = realData('formats');
const inFormats = (name: string) => join(formats ?? '', name);

const FILES: RealFile[] = [
  {
    name: 'MIT-BIH record 100',
    paths: ['wfdb/100.hea', 'wfdb/100.dat', 'wfdb/100.atr'].map(inFormats),
    fields: { location: 'ECG_LEAD_II', startTs: String(WFDB_START_MS) },
    read: () => readRecord100(inFormats('wfdb/100.dat')),
    halfStep: 1e-15,
  },
  ...['left', 'right'].map((side): RealFile => {
    const path = inFormats(`mc10/wrist-${side}/accel.csv.gz`);
    return {
      name: `wrist CSV, ${side}`,
      paths: [path],
      fields: { location: 'WRIST', side: side.toUpperCase() },
      read: async () => [readCsv('ACCEL', ['x', 'y', 'z'], gunzipSync(await readFile(path)))],
      halfStep: 0,
    };
  }),
  ...['hammer', 'elec'].map((kind): RealFile => {
    const path = inFormats(`mc10/reflex-${kind}.zip`);
    return { name: `reflex ZIP, ${kind}`, paths: [path], fields: {}, read: () => readZip(path), halfStep: 0 };
  }),
];

describe.runIf(formats)('real files in a site', () => {
  let site: TestSite;
  let server: RunningSite;
  let client: Client;
  let folder: string;
  /** Recording of each file, as uploaded for the first subject. */
  const originals = new Map<string, Recording>();

  const subject = (index: number) => ({ studyId: site.studyId, subjectId: site.subjectIds[index]! });

  async function importAll(file: RealFile, subjectIndex: number): Promise<ImportResult> {
    const job = await upload(client, subject(subjectIndex), file.paths, file.fields);
    const ended = await jobEnd(client, job.id);
    expect(ended.error).toBeUndefined();
    return ended.result as ImportResult;
  }

  async function recordingsOf(subjectIndex: number): Promise<Recording[]> {
    return (await client.call('listSubjectRecordings', { params: subject(subjectIndex) })).items;
  }

  /** All pages of a recording's raw data, concatenated. `pages` is their number. */
  async function served(
    recording: Recording,
    tsMicros: boolean,
  ): Promise<{ channels: RawDataChannel[]; pages: number; largest: number }> {
    const joined = new Map<string, RawDataChannel>();
    let pages = 0;
    let largest = 0;
    const { studyId, subjectId, recordingStartTs: from, recordingStopTs: to } = recording;
    const query = { from, to, ...(tsMicros && { tsMicros: true }) };
    let page: RawDataPage | undefined = await client.call('getRawData', { params: { studyId, subjectId }, query });
    while (page) {
      pages++;
      largest = Math.max(
        largest,
        page.channels.reduce((sum, channel) => sum + channel.times.length, 0),
      );
      for (const channel of page.channels) {
        if (channel.recording.id !== recording.id) continue;
        const known = joined.get(channel.type);
        if (!known) joined.set(channel.type, channel);
        else {
          for (const time of channel.times) known.times.push(time);
          for (const [dimension, values] of Object.entries(channel.values)) {
            for (const value of values) known.values[dimension]!.push(value);
          }
        }
      }
      const next: string | undefined = page.links?.find(({ rel }) => rel === 'next')?.href;
      page = next === undefined ? undefined : ((await (await client.follow(next)).json()) as RawDataPage);
    }
    return { channels: [...joined.values()], pages, largest };
  }

  async function fetchSigned(recording: Recording, headers: Record<string, string> = {}): Promise<Response> {
    const response = await client.follow(recording.export.href);
    const { href } = (await response.json()) as { href: string };
    return fetch(href, { headers });
  }

  async function exportEdf(recording: Recording): Promise<string> {
    const payload = { studyId: recording.studyId, recordingId: recording.id, format: 'edf-exact' as const };
    const job = await server.engine.jobs.enqueue('export', payload);
    const ended = await server.engine.jobs.whenEnded(job.id);
    expect(ended.error).toBeUndefined();
    return join(server.folder.exportsDir, (ended.result as { fileName: string }).fileName);
  }

  function expectSame(
    actual: RawDataChannel[],
    expected: RawDataChannel[],
    tolerance: { timeUs: number; value: number },
  ): void {
    const farthest = (a: readonly number[], b: readonly number[]) =>
      a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
    const byType = (channels: RawDataChannel[]) => [...channels].sort((a, b) => a.type.localeCompare(b.type));
    expect(actual.length).toBe(expected.length);
    byType(expected).forEach((channel, c) => {
      const other = byType(actual)[c]!;
      expect(other.type).toBe(channel.type);
      expect(other.times.length).toBe(channel.times.length);
      expect(farthest(channel.times, other.times)).toBeLessThanOrEqual(tolerance.timeUs);
      expect(Object.keys(other.values)).toEqual(Object.keys(channel.values));
      for (const [dimension, values] of Object.entries(channel.values)) {
        expect(other.values[dimension]!.length).toBe(values.length);
        expect(farthest(values, other.values[dimension]!)).toBeLessThanOrEqual(tolerance.value);
      }
    });
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outpost-real-files-'));
    site = await makeTestSite({ timeZones: ['US/Eastern', 'Asia/Tokyo', 'Europe/London', 'US/Eastern'] });
    server = await startSite({ dir: site.dir, port: 0 });
    client = await signIn(server.url);
    for (const file of FILES) {
      const { recordings } = await importAll(file, 0);
      expect(recordings).toHaveLength(1);
      expect(recordings[0]!.isNew).toBe(true);
      const recording = (await recordingsOf(0)).find(({ id }) => id === recordings[0]!.id);
      if (recording) originals.set(file.name, recording);
    }
  });

  afterAll(async () => {
    await server?.close();
    await site?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const original = (file: RealFile): Recording => {
    const recording = originals.get(file.name);
    if (!recording) throw new Error(`${file.name} was not imported.`);
    return recording;
  };

  it.each(FILES)('serves $name with the values and times of the file', async (file) => {
    const plain = await file.read();
    const recording = original(file);
    const micros = await served(recording, true);
    const millis = await served(recording, false);
    expect(micros.channels.map(({ type }) => type).sort()).toEqual(plain.map(({ type }) => type).sort());
    for (const channel of plain) {
      const inMicros = micros.channels.find(({ type }) => type === channel.type);
      const inMillis = millis.channels.find(({ type }) => type === channel.type);
      expect(inMicros?.times).toEqual(channel.timesUs);
      expect(inMillis?.times).toEqual(channel.timesUs.map((us) => Math.floor(us / 1000)));
      for (const [dimension, values] of Object.entries(channel.values)) {
        const got = inMicros?.values[dimension] ?? [];
        expect(got.length).toBe(values.length);
        const farthest = values.reduce((most, value, i) => Math.max(most, Math.abs(value - got[i]!)), 0);
        expect(farthest).toBeLessThanOrEqual(file.halfStep);
      }
    }
    expect(micros.largest).toBeLessThanOrEqual(200_000);
    const rows = plain.reduce((sum, channel) => sum + channel.timesUs.length, 0);
    expect(micros.pages).toBe(Math.max(1, Math.ceil(rows / 199_992)));
  });

  it('imports every annotation of 100.atr as a label at its time', async () => {
    const expected = await readAtr(inFormats('wfdb/100.atr'));
    const { items } = await client.call('listAnnotations', { params: subject(0) });
    expect(items.map(({ startTs }) => startTs)).toEqual(
      expected.map(({ sample }) => Math.floor(Math.round(WFDB_START_MS * 1000 + (sample * 1e6) / 360) / 1000)),
    );
    const beats = items.filter((_, i) => expected[i]!.code !== 28);
    expect(beats).toHaveLength(2273);
    const atrialPremature = beats.filter((_, i) => expected.filter(({ code }) => code !== 28)[i]!.code === 8);
    expect(atrialPremature).toHaveLength(33);
    expect(new Set(atrialPremature.map(({ value }) => value))).toEqual(new Set(['A']));
  });

  it('accepts the same file again without creating duplicates', async () => {
    const recordings = await recordingsOf(0);
    const labels = (await client.call('listAnnotations', { params: subject(0) })).size;
    for (const file of FILES) {
      const { recordings: taken, labels: added } = await importAll(file, 0);
      expect(taken.map(({ id, isNew }) => ({ id, isNew }))).toEqual([{ id: original(file).id, isNew: false }]);
      expect(added).toBe(0);
    }
    expect(await recordingsOf(0)).toEqual(recordings);
    expect((await client.call('listAnnotations', { params: subject(0) })).size).toBe(labels);
  });

  it('restores a lost signal file under its id when its source is imported again', async () => {
    const file = FILES[3]!;
    const lost = original(file);
    const before = (await served(lost, true)).channels;
    await server.close();
    await rm(join(site.dir, 'signals', `${lost.id}.sig`));
    server = await startSite({ dir: site.dir, port: 0 });
    client = await signIn(server.url);
    expect(server.folder.reconciled.missingRecordings).toEqual([lost.id]);
    const { recordings } = await importAll(file, 0);
    expect(recordings.map(({ id, isNew }) => ({ id, isNew }))).toEqual([{ id: lost.id, isNew: false }]);
    expectSame((await served(lost, true)).channels, before, { timeUs: 0, value: 0 });
    expect((await verifySite(site.dir)).problems).toEqual([]);
  });

  it('keeps the start and placement of a file that is imported again with others, and adds a note', async () => {
    const file = FILES[0]!;
    const stored = original(file);
    const other = { ...file, fields: { location: 'MEDIAL_CHEST', startTs: String(WFDB_START_MS + 86_400_000) } };
    const [taken] = (await importAll(other, 0)).recordings;
    expect(taken).toMatchObject({
      id: stored.id,
      isNew: false,
      location: 'ECG_LEAD_II',
      startMs: stored.recordingStartTs,
    });
    expect(taken!.notes.join(' ')).toContain('was kept as it is');
  });

  it('rejects restoring a lost recording at a different time', async () => {
    const file = FILES[0]!;
    const lost = original(file);
    await server.close();
    await rm(join(site.dir, 'signals', `${lost.id}.sig`));
    server = await startSite({ dir: site.dir, port: 0 });
    client = await signIn(server.url);
    const other = { ...file.fields, startTs: String(WFDB_START_MS + 86_400_000) };
    const ended = await jobEnd(client, (await upload(client, subject(0), file.paths, other)).id);
    expect(ended.error?.code).toBe('CONFLICT');
    expect(ended.error?.message).toContain(new Date(lost.recordingStartTs).toISOString());
    expect((await importAll(file, 0)).recordings.map(({ id }) => id)).toEqual([lost.id]);
    expect((await verifySite(site.dir)).problems).toEqual([]);
  });

  it('imports a labels-only file once', async () => {
    const file = { paths: [inFormats('edf/test_edfann.edf')], fields: {} } as RealFile;
    const first = await importAll(file, 3);
    expect(first.labels).toBeGreaterThan(0);
    expect((await importAll(file, 3)).labels).toBe(0);
    expect((await client.call('listAnnotations', { params: subject(3) })).size).toBe(first.labels);
  });

  it.each(FILES)('$name survives a ZIP round trip unchanged', async (file) => {
    const recording = original(file);
    const whole = await fetchSigned(recording);
    expect(whole.status).toBe(200);
    const bytes = new Uint8Array(await whole.arrayBuffer());
    const part = await fetchSigned(recording, { range: `bytes=${bytes.length - 30}-` });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes ${bytes.length - 30}-${bytes.length - 1}/${bytes.length}`);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(-30));
    expect((await recordingsOf(0)).find(({ id }) => id === recording.id)?.export.sizeBytes).toBe(bytes.length);

    const directory = join(folder, recording.id);
    await mkdir(directory, { recursive: true });
    const path = join(directory, 'recording.zip');
    await writeFile(path, bytes);
    const { recordings } = await importAll({ ...file, paths: [path], fields: {} }, 1);
    const again = (await recordingsOf(1)).find(({ id }) => id === recordings[0]!.id);
    expect(recordings[0]!.isNew).toBe(true);
    const before = (await served(recording, true)).channels;
    const after = (await served(again as Recording, true)).channels;
    expectSame(after, before, { timeUs: 0, value: 0 });
  });

  it.each(FILES)('$name survives an exact EDF+ round trip unchanged', async (file) => {
    const recording = original(file);
    const path = await exportEdf(recording);
    const { recordings } = await importAll({ ...file, paths: [path], fields: {} }, 2);
    const again = (await recordingsOf(2)).find(({ id }) => id === recordings[0]!.id);
    const before = (await served(recording, true)).channels;
    const after = (await served(again as Recording, true)).channels;
    expectSame(after, before, { timeUs: EDF_TIME_TOLERANCE_US, value: EDF_VALUE_TOLERANCE });
    expect(again?.physicalConfig.location).toBe(recording.physicalConfig.location);
  });
});

describe.runIf(formats)('real files by the import command', () => {
  it('stores the same recording as the upload', async () => {
    const site = await makeTestSite();
    const written: string[] = [];
    const stdout = process.stdout.write.bind(process.stdout);
    const stderr = process.stderr.write.bind(process.stderr);
    process.stdout.write = ((text: string) => written.push(text) > 0) as typeof process.stdout.write;
    process.stderr.write = (() => true) as typeof process.stderr.write;
    try {
      const common = { data: site.dir, study: 'Test study', subject: 'Subject 1', sensor: [], json: true };
      const start = new Date(WFDB_START_MS).toISOString();
      const files = FILES.flatMap(({ paths }) => paths);
      await importFiles({ ...common, files, start });
      await importFiles({ ...common, files, start });
    } finally {
      process.stdout.write = stdout;
      process.stderr.write = stderr;
    }
    const [first, second] = written.map((line) => JSON.parse(line) as { imports: ImportResult[] });
    expect(first!.imports.flatMap(({ recordings }) => recordings.map(({ isNew }) => isNew))).toEqual(
      FILES.map(() => true),
    );
    expect(second!.imports.flatMap(({ recordings }) => recordings.map(({ isNew }) => isNew))).toEqual(
      FILES.map(() => false),
    );
    const server = await startSite({ dir: site.dir, port: 0 });
    try {
      const client = await signIn(server.url);
      const params = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
      expect((await client.call('listSubjectRecordings', { params })).size).toBe(FILES.length);
      for (const [i, file] of FILES.entries()) {
        const plain = await file.read();
        const rows = plain.reduce((sum, channel) => sum + channel.timesUs.length, 0);
        expect(first!.imports[i]!.recordings[0]!.samples).toBe(rows);
      }
      expect((await client.call('listAnnotations', { params })).size).toBe(2274);
    } finally {
      await server.close();
      await site.remove();
    }
  });
});
