/** Empatica E4 and EmbracePlus: the real files, and files made here for what those do not show. */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { avroFile, avroLong } from '../../testing/avro-writer.ts';
import { expectTruth } from '../../testing/device-truth.ts';
import { readImport } from '../../testing/import-fixtures.ts';
import { realData } from '../../testing/real-data.ts';
import { localHeader, withDirectory } from '../../testing/zip-bomb.ts';
import { openImport } from '../index.ts';

const folder = mkdtempSync(join(tmpdir(), 'outpost-empatica-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const truthOf = (name: string) => {
  const path = realData(`devices/${name}/truth.json`);
  return path ? JSON.parse(readFileSync(path, 'utf8')).files[0] : null;
};
const e4 = truthOf('empatica-e4');
const embrace = truthOf('embraceplus');

const TYPES: Record<string, string> = {
  'ACC.csv': 'ACCEL',
  'BVP.csv': 'PPG',
  'EDA.csv': 'EDA',
  'HR.csv': 'HR',
  'TEMP.csv': 'TEMPERATURE',
};

function zipOf(name: string, contents: Record<string, string>): string {
  const parts: Buffer[] = [];
  let offset = 0;
  const entries = Object.entries(contents).map(([member, text]) => {
    const plain = Buffer.from(text);
    const packed = deflateRawSync(plain);
    const entry = { name: member, offset, packedBytes: packed.length, sizeBytes: plain.length, crc: crc32(plain) };
    const part = Buffer.concat([localHeader(entry), packed]);
    parts.push(part);
    offset += part.length;
    return entry;
  });
  const path = join(folder, name);
  writeFileSync(path, withDirectory(Buffer.concat(parts), entries));
  return path;
}

describe.runIf(e4)('a real session of the E4', () => {
  it('has every sample, start and rate of its signals', async () => {
    const { channels, format, header } = await readImport([realData(`devices/empatica-e4/${e4.file}`) as string]);
    expect(format).toBe('Empatica E4');
    expect(header.source.sha256).toBe(e4.sha256);
    expect(channels.length).toBe(6);
    for (const truth of e4.channels) {
      const found = channels.find(({ channel }) => channel.type === TYPES[truth.file])!;
      expect(found.channel.nominalRateHz).toBe(truth.rateHz);
      expect(found.timesUs[0]).toBe(truth.startUs);
      expect(found.timesUs[100] ?? 0).toBe(truth.count > 100 ? truth.startUs + (100 / truth.rateHz) * 1e6 : 0);
      if (truth.g) {
        expectTruth(found.counts, truth, 0);
        expectTruth(found.values, truth.g, 1e-6);
      } else expectTruth(found.values, truth, 0);
    }
  });

  it('has its pulse intervals as pulse intervals, with gaps where beats are missing, and its tags', async () => {
    const { channels, labels, marks, notes } = await readImport([realData(`devices/empatica-e4/${e4.file}`) as string]);
    const pulse = channels.find(({ channel }) => channel.type === 'PPI')!;
    const offsets = pulse.timesUs.map((time) => (time - e4.ibi.startUs) / 1e6);
    expectTruth([offsets, pulse.values[0]!], e4.ibi, 1e-6);
    const steps = offsets.map((time, i) => time - pulse.values[0]![i]! - (offsets[i - 1] ?? 0));
    expect(pulse.pageCount).toBe(steps.filter((step) => Math.abs(step) > 0.005).length);
    expect(notes.join()).toMatch(/49 pulse intervals of an optical sensor.*pulse-rate variability/);
    expect(labels.map(({ startUs }) => startUs)).toEqual(e4.tagsUs);
    expect(marks.map(({ timeUs, reason }) => [timeUs, reason])).toEqual(
      e4.tagsUs.map((time: number) => [time, 'BUTTON']),
    );
  });
});

const START = 1_600_000_000;
const ACC = `${START}.00, ${START}.00, ${START}.00\n32.000000, 32.000000, 32.000000\n1,2,64\n3,4,-128\n`;
const EDA = `${START}.50\n4.000000\n0.1\nx\n0.25\n0.3`;

describe('a made session of the E4', () => {
  it('keeps the place of a row without numbers as a gap, and reads a last row without a line end', async () => {
    const path = zipOf('a.zip', { 'night/ACC.csv': ACC, 'night/EDA.csv': EDA, 'night/notes.csv': 'free text' });
    const { channels, notes } = await readImport([path]);
    expect(channels.map(({ channel }) => channel.type)).toEqual(['ACCEL', 'EDA']);
    expect(channels[0]!.values).toEqual([
      [1 / 64, 3 / 64],
      [2 / 64, 4 / 64],
      [1, -2],
    ]);
    expect(channels[1]!.values).toEqual([[0.1, 0.25, 0.3]]);
    expect(channels[1]!.timesUs.map((time) => time / 1e6 - START)).toEqual([0.5, 1, 1.25]);
    expect(notes).toEqual([
      'eda.csv: 1 rows are not numbers and are gaps.',
      'eda.csv: the last row has no line end; the file may have been cut there.',
    ]);
  });

  it('is read alike from a folder, and names the watch by the name that the portal gave', async () => {
    const path = zipOf(`${START}_A01525.zip`, { 'ACC.csv': ACC, 'BVP.csv': `${START}\n64\n`, 'EDA.csv': EDA });
    const { header, channels, notes } = await readImport([path]);
    expect(header).toMatchObject({ udid: 'A01525', hardwareId: 'E4', device: { maker: 'Empatica' } });
    expect(channels.map(({ channel }) => channel.type)).toEqual(['ACCEL', 'EDA']);
    expect(notes.join()).toMatch(/bvp.csv was left out: it has no samples/);
    const loose = mkdtempSync(join(folder, 'session-'));
    writeFileSync(join(loose, 'ACC.csv'), ACC);
    writeFileSync(join(loose, 'EDA.csv'), EDA);
    expect((await readImport([loose])).channels[1]!.values).toEqual(channels[1]!.values);
  });

  it('leaves out a signal whose rate or bytes cannot be, and refuses a session of nothing', async () => {
    const path = zipOf('b.zip', { 'ACC.csv': ACC, 'EDA.csv': EDA.replace('4.000000', '0.000000') });
    expect((await readImport([path])).notes.join()).toMatch(/eda.csv was left out: it is damaged/);
    const bytes = readFileSync(zipOf('c.zip', { 'EDA.csv': EDA, 'ACC.csv': ACC.repeat(40).slice(0, 2000) }));
    bytes[60 + bytes.indexOf('ACC.csv')]! ^= 0xff;
    writeFileSync(join(folder, 'd.zip'), bytes);
    const read = await readImport([join(folder, 'd.zip')]);
    expect(read.channels.map(({ channel }) => channel.type)).toEqual(['EDA']);
    const nothing = zipOf('e.zip', { 'ACC.csv': `${START}\n32\n`, 'EDA.csv': '' });
    await expect(openImport([nothing])).rejects.toMatchObject({ code: 'FILE_EMPTY' });
    const old = zipOf('f.zip', { 'ACC.csv': ACC.replaceAll(`${START}`, '16'), 'EDA.csv': EDA });
    await expect(openImport([old])).rejects.toMatchObject({ code: 'TIME_IMPLAUSIBLE' });
  });
});

describe.runIf(embrace)('a real file of the EmbracePlus', () => {
  const path = realData('devices/embraceplus/embraceplus_120s.avro') as string;

  it('has every count, value, start and measured rate', async () => {
    const { channels, header, format } = await readImport([path]);
    expect(format).toBe('EmbracePlus Avro');
    expect(header).toMatchObject({
      udid: embrace.deviceSn,
      hardwareId: 'EmbracePlus',
      firmwareId: '4.24.3',
      device: { maker: 'Empatica', subjectCode: 'PRUEBACNC' },
    });
    const of = (type: string) => channels.find(({ channel }) => channel.type === type)!;
    expectTruth(of('ACCEL').counts, embrace.accelerometer.counts, 0);
    expectTruth(of('ACCEL').values, embrace.accelerometer.g, 1e-6);
    for (const [field, type] of [
      ['accelerometer', 'ACCEL'],
      ['bvp', 'PPG'],
      ['eda', 'EDA'],
      ['temperature', 'TEMPERATURE'],
    ]) {
      const truth = embrace[field as string];
      const { timesUs, values, channel } = of(type as string);
      expect(timesUs[0]).toBe(truth.startUs);
      expect(Math.abs(timesUs.at(-1)! - truth.startUs - ((timesUs.length - 1) / truth.rateHz) * 1e6)).toBeLessThan(2);
      expect(channel.nominalRateHz).toBeCloseTo(truth.rateHz, 1);
      if (field !== 'accelerometer') expectTruth(values, truth, 1e-4);
    }
    const pulse = of('PPI');
    expect(pulse.timesUs.length).toBe(embrace.systolicPeaksNs.count - 1);
    const peaks = [pulse.timesUs[0]! - pulse.values[0]![0]! * 1e6, ...pulse.timesUs].map(Math.round);
    expect(peaks.slice(0, 3)).toEqual(embrace.systolicPeaksNs.first.map((time: number) => Math.round(time / 1000)));
    expect(channels.some(({ channel }) => channel.type === 'GYRO')).toBe(false);
  });

  it('cut in the middle gives what is whole and says so, or is refused', async () => {
    const bytes = readFileSync(path);
    const cut = join(folder, 'cut.avro');
    writeFileSync(cut, bytes.subarray(0, 60_000));
    const { channels, notes } = await readImport([cut]);
    expectTruth(channels[0]!.counts, embrace.accelerometer.counts, 0);
    expect(notes.join()).toMatch(/cut.avro was cut off/);
    writeFileSync(cut, bytes.subarray(0, 5000));
    await expect(openImport([cut])).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });
});

const AXES = { type: 'array', items: 'int' };
const LIMITS = {
  type: 'record',
  name: 'Limits',
  fields: ['physicalMin', 'physicalMax', 'digitalMin', 'digitalMax'].map((name) => ({ name, type: 'int' })),
};
const MOTION = {
  type: 'record',
  name: 'Imu',
  fields: [
    { name: 'timestampStart', type: 'long' },
    { name: 'samplingFrequency', type: 'float' },
    { name: 'imuParams', type: LIMITS },
    ...['x', 'y', 'z'].map((name) => ({ name, type: AXES })),
  ],
};
/** A later version: fields in another order, and one more that the reader does not know. */
const SCHEMA = {
  type: 'record',
  name: 'Session',
  namespace: 'empatica.format.avro',
  fields: [
    { name: 'later', type: { type: 'array', items: 'string' } },
    {
      name: 'rawData',
      type: {
        type: 'record',
        name: 'RawData',
        fields: [
          { name: 'gyroscope', type: MOTION },
          { name: 'accelerometer', type: 'empatica.format.avro.Imu' },
          {
            name: 'tags',
            type: {
              type: 'record',
              name: 'Tags',
              fields: [{ name: 'tagsTimeMicros', type: { type: 'array', items: 'long' } }],
            },
          },
        ],
      },
    },
    { name: 'deviceSn', type: 'string' },
  ],
};
const US = 1_700_000_000_000_000;
const G = { physicalMin: -16, physicalMax: 16, digitalMin: -32_768, digitalMax: 32_768 };
const DPS = { physicalMin: -2000, physicalMax: 2000, digitalMin: -32_768, digitalMax: 32_768 };
const ramp = (count: number, first: number): number[] => Array.from({ length: count }, (_, i) => first + i);

function embraceFile(
  name: string,
  startUs: number,
  count: number,
  first = 0,
  codec: 'null' | 'deflate' = 'deflate',
): string {
  const axes = { x: ramp(count, first), y: ramp(count, first + 1), z: ramp(count, first + 2) };
  const motion = (imuParams: object) => ({ timestampStart: startUs, samplingFrequency: 50, imuParams, ...axes });
  const record = {
    later: ['x'],
    rawData: { gyroscope: motion(DPS), accelerometer: motion(G), tags: { tagsTimeMicros: [startUs + 5] } },
    deviceSn: 'SN1',
  };
  const path = join(folder, name);
  writeFileSync(path, avroFile(SCHEMA, [record], codec));
  return path;
}

describe('made files of the EmbracePlus', () => {
  it.each(['null', 'deflate'] as const)('are read by the names of the schema, codec %s', async (codec) => {
    const { channels, labels, marks } = await readImport([embraceFile(`${codec}.avro`, US, 10, 0, codec)]);
    expect(channels.map(({ channel }) => [channel.type, channel.unit])).toEqual([
      ['ACCEL', 'g'],
      ['GYRO', 'dps'],
    ]);
    expect(channels[0]!.values[2]![0]).toBe(2 / 2048);
    expect(channels[1]!.values[0]![1]).toBeCloseTo(2000 / 32_768, 12);
    expect(labels.length).toBe(1);
    expect(marks).toEqual([{ channel: 0, timeUs: US + 5, reason: 'BUTTON' }]);
  });

  it('are joined by their start times: the next start sets the rate, a pause stays a gap, a repeat is read once', async () => {
    const paths = [
      embraceFile('third.avro', US + 5_000_000, 100, 200),
      embraceFile('first.avro', US, 100),
      embraceFile('second.avro', US + 2_010_000, 100, 100),
      embraceFile('again.avro', US, 100),
    ];
    const { channels, notes } = await readImport(paths);
    const accel = channels[0]!;
    expect(accel.counts[0]).toEqual(ramp(300, 0));
    expect(accel.timesUs[50]).toBe(US + 50 * 20_100);
    expect(accel.timesUs[100]).toBe(US + 2_010_000);
    expect(accel.timesUs[200]! - accel.timesUs[199]!).toBe(5_000_000 - 2_010_000 - 99 * 20_000);
    expect(accel.timesUs.every((time, i) => i === 0 || time > accel.timesUs[i - 1]!)).toBe(true);
    expect(notes).toContain('accelerometer: 1 gaps between the files.');
    expect(notes).toContain('accelerometer: 100 samples that two files hold were read once.');
  });

  const STREAM = {
    type: 'record',
    name: 'Stream',
    fields: [
      { name: 'timestampStart', type: 'long' },
      { name: 'samplingFrequency', type: 'float' },
      { name: 'values', type: { type: 'array', items: 'float' } },
    ],
  };
  const STREAMS_SCHEMA = {
    type: 'record',
    name: 'Session',
    fields: [
      {
        name: 'rawData',
        type: {
          type: 'record',
          name: 'RawData',
          fields: [
            { name: 'bvp', type: STREAM },
            { name: 'eda', type: 'Stream' },
            { name: 'temperature', type: 'Stream' },
          ],
        },
      },
      { name: 'deviceSn', type: 'string' },
    ],
  };
  const streams = (name: string, bvp: { timestampStart?: number; samplingFrequency?: number } = {}): string => {
    const of = (rate: number, facts = {}) => ({
      timestampStart: US,
      samplingFrequency: rate,
      values: ramp(120 * rate, 1),
      ...facts,
    });
    const rawData = { bvp: of(64, bvp), eda: of(4), temperature: of(1) };
    const path = join(folder, name);
    writeFileSync(path, avroFile(STREAMS_SCHEMA, [{ rawData, deviceSn: 'SN1' }]));
    return path;
  };

  it.each([
    ['a start an hour off', { timestampStart: US + 3_600_000_000 }, 'its start is far from that of the other signals'],
    ['half the rate', { samplingFrequency: 32 }, 'its rate of 32 Hz cannot be'],
    ['a rate 3 % off', { samplingFrequency: 66 }, 'its rate of 66 Hz cannot be'],
  ])('leave out a signal with %s, and keep the others', async (_, facts, reason) => {
    const { channels, notes } = await readImport([streams('odd.avro', facts)]);
    expect(channels.map(({ channel }) => channel.type)).toEqual(['EDA', 'TEMPERATURE']);
    expect(notes).toContain(`odd.avro: bvp was left out: ${reason}.`);
  });

  it('are read out of a folder that has tables of another program beside them, and are many', async () => {
    const root = mkdtempSync(join(folder, 'device-'));
    mkdirSync(join(root, 'raw_data'));
    mkdirSync(join(root, 'digital_biomarkers'));
    const COUNT = 520;
    for (let i = 0; i < COUNT; i++) {
      const path = embraceFile('next.avro', US + i * 2_000_000, 100, i);
      renameSync(path, join(root, 'raw_data', `1-1-x_${String(i).padStart(4, '0')}.avro`));
    }
    writeFileSync(join(root, 'digital_biomarkers', 'eda.csv'), 'timestamp_unix,timestamp_iso,eda\n1,2,3\n');
    const { channels, notes } = await readImport([root]);
    expect(channels[0]!.timesUs.length).toBe(100 * COUNT);
    expect(notes).toContain('1 other file in the folder was not read.');
  });

  it('with a count that promises more than the file has are refused, without filling memory', async () => {
    // 2^40 items in an array of ten bytes.
    const x = Buffer.concat([avroLong(2 ** 40), Buffer.alloc(10, 2)]);
    const motion = { timestampStart: US, samplingFrequency: 50, imuParams: G, x, y: [], z: [] };
    const record = {
      later: [],
      rawData: { gyroscope: motion, accelerometer: motion, tags: { tagsTimeMicros: [] } },
      deviceSn: '',
    };
    writeFileSync(join(folder, 'forged.avro'), avroFile(SCHEMA, [record]));
    await expect(openImport([join(folder, 'forged.avro')])).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });

  it('of another kind or codec are refused with the reason', async () => {
    const other = join(folder, 'other.avro');
    writeFileSync(other, avroFile({ type: 'record', name: 'A', fields: [{ name: 'a', type: 'int' }] }, [{ a: 1 }]));
    await expect(openImport([other])).rejects.toThrow(/not one of an EmbracePlus/);
    const snappy = readFileSync(embraceFile('codec.avro', US, 4))
      .toString('latin1')
      .replace('deflate', 'snappyy');
    writeFileSync(other, Buffer.from(snappy, 'latin1'));
    await expect(openImport([other])).rejects.toThrow(/packed by snappyy/);
  });
});
