import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { type EdfDescription, encodeEdfHeader } from '../exporters/edf/file-writer.ts';
import { createSignalFile } from '../signals/index.ts';
import { readImport } from '../testing/import-fixtures.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-hostile-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ACCEL = 'Timestamp (microseconds),Accel X (g),Accel Y (g),Accel Z (g)';
const rows = (count: number): string =>
  Array.from({ length: count }, (_, i) => `${1_579_647_012_385_345 + i * 4000},0.1,-0.2,0.9`).join('\n');

function edfDescription(changes: Partial<EdfDescription> = {}): EdfDescription {
  const signal = {
    label: 'ECG',
    transducer: '',
    unit: 'mV',
    physicalMinimum: -10,
    physicalMaximum: 10,
    digitalMinimum: -32_768,
    digitalMaximum: 32_767,
    prefilter: '',
    samplesPerRecord: 250,
  };
  return {
    bytesPerSample: 2,
    isDiscontinuous: false,
    startSecondMs: Date.UTC(2024, 0, 1),
    patient: 'X X X X',
    recording: 'X X X',
    recordCount: 4,
    recordDurationUs: 1e6,
    signals: [signal],
    annotationBytes: 64,
    ...changes,
  };
}

const edfHeader = (changes: Partial<EdfDescription> = {}): Buffer => encodeEdfHeader(edfDescription(changes));
const edf = (records: number): Buffer => Buffer.concat([edfHeader(), Buffer.alloc(564 * records)]);

function patched(bytes: Buffer, offset: number, text: string): Buffer {
  const copy = Buffer.from(bytes);
  copy.write(text, offset, 'latin1');
  return copy;
}

async function zipOf(members: Record<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(members)) zip.addBuffer(bytes, name);
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A stored ZIP whose entry has any name, which a proper writer refuses to make. */
function rawZip(name: string, content: Buffer, uncompressedBytes = content.length): Buffer {
  const packed = deflateRawSync(content);
  const common = (signature: number, isCentral: boolean): Buffer => {
    const head = Buffer.alloc(isCentral ? 46 : 30);
    head.writeUInt32LE(signature, 0);
    const at = isCentral ? 6 : 4;
    head.writeUInt16LE(20, at);
    head.writeUInt16LE(8, at + 4);
    head.writeUInt32LE(packed.length, at + 14);
    head.writeUInt32LE(uncompressedBytes, at + 18);
    head.writeUInt16LE(name.length, at + 22);
    return Buffer.concat([head, Buffer.from(name)]);
  };
  const local = common(0x04034b50, false);
  const central = common(0x02014b50, true);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length + packed.length, 16);
  return Buffer.concat([local, packed, central, end]);
}

async function damagedSignalFile(): Promise<Buffer> {
  const path = join(folder, 'whole.sig');
  const writer = await createSignalFile(path, {
    version: 1,
    recordingId: crypto.randomUUID(),
    deviceRecordingId: 0,
    udid: 'u',
    hardwareId: 'h',
    firmwareId: 'f',
    physicalConfig: { location: 'OTHER', side: 'NONE' },
    sensorConfig: {},
    channels: [
      { type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: 250, scale: [1], offset: [0], sampleBits: 16 },
    ],
    syncPoints: [],
    source: { format: 't', fileName: 't', sha256: '' },
  });
  const columns = [Int16Array.from({ length: 5000 }, (_, i) => (i * i) % 1000)];
  await writer.append({ channel: 0, startUs: 1e15, periodUs: 4000, count: 5000, columns });
  await writer.finish();
  const { readFile } = await import('node:fs/promises');
  const bytes = await readFile(path);
  bytes[Math.floor(bytes.length / 2)]! ^= 0x10;
  return bytes;
}

const HEA_212 = 'rec 2 360 1000 0:0:0 1/1/2020\nrec.dat 212 200 11 1024 0 0 0 MLII\nrec.dat 212 200 11 1024 0 0 0 V5\n';
const wfdb = (hea: string, bytes: Buffer): Record<string, Buffer> => ({
  'rec.hea': Buffer.from(hea),
  'rec.dat': bytes,
});

interface Case {
  name: string;
  files: Record<string, Buffer> | (() => Promise<Record<string, Buffer>>);
  code: string;
  says: RegExp;
}

const CASES: Case[] = [
  { name: 'an empty file', files: { 'a.edf': Buffer.alloc(0) }, code: 'FILE_EMPTY', says: /a\.edf .*empty/ },
  {
    name: 'binary garbage',
    files: { 'a.bin': Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) & 255)) },
    code: 'UNSUPPORTED_FORMAT',
    says: /format is not known/,
  },
  {
    name: 'plain text',
    files: { 'a.csv': Buffer.from('hello\nworld\n') },
    code: 'UNSUPPORTED_FORMAT',
    says: /format is not known/,
  },
  {
    name: 'a CSV of a header alone',
    files: { 'accel.csv': Buffer.from(`${ACCEL}\n`) },
    code: 'FILE_EMPTY',
    says: /no rows/,
  },
  {
    name: 'an endless header line',
    files: { 'accel.csv': Buffer.from(`Timestamp (microseconds),${'x'.repeat(1 << 20)}`) },
    code: 'FILE_DAMAGED',
    says: /longer than a header/,
  },
  {
    name: 'columns that are not known',
    files: { 'accel.csv': Buffer.from('Timestamp (microseconds),Speed (km/h)\n1,2\n') },
    code: 'UNSUPPORTED_FORMAT',
    says: /not a header that is known/,
  },
  {
    name: 'a column too many',
    files: { 'accel.csv': Buffer.from(`${ACCEL}\n1579647012385345,0.1,0.2,0.3,0.4\n`) },
    code: 'FILE_DAMAGED',
    says: /row 1/,
  },
  {
    name: 'a repeated microsecond',
    files: { 'accel.csv': Buffer.from(`${ACCEL}\n${rows(1)}\n${rows(1)}\n`) },
    code: 'FILE_DAMAGED',
    says: /row 2 has the same time/,
  },
  {
    name: 'a gzip that was cut off',
    files: { 'accel.csv.gz': gzipSync(`${ACCEL}\n${rows(50_000)}\n`).subarray(0, 20_000) },
    code: 'FILE_DAMAGED',
    says: /gzip/,
  },
  {
    name: 'a ZIP that was cut off',
    files: async () => ({
      'a.zip': (await zipOf({ 'accel.csv': Buffer.from(`${ACCEL}\n${rows(900)}\n`) })).subarray(0, 60),
    }),
    code: 'FILE_DAMAGED',
    says: /not a complete ZIP/,
  },
  {
    name: 'a ZIP without data',
    files: async () => ({ 'a.zip': await zipOf({ 'ReadMe.txt': Buffer.from('hi') }) }),
    code: 'UNSUPPORTED_FORMAT',
    says: /it holds ReadMe\.txt, .* Unpack it/,
  },
  {
    name: 'a ZIP with a flipped bit',
    files: async () => {
      const bytes = await zipOf({ 'accel.csv': Buffer.from(`${ACCEL}\n${rows(9000)}\n`) });
      bytes[2000]! ^= 4;
      return { 'a.zip': bytes };
    },
    code: 'FILE_DAMAGED',
    says: /cannot be unpacked|checksum|row \d+/,
  },
  {
    name: 'a ZIP that climbs out of its folder',
    files: { 'a.zip': rawZip('../../accel.csv', Buffer.from(`${ACCEL}\n${rows(9)}\n`)) },
    code: 'FILE_DAMAGED',
    says: /central directory is broken/,
  },
  {
    name: 'a ZIP bomb',
    files: { 'a.zip': rawZip('accel.csv', Buffer.alloc(40 << 20, 48)) },
    code: 'ZIP_UNSAFE',
    says: /unpack to \d+ bytes/,
  },
  {
    name: 'an EDF cut off in its header',
    files: { 'a.edf': edf(4).subarray(0, 300) },
    code: 'FILE_DAMAGED',
    says: /header/,
  },
  {
    name: 'an EDF cut off in its first data record',
    files: { 'a.edf': edf(4).subarray(0, 1000) },
    code: 'FILE_DAMAGED',
    says: /cut off/,
  },
  {
    name: 'an EDF without records',
    files: { 'a.edf': patched(edf(0), 236, '0       ') },
    code: 'FILE_EMPTY',
    says: /no data records/,
  },
  {
    name: 'an EDF that claims an endless header',
    files: { 'a.edf': patched(edf(4), 184, '99999999') },
    code: 'FILE_DAMAGED',
    says: /99999999/,
  },
  {
    name: 'an EDF of 9999 signals',
    files: { 'a.edf': patched(edf(4), 252, '9999') },
    code: 'FILE_DAMAGED',
    says: /9999 signals/,
  },
  {
    name: 'an EDF of an absurd number of samples',
    files: { 'a.edf': patched(edf(4), 256 + 216 * 2, '99999999') },
    code: 'UNSUPPORTED_FORMAT',
    says: /data record has \d+ bytes/,
  },
  {
    name: 'an EDF of an absurd rate',
    files: { 'a.edf': patched(edf(4), 244, '0.000001') },
    code: 'FILE_DAMAGED',
    says: /samples per second/,
  },
  {
    name: 'an EDF of negative samples',
    files: { 'a.edf': patched(edf(4), 256 + 216 * 2, '-5      ') },
    code: 'FILE_DAMAGED',
    says: /negative/,
  },
  {
    name: 'an EDF with words for numbers',
    files: { 'a.edf': patched(edf(4), 256 + 104 * 2, 'minimum ') },
    code: 'FILE_DAMAGED',
    says: /"minimum"/,
  },
  {
    name: 'an EDF without a date',
    files: { 'a.edf': patched(edf(4), 168, 'xx.yy.zz') },
    code: 'FILE_DAMAGED',
    says: /not a date/,
  },
  {
    name: 'an EDF+D whose records have no time',
    files: { 'a.edf': Buffer.concat([edfHeader({ isDiscontinuous: true }), Buffer.alloc(564 * 4)]) },
    code: 'FILE_DAMAGED',
    says: /no start time/,
  },
  {
    name: 'a WFDB header alone',
    files: { 'rec.hea': Buffer.from(HEA_212) },
    code: 'NOT_FOUND',
    says: /needs rec\.dat/,
  },
  {
    name: 'a WFDB signal file alone',
    files: { 'rec.dat': Buffer.alloc(3000) },
    code: 'UNSUPPORTED_FORMAT',
    says: /rec\.hea is not/,
  },
  { name: 'a WFDB record cut off', files: wfdb(HEA_212, Buffer.alloc(2000)), code: 'FILE_DAMAGED', says: /cut off/ },
  {
    name: 'a WFDB record that names more segments than it describes',
    files: wfdb('rec/3 2 360 1000\na 500\nb 500\n', Buffer.alloc(3000)),
    code: 'FILE_DAMAGED',
    says: /3 segments and describes 2/,
  },
  {
    name: 'a WFDB record of FLAC that is none',
    files: wfdb(HEA_212.replaceAll(' 212 ', ' 516 '), Buffer.alloc(3000)),
    code: 'FILE_DAMAGED',
    says: /no FLAC stream/,
  },
  {
    name: 'a WFDB header that points elsewhere',
    files: wfdb(HEA_212.replaceAll('rec.dat', '../rec.dat'), Buffer.alloc(3000)),
    code: 'FILE_DAMAGED',
    says: /another folder/,
  },
  {
    name: 'a WFDB record whose first value is another',
    files: wfdb(HEA_212.replace('1024 0 0', '1024 77 0'), Buffer.alloc(3000)),
    code: 'FILE_DAMAGED',
    says: /begins with 0/,
  },
  {
    name: 'a WFDB record whose checksum is another',
    files: wfdb(HEA_212.replace('1024 0 0', '1024 0 5'), Buffer.alloc(3000)),
    code: 'FILE_DAMAGED',
    says: /checksum/,
  },
  {
    name: 'WFDB annotations without an end',
    files: { ...wfdb(HEA_212, Buffer.alloc(3000)), 'rec.atr': Buffer.from([10, 4, 10, 4]) },
    code: 'FILE_DAMAGED',
    says: /end mark/,
  },
  {
    name: 'a signal file with a flipped bit',
    files: async () => ({ 'a.sig': await damagedSignalFile() }),
    code: 'FILE_DAMAGED',
    says: /cannot be read/,
  },
];

describe('hostile files are refused in words', () => {
  it.each(CASES)('$name', async ({ name, files, code, says }) => {
    const place = join(folder, name.replaceAll(/[^a-z0-9]+/gi, '-'));
    await mkdir(place, { recursive: true });
    const made = typeof files === 'function' ? await files() : files;
    const paths: string[] = [];
    for (const [file, bytes] of Object.entries(made)) {
      paths.push(join(place, file));
      await writeFile(join(place, file), bytes);
    }
    const failure = await readImport(paths.slice(0, 1)).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(failure).toMatchObject({ name: 'OutpostError', code });
    expect((failure as Error).message).toMatch(says);
    expect((failure as Error).message).toMatch(/[.!]$/);
  });

  it('an empty folder, a missing file, files that do not belong together', async () => {
    const place = join(folder, 'nothing');
    await mkdir(place, { recursive: true });
    await expect(readImport([place])).rejects.toMatchObject({ code: 'FILE_EMPTY' });
    await expect(readImport([join(place, 'none.edf')])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(readImport([])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await writeFile(join(folder, 'one.edf'), edf(4));
    await writeFile(join(folder, 'two.edf'), edf(4));
    const both = [join(folder, 'one.edf'), join(folder, 'two.edf')];
    await expect(readImport(both)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });

  it('can be cancelled', async () => {
    const path = join(folder, 'accel.csv');
    await writeFile(path, `${ACCEL}\n${rows(1000)}\n`);
    const signal = AbortSignal.abort();
    await expect(readImport([path], { signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('imports the same file completely otherwise', async () => {
    const path = join(folder, 'whole.zip');
    const zip = new ZipFile();
    zip.addBuffer(Buffer.from(`${ACCEL}\n${rows(1000)}\n`), 'accel.csv');
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(path));
    expect((await readImport([path])).channels[0]!.counts[0]!.length).toBe(1000);
    expect((await readImport([join(folder, 'one.edf')])).channels[0]!.counts[0]!.length).toBe(1000);
  });
});
