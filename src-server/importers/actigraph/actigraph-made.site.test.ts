import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  infoText,
  logRecord,
  packedXyz,
  packedYxz,
  type Sample,
  ticksOf,
  wide,
  zipOf,
} from '../../testing/actigraph-files.ts';
import { readImport } from '../../testing/import-fixtures.ts';

const START = Date.UTC(2024, 2, 1, 8) / 1000;
const RATE = 30;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-actigraph-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Samples that tell second and place: no two of a file are alike. */
const samplesOf = (second: number, count = RATE): Sample[] =>
  Array.from({ length: count }, (_, i): Sample => [second * 40 + i, -1000 + second, 200 - i]);
const wideSecond = (second: number, count = RATE): Buffer =>
  logRecord(0x1a, START + second, wide(samplesOf(second, count)));
const event = (second: number, code: number): Buffer => logRecord(0x03, START + second, Buffer.of(code));

async function saved(bytes: Uint8Array): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.gt3x`);
  await writeFile(path, bytes);
  return path;
}

type Changes = Record<string, string | null>;

const gt3x = (log: Buffer[], info: Changes = {}, others: Record<string, Uint8Array> = {}, compress = true) =>
  zipOf(
    {
      'log.bin': Buffer.concat(log),
      ...others,
      'info.txt': infoText({ 'Start Date': ticksOf(START), 'Download Date': ticksOf(START + 90_000), ...info }),
    },
    compress,
  );

async function read(log: Buffer[], info: Changes = {}, others: Record<string, Uint8Array> = {}) {
  return readImport([await saved(await gt3x(log, info, others))], { timeZone: 'UTC' });
}

/** Seconds after the start at which samples of a channel lie, without the fraction; each once. */
const secondsOf = ({ timesUs }: { timesUs: number[] }, offsetHours = 4): number[] => [
  ...new Set(timesUs.map((time) => Math.floor(time / 1e6) - START - offsetHours * 3600)),
];

const reasons = ({ marks, channels }: Awaited<ReturnType<typeof read>>) =>
  marks.map(({ reason, timeUs }) => [reason, Math.floor((timeUs - channels[0]!.timesUs[0]!) / 1e6)]);

describe('forms of samples', () => {
  const samples = samplesOf(1, 29).map(([x, y, z]): Sample => [x - 2000, y, z]);
  const forms = [
    ['16 bits, x y z', 0x1a, wide(samples)],
    ['12 bits, y x z, odd number', 0x00, packedYxz(samples)],
    ['12 bits, x y z, odd number', 0x1b, packedXyz(samples)],
  ] as const;
  it.each(forms)('%s', async (_, type, payload) => {
    const { channels } = await read([logRecord(type, START, payload)], { 'Sample Rate': '29' });
    expect(channels[0]!.counts).toEqual([0, 1, 2].map((d) => samples.map((sample) => sample[d]!)));
    expect(channels[0]!.values[0]![0]).toBe(samples[0]![0] / 256);
    expect(channels[0]!.timesUs[0]).toBe((START + 4 * 3600) * 1e6);
  });

  it('turns the axes of a MOS with firmware 1.6.0 back, and of no other', async () => {
    const log = [logRecord(0x00, START, packedYxz([[1, 2, 3]]))];
    const facts = { 'Serial Number': 'MOS2A00000001', 'Sample Rate': '1' };
    const turned = await read(log, { ...facts, Firmware: '1.6.0' });
    expect(turned.channels[0]!.counts).toEqual([[2], [-1], [3]]);
    expect(turned.notes.join()).toMatch(/x and y were turned back/);
    expect((await read(log, { ...facts, Firmware: '1.7.0' })).channels[0]!.counts).toEqual([[1], [2], [3]]);
  });

  it('takes the scale from info.txt, else the parameters, else the family of the serial number', async () => {
    const second = wideSecond(0);
    const scaleOf = async (log: Buffer[], info: Changes) =>
      (await read(log, info)).channels[0]!.channel.exact![0]!.divisor;
    // (0, 55) = 341: 24 bits of 341 / 512 and an exponent of 9.
    const parameter = Buffer.alloc(8);
    parameter.writeUInt16LE(55, 2);
    parameter.writeUInt32LE((9 << 24) | Math.round((341 / 512) * 2 ** 23), 4);
    const parameters = logRecord(0x15, START - 50, parameter);
    expect(await scaleOf([parameters, second], { 'Acceleration Scale': '256,5' })).toBe(256.5);
    expect(await scaleOf([parameters, second], { 'Acceleration Scale': null })).toBe(341);
    expect(await scaleOf([second], { 'Acceleration Scale': null, 'Serial Number': 'CLE2B00000001' })).toBe(341);
    expect(await scaleOf([second], { 'Acceleration Scale': null, 'Serial Number': 'MOS2B00000001' })).toBe(256);
    await expect(read([second], { 'Acceleration Scale': null, 'Serial Number': 'ABC1' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
    });
  });
});

describe('clock of the device', () => {
  it('subtracts the offset of the file, also behind a byte-order mark', async () => {
    const info = Buffer.concat([
      Buffer.of(0xef, 0xbb, 0xbf),
      infoText({ 'Start Date': ticksOf(START), TimeZone: '05:30:00' }),
    ]);
    const path = await saved(await zipOf({ 'log.bin': wideSecond(0), 'info.txt': info }));
    const { channels, header } = await readImport([path], { timeZone: 'Asia/Tokyo' });
    expect(channels[0]!.timesUs[0]).toBe((START - 5.5 * 3600) * 1e6);
    expect(header.udid).toBe('TAS1H30180001');
    expect(JSON.stringify(header)).not.toMatch(/Doe/);
  });

  it('reads it in the given zone where the file has no offset', async () => {
    const path = await saved(await gt3x([wideSecond(0)], { TimeZone: null }));
    const { channels } = await readImport([path], { timeZone: 'Asia/Tokyo' });
    expect(channels[0]!.timesUs[0]).toBe((START - 9 * 3600) * 1e6);
  });
});

describe('gaps', () => {
  it('are left open, with their cause at the last sample before them', async () => {
    const log = [
      ...[0, 1, 2].map((s) => wideSecond(s)),
      event(3, 8),
      event(9, 9),
      wideSecond(9),
      logRecord(0x00, START + 10, Buffer.of(0x5a)),
      wideSecond(20),
      wideSecond(22),
      event(23, 1),
      wideSecond(30),
      event(31, 8),
    ];
    const result = await read(log);
    expect(secondsOf(result.channels[0]!)).toEqual([0, 1, 2, 9, 20, 22, 30]);
    expect(result.channels[0]!.counts[0]!.length).toBe(7 * RATE);
    expect(reasons(result)).toEqual([
      ['IDLE_SLEEP', 2],
      ['DOCKED', 9],
      ['LOST_BLOCK', 20],
      ['SENSOR_RESTART', 22],
      ['IDLE_SLEEP', 30],
    ]);
  });

  it('are taken as idle sleep where the device logs no events', async () => {
    expect(reasons(await read([wideSecond(0), wideSecond(5)]))).toEqual([['IDLE_SLEEP', 0]]);
  });

  it('a button of the device is a mark of its own', async () => {
    const { marks } = await read([wideSecond(0), logRecord(0x1d, START + 1, Buffer.of(1)), wideSecond(1)]);
    expect(marks).toEqual([{ channel: 0, timeUs: (START + 1 + 4 * 3600) * 1e6, reason: 'BUTTON' }]);
  });
});

describe('damaged logs', () => {
  const seconds = Array.from({ length: 10 }, (_, s) => wideSecond(s));

  it.each(['type', 'second', 'size', 'payload', 'checksum'])(
    'a flipped bit in the %s costs that record alone',
    async (where) => {
      const at = { type: 1, second: 3, size: 6, payload: 50, checksum: seconds[0]!.length - 1 }[where]!;
      const broken = Buffer.from(seconds[4]!);
      broken[at]! ^= 4;
      const result = await read(seconds.with(4, broken));
      expect(secondsOf(result.channels[0]!)).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9]);
      expect(reasons(result)).toEqual([['BAD_CHECKSUM', 3]]);
      expect(result.notes.join()).toMatch(/1 damaged places of the log .* 1 seconds of acceleration are missing/);
    },
  );

  it('skips zeros between records without a word', async () => {
    const result = await read([seconds[0]!, Buffer.alloc(7), seconds[1]!]);
    expect(secondsOf(result.channels[0]!)).toEqual([0, 1]);
    expect([result.marks, result.notes]).toEqual([[], []]);
  });

  it('finds the next record behind garbage full of separators', async () => {
    const garbage = Buffer.alloc(5000, 0x1e);
    const result = await read([seconds[0]!, garbage, seconds[1]!, seconds[2]!]);
    expect(secondsOf(result.channels[0]!)).toEqual([0, 1, 2]);
    expect(result.notes.join()).toMatch(/5000 bytes/);
  });

  it('keeps the first of repeated and backward seconds', async () => {
    const again = logRecord(0x1a, START + 1, wide(samplesOf(9)));
    const result = await read([seconds[0]!, seconds[1]!, again, seconds[0]!, seconds[2]!]);
    expect(secondsOf(result.channels[0]!)).toEqual([0, 1, 2]);
    expect(result.channels[0]!.counts[0]![RATE]).toBe(40);
    expect(result.notes.join()).toMatch(/2 seconds that were there already/);
  });

  it('leaves out a second that is ahead of those after it', async () => {
    const stray = logRecord(0x1a, START + 3000, wide(samplesOf(9)));
    const result = await read([seconds[0]!, stray, seconds[1]!, seconds[2]!]);
    expect(secondsOf(result.channels[0]!)).toEqual([0, 1, 2]);
    expect(result.notes.join()).toMatch(/1 seconds whose time is ahead/);
  });

  it('leaves the rest of a short second open', async () => {
    const result = await read([seconds[0]!, wideSecond(1, 20), seconds[2]!, seconds[3]!]);
    expect(result.channels[0]!.timesUs.length).toBe(3 * RATE + 20);
    expect(result.notes.join()).toMatch(/1 seconds hold more or fewer samples/);
  });

  it('refuses a log without a whole record, and one without acceleration', async () => {
    await expect(read([Buffer.alloc(900, 7)])).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
    await expect(read([event(0, 8)])).rejects.toMatchObject({ code: 'FILE_EMPTY' });
  });
});

describe('damaged ZIPs', () => {
  const rate = Buffer.alloc(16);
  rate.writeUInt32LE(0x000a_0001, 0);
  rate.writeUInt32LE(RATE, 4);
  rate.writeUInt16LE(55, 10);
  rate.writeUInt32LE((9 << 24) | 0x40_0000, 12);
  const zone = Buffer.from('{"MetadataType":"LocalTimeLog","UtcOffset":"-04:00:00"}');
  const log = [
    logRecord(0x06, START - 44, zone),
    logRecord(0x15, START - 44, rate),
    ...Array.from({ length: 200 }, (_, s) => wideSecond(s)),
  ];

  it.each([true, false])(
    'a cut file gives its whole seconds by what its log says of itself (deflate: %s)',
    async (compress) => {
      const whole = await gt3x(log, {}, {}, compress);
      const result = await readImport([await saved(whole.subarray(0, Math.floor(whole.length * 0.6)))]);
      const kept = secondsOf(result.channels[0]!);
      expect(kept.length).toBeGreaterThan(80);
      expect(kept).toEqual(kept.map((_, i) => i));
      expect(result.channels[0]!.counts[0]).toEqual(kept.flatMap((s) => samplesOf(s).map(([x]) => x)));
      expect(result.channels[0]!.channel.exact![0]!.divisor).toBe(256);
      expect(result.notes.join(' ')).toMatch(/was cut off .*info\.txt is missing/);
    },
  );

  it('a flipped bit in a packed log gives no wrong value without a word', async () => {
    const whole = await gt3x(log);
    for (const part of [0.2, 0.5, 0.7]) {
      const bytes = Buffer.from(whole);
      bytes[Math.floor(bytes.length * part)]! ^= 16;
      const result = await readImport([await saved(bytes)]);
      expect(result.notes.join()).toMatch(/checksum|damaged/);
      const { timesUs, counts } = result.channels[0]!;
      const wrong = timesUs.filter((time, i) => {
        const elapsed = Math.round((time / 1e6 - START - 4 * 3600) * RATE);
        return counts[0]![i] !== Math.floor(elapsed / RATE) * 40 + (elapsed % RATE);
      });
      expect(wrong).toEqual([]);
    }
  });

  it('a damaged info.txt is not believed', async () => {
    const whole = await gt3x(log, {}, {}, false);
    const at = whole.indexOf('Sample Rate: 30') + 'Sample Rate: '.length;
    whole[at] = '9'.charCodeAt(0);
    const result = await readImport([await saved(whole)]);
    expect(result.channels[0]!.channel.nominalRateHz).toBe(RATE);
    expect(result.channels[0]!.timesUs[0]).toBe((START + 4 * 3600) * 1e6);
    expect(result.notes.join()).toMatch(/info\.txt is missing or damaged/);
  });
});

describe('old layout', () => {
  const facts = { 'Serial Number': 'NEO1B00000001', Firmware: '1.4.0', TimeZone: null, 'Acceleration Scale': null };
  const samples = Array.from({ length: 2001 }, (_, i): Sample => [i % 900, 0 - (i % 700), 300]);
  const activity = Buffer.concat([packedYxz(samples), Buffer.alloc(900)]);
  const members = {
    'activity.bin': activity,
    'info.txt': infoText({ 'Start Date': ticksOf(START), ...facts }),
  };

  it('runs on over pages and ends before the padding', async () => {
    const { channels, notes } = await readImport([await saved(await zipOf(members))], { timeZone: 'UTC' });
    expect(channels[0]!.counts).toEqual([0, 1, 2].map((d) => samples.map((sample) => sample[d]!)));
    expect(channels[0]!.values[2]![0]).toBe(300 / 341);
    expect(channels[0]!.timesUs.at(-1)).toBe(Math.round(START * 1e6 + (2000 * 1e6) / RATE));
    expect(notes.join()).toMatch(/200 samples of zeros/);
  });

  it('refuses it with a wrong byte, since nothing tells which', async () => {
    const bytes = await zipOf(members, false);
    bytes[500]! ^= 1;
    await expect(readImport([await saved(bytes)], { timeZone: 'UTC' })).rejects.toMatchObject({
      code: 'FILE_DAMAGED',
      message: expect.stringMatching(/checksum/),
    });
  });

  it('refuses it cut before info.txt, which alone has start and rate', async () => {
    const bytes = (await zipOf(members)).subarray(0, 1500);
    await expect(readImport([await saved(bytes)])).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });
});

describe('other records', () => {
  const ssp = (fraction: number, exponent: number): number =>
    ((exponent << 24) | (Math.round(fraction * 2 ** 23) & 0xff_ffff)) >>> 0;
  const column = (label: string, scale: number): Buffer => {
    const bytes = Buffer.alloc(23, ' ');
    bytes.writeUInt8(2, 0);
    bytes.writeUInt8(0, 1);
    bytes.writeUInt8(16, 2);
    bytes.writeUInt32LE(scale, 3);
    bytes.write(label, 7, 'latin1');
    return bytes;
  };
  const schemaHead = Buffer.alloc(6);
  schemaHead.writeUInt16LE(3, 0);
  schemaHead.writeUInt16LE(4, 2);
  schemaHead.writeUInt16LE(2, 4);
  const schema = Buffer.concat([
    schemaHead,
    // 16 counts per degree per second, 256 counts per degree Celsius.
    ...['X', 'Y', 'Z'].map((axis) => column(`Gyroscope ${axis}`, ssp(0.5, 5))),
    column('Temperature', ssp(0.5, 9)),
  ]);
  const data = Buffer.alloc(2 + 16);
  data.writeUInt16LE(3, 0);
  [160, -320, 16, 256, 161, -321, 17, 512].forEach((value, i) => {
    data.writeInt16LE(value, 2 + 2 * i);
  });

  it('become channels with their units', async () => {
    const log = [
      logRecord(0x18, START - 10, schema),
      wideSecond(0),
      logRecord(0x19, START, data),
      logRecord(0x05, START, Buffer.of(0x2c, 0x01)),
      logRecord(0x04, START, Buffer.of(72)),
      // Flags: contact, intervals; 60 beats per minute; 1024 and 512 units of 1/1024 s.
      logRecord(0x0e, START + 3, Buffer.of(0x16, 60, 0, 4, 0, 2)),
      logRecord(0x0d, START, Buffer.of(0, 0, 0, 0, 1, 200)),
      wideSecond(1),
    ];
    const { channels } = await read(log);
    const found = Object.fromEntries(channels.map(({ channel, values }) => [channel.type, [channel.unit, values]]));
    expect(found).toMatchObject({
      GYRO: [
        'dps',
        [
          [10, 10.0625],
          [-20, -20.0625],
          [1, 1.0625],
        ],
      ],
      TEMPERATURE: ['degC', [[22, 23]]],
      LIGHT: ['lux', [[300]]],
      HR: ['/min', [[72]]],
      HR_2: ['/min', [[60]]],
      RR: ['s', [[1, 0.5]]],
      WEAR: ['NU', [[1]]],
    });
    const beats = channels.find(({ channel }) => channel.type === 'RR')!;
    expect(beats.timesUs.map((time) => time / 1e6 - START - 4 * 3600)).toEqual([2.5, 3]);
  });

  it('temperature of a watch is turned into degrees by the file', async () => {
    const calibration = {
      isCalibrated: false,
      calibrationMethod: 1,
      tempLow: 20,
      tempHigh: 40,
      mcuTempLow: 1000,
      mcuTempHigh: 2000,
      adxlTempLow: -100,
      adxlTempHigh: 100,
    };
    const log = [wideSecond(0), logRecord(0x1e, START, Buffer.of(0, 0xdc, 0x05, 1, 0xce, 0xff))];
    const { channels } = await read(log, {}, { 'temperature.json': Buffer.from(JSON.stringify(calibration)) });
    expect(channels.slice(1).map(({ channel, values }) => [channel.type, channel.unit, values[0]![0]])).toEqual([
      ['TEMPERATURE', 'degC', 30],
      ['TEMPERATURE_2', 'degC', 25],
    ]);
    const raw = await read(log);
    expect(raw.channels.slice(1).map(({ channel, values }) => [channel.unit, values[0]![0]])).toEqual([
      ['adu', 1500],
      ['adu', -50],
    ]);
  });

  it('a watch whose counts cannot be calibrated is refused', async () => {
    for (const text of [
      '{',
      '{"isCalibrated":false,"calibrationMethod":3}',
      '{"isCalibrated":false,"calibrationMethod":2}',
    ]) {
      const others = { 'calibration.json': Buffer.from(text) };
      await expect(read([wideSecond(0)], { 'Acceleration Scale': '1' }, others)).rejects.toMatchObject({
        code: 'UNSUPPORTED_FORMAT',
      });
    }
  });
});

describe('ZIPs with a damaged member', () => {
  const log = Array.from({ length: 20 }, (_, second) => wideSecond(second));

  it('reads the log when the own header of another member is damaged', async () => {
    const bytes = await gt3x(log, {}, { 'temperature.json': Buffer.from('{}') });
    const whole = await readImport([await saved(bytes)], { timeZone: 'UTC' });
    const damaged = Buffer.from(bytes);
    damaged.writeUInt32LE(0x1234_5678, damaged.indexOf('temperature.json') - 30);
    const { channels } = await readImport([await saved(damaged)], { timeZone: 'UTC' });
    expect(channels).toEqual(whole.channels);
  });

  it('says of a cut file in the old layout what is missing', async () => {
    const activity = packedYxz(samplesOf(1, 3000).map(([x, y]): Sample => [x % 100, y % 100, 300]));
    const members = { 'activity.bin': activity, 'battery.bin': Buffer.alloc(32, 5), 'eeprom.bin': Buffer.alloc(64, 6) };
    const bytes = await zipOf({ ...members, 'firmware.bin': Buffer.alloc(4096, 7), 'info.txt': infoText() }, false);
    const cut = bytes.subarray(0, bytes.indexOf('firmware.bin') + 200);
    await expect(readImport([await saved(cut)])).rejects.toThrow(/info\.txt does not say when it was recorded/);
  });
});
