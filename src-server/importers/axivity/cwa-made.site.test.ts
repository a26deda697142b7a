import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReadRecording, readImport } from '../../testing/import-fixtures.ts';
import { FULL, type MadeBlock, madeBlock, madeHeader, summed } from '../../testing/made-cwa.ts';
import { openImport } from '../index.ts';

/** The real period at nominal 100 Hz, as recorders have it. */
const PERIOD_US = 10_100;
const BLOCK_US = 120 * PERIOD_US;
const T0 = Date.UTC(2026, 4, 4, 9) * 1e3;
/** Times of blocks are kept in 1/32768 s. */
const STAMP_US = 70;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-cwa-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function saved(blocks: Uint8Array[], { header = madeHeader(), name = 'a.cwa' } = {}): Promise<string> {
  const path = join(await mkdtemp(join(folder, 'f-')), name);
  await writeFile(path, Buffer.concat([header, ...blocks]));
  return path;
}

const read = async (blocks: Uint8Array[], options?: { header?: Buffer; name?: string }): Promise<ReadRecording> =>
  readImport([await saved(blocks, options)], { timeZone: 'UTC' });

/** A block in its place; `at` counts blocks from the start. */
const block = (sequence: number, { at = sequence, ...facts }: Partial<MadeBlock> & { at?: number } = {}): Buffer =>
  madeBlock({ timeUs: T0 + at * BLOCK_US, sequence, ...facts });
const blocks = (from: number, to: number, facts: Partial<MadeBlock> = {}): Buffer[] =>
  Array.from({ length: to - from }, (_, i) => block(from + i, facts));

const accel = ({ channels }: ReadRecording) => channels.find(({ channel }) => channel.type === 'ACCEL')!;
/** Blocks of which samples were read, by their place in time. */
const places = (recording: ReadRecording): number[] => [
  ...new Set(accel(recording).timesUs.map((us) => Math.floor((us - T0 + 2 * STAMP_US) / BLOCK_US))),
];
const marks = ({ marks: found }: ReadRecording) =>
  found.map(({ channel, reason, timeUs }) => [channel, reason, Math.round((timeUs - T0) / PERIOD_US)]);

describe('forms of blocks', () => {
  it('places the samples before a gap by the mean period, although single stamps jitter', async () => {
    // The stamp before the last is late, so that the last distance is a fiftieth too short.
    const late = (sequence: number) => T0 + sequence * BLOCK_US + (sequence === 18 ? BLOCK_US / 40 : 0);
    const made = Array.from({ length: 20 }, (_, sequence) => madeBlock({ timeUs: late(sequence), sequence }));
    const found = accel(await read([...made, ...blocks(25, 30)]));
    const last = 20 * 120 - 1;
    expect(Math.abs(found.timesUs[last]! - (T0 + last * PERIOD_US))).toBeLessThan(PERIOD_US / 2);
  });

  it('unpacks 10-bit samples with their exponent, and the values of each block', async () => {
    const packed = block(0, { light: 123, temperature: 300, battery: 200 });
    const values = [
      [511, -512, 1, 3],
      [-1, 5, -7, 2],
      [100, 0, -100, 0],
    ];
    values.forEach(([x, y, z, exponent], i) => {
      const word = (x! & 0x3ff) | ((y! & 0x3ff) << 10) | ((z! & 0x3ff) << 20) | (exponent! << 30);
      packed.writeInt32LE(word, 30 + 4 * i);
    });
    const { channels } = await read([summed(packed), block(1)]);
    const [x, y, z] = channels[0]!.counts;
    expect([x![0], y![0], z![0]]).toEqual([511 << 3, -512 << 3, 1 << 3]);
    expect([x![1], y![1], z![1]]).toEqual([-4, 20, -28]);
    expect([x![2], y![2], z![2]]).toEqual([100, 0, -100]);
    expect(channels[0]!.values[0]![0]).toBe((511 << 3) / 256);
    const of = (type: string) => channels.find(({ channel }) => channel.type === type)!.values[0]![0];
    expect(of('TEMPERATURE')).toBeCloseTo((300 * 75) / 256 - 50, 9);
    expect(of('LIGHT')).toBe(123);
    expect(of('BATTERY')).toBeCloseTo(((200 + 512) * 6) / 1024, 9);
  });

  it.each([3, 6, 9] as const)('reads 16-bit samples of %i axes, with the axes of each sensor', async (axes) => {
    const value = (i: number, axis: number): number => 1000 * (axis + 1) + i;
    const made = [0, 1, 2].map((sequence) =>
      madeBlock({ timeUs: T0 + sequence * FULL[axes]! * PERIOD_US, sequence, axes, isPacked: false, value }),
    );
    const { channels, header } = await read(made, { header: madeHeader({ hardware: 0x64 }) });
    expect(header.hardwareId).toBe('AX6');
    const sensors = [
      ['ACCEL', 'g', 1 / 2048],
      ['GYRO', 'dps', 250 / 32_768],
      ['MAGNETOMETER', 'uT', 1 / 16],
    ].slice(0, axes / 3);
    sensors.forEach(([type, unit, scale], sensor) => {
      const { channel, counts, timesUs } = channels[sensor]!;
      expect([channel.type, channel.unit, channel.scale[0]]).toEqual([type, unit, scale]);
      expect(counts.map((column) => column[5])).toEqual([0, 1, 2].map((d) => value(5, 3 * sensor + d)));
      expect(timesUs.length).toBe(3 * FULL[axes]!);
    });
  });

  it('takes the period from the blocks, whether stamps have a fraction or not', async () => {
    for (const firmware of [undefined, 'OLD'] as const) {
      const { timesUs } = accel(await read(blocks(0, 100, { ...(firmware && { firmware }) })));
      expect(timesUs.length).toBe(12_000);
      const off = timesUs.map((us, i) => Math.abs(us - T0 - i * PERIOD_US));
      expect(Math.max(...off)).toBeLessThan(firmware ? 1e4 : STAMP_US);
    }
  });

  it('finds the rate of 2010 firmware from whole seconds, over an hour rather than from block to block', async () => {
    const firmware = '2010' as const;
    const short = accel(await read(blocks(0, 10, { firmware })));
    expect(short.timesUs.at(-1)! - short.timesUs[0]!).toBeGreaterThan(11.9e6);
    expect(short.timesUs.at(-1)! - short.timesUs[0]!).toBeLessThan(12.4e6);
    const { timesUs, pageCount } = accel(await read(blocks(0, 6000, { firmware })));
    expect(timesUs.every((us, i) => Math.abs(us - T0 - i * PERIOD_US) < 0.6e6)).toBe(true);
    expect(timesUs.every((us, i) => i === 0 || Math.abs(us - timesUs[i - 1]! - PERIOD_US) < 40)).toBe(true);
    expect(pageCount).toBeLessThan(130);
  });

  it('begins a page where the rate or the packing changes, and shifts packed counts of another range', async () => {
    const later = [0, 1, 2].map((i) =>
      madeBlock({ timeUs: T0 + 5 * BLOCK_US + i * 2.4e6, sequence: 5 + i, rateCode: 0x49 }),
    );
    const changed = accel(await read([...blocks(0, 5), ...later]));
    expect(changed.timesUs[601]! - changed.timesUs[600]!).toBeCloseTo(20_000, -1);
    const ranged = await read([...blocks(0, 5), ...blocks(5, 7, { rateCode: 0x8a })]);
    expect(accel(ranged).timesUs.length).toBe(840);
    expect(ranged.notes).toEqual([]);
  });
});

describe('headers', () => {
  it.each([
    [0x64, 'AX6'],
    [0x17, 'AX3'],
    [0x00, 'AX3'],
    [0xff, 'AX3'],
  ])('takes hardware code %i for an %s', async (hardware, model) => {
    const { header } = await read(blocks(0, 2), { header: madeHeader({ hardware, deviceId: 70_123, firmware: 51 }) });
    expect(header).toMatchObject({ hardwareId: model, udid: '70123', firmwareId: '51', deviceRecordingId: 7 });
  });

  it('reads where the recorder was worn, and shows the code of its subject without taking it', async () => {
    const annotation = '_c=Centre&_p=left+wrist&_sc=N%2D104&_se=1';
    const { header, notes } = await read(blocks(0, 2), { header: madeHeader({ annotation }) });
    expect(header.physicalConfig).toMatchObject({ location: 'WRIST', side: 'LEFT' });
    expect(header.device?.subjectCode).toBe('N-104');
    expect(notes.join()).toContain('N-104');
  });

  it('refuses a recorder without data, and reads what is whole of a copy that broke off', async () => {
    await expect(openImport([await saved([])])).rejects.toMatchObject({ code: 'FILE_EMPTY' });
    const part = await read([...blocks(0, 3), block(3).subarray(0, 200)], { name: 'CWA-DATA.cwa.part' });
    expect(accel(part).timesUs.length).toBe(360);
    expect(part.notes).toEqual(['1 block (200 bytes) was damaged or cut off and was left out.']);
  });

  it('reads the blocks behind a damaged header, and says that the device is not known', async () => {
    const { channels, notes, header } = await read(blocks(0, 4), { header: Buffer.alloc(1024, 0xff) });
    expect(channels[0]!.timesUs.length).toBe(480);
    expect(header.udid).toBe('unknown');
    expect(notes.join()).toContain('its device is not known');
  });
});

describe('breaks', () => {
  it('ends at a damaged block, which is absent, and says why', async () => {
    const bad = block(5);
    bad[100]! ^= 4;
    const recording = await read([...blocks(0, 5), bad, ...blocks(6, 9)]);
    expect(places(recording)).toEqual([0, 1, 2, 3, 4, 6, 7, 8]);
    expect(marks(recording)).toEqual([[0, 'BAD_CHECKSUM', 599]]);
    expect(recording.notes).toEqual([
      '1 block (512 bytes) was damaged or cut off and was left out.',
      "1 block is missing by the device's count.",
      'The recording has 1 gap; nothing was filled in.',
    ]);
  });

  it('gives a first block before a gap the period of those behind it', async () => {
    const { timesUs } = accel(await read([block(0), ...blocks(2, 6)]));
    expect(Math.abs(timesUs[119]! - T0 - 119 * PERIOD_US)).toBeLessThan(STAMP_US);
  });

  it('counts a lost block, and finds blocks again that bytes too many have moved', async () => {
    const lost = await read([...blocks(0, 5), ...blocks(7, 10)]);
    expect(marks(lost)).toEqual([[0, 'LOST_BLOCK', 599]]);
    expect(lost.notes[0]).toBe("2 blocks are missing by the device's count.");
    const moved = await read([...blocks(0, 5), Buffer.alloc(77, 9), ...blocks(5, 10)]);
    expect(places(moved)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('continues where the count begins again behind USB, with a gap that says so', async () => {
    const recording = await read([...blocks(0, 5), block(0, { at: 20, events: 1 }), block(1, { at: 21 })]);
    expect(places(recording)).toEqual([0, 1, 2, 3, 4, 20, 21]);
    expect(marks(recording)).toEqual([[0, 'DOCKED', 599]]);
  });

  it('leaves blocks of another session out, also before the first of its own', async () => {
    const between = await read([...blocks(0, 5), ...blocks(5, 7, { session: 9 }), ...blocks(7, 9)]);
    expect(places(between)).toEqual([0, 1, 2, 3, 4, 7, 8]);
    expect(between.notes).toContain('2 blocks belong to another session of the device and were left out.');
    const before = await read([block(40, { at: -9, session: 6 }), ...blocks(0, 6)]);
    expect(places(before)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(before.header.deviceRecordingId).toBe(7);
    expect(before.notes).toEqual(['1 block belongs to another session of the device and was left out.']);
    const unknown = await read(blocks(0, 6), { header: madeHeader({ session: 99 }) });
    expect(places(unknown)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('keeps what follows a block with a good checksum and a time far ahead', async () => {
    const recording = await read([...blocks(0, 5), block(5, { at: 30_000 }), ...blocks(6, 9)]);
    expect(places(recording)).toEqual([0, 1, 2, 3, 4, 6, 7, 8]);
    expect(marks(recording)).toEqual([[0, 'LOST_BLOCK', 599]]);
    expect(recording.notes).toEqual([
      '1 block states a time that the blocks around it contradict and was left out.',
      'The recording has 1 gap; nothing was filled in.',
    ]);
  });

  it.each([30_000_000, -600_000_000])('begins at the second block when the first is %i blocks off', async (at) => {
    const recording = await read([block(0, { at }), ...blocks(1, 6)]);
    expect(places(recording)).toEqual([1, 2, 3, 4, 5]);
    expect(recording.notes).toEqual(['1 block states a time that the blocks around it contradict and was left out.']);
  });

  it('keeps a pause: a jump that the next block confirms, and one at the end', async () => {
    const pause = await read([...blocks(0, 5), block(5, { at: 900 }), block(6, { at: 901 })]);
    expect(places(pause)).toEqual([0, 1, 2, 3, 4, 900, 901]);
    expect(marks(pause)).toEqual([[0, 'SENSOR_RESTART', 599]]);
    expect(places(await read([...blocks(0, 5), block(5, { at: 900 })]))).toEqual([0, 1, 2, 3, 4, 900]);
  });

  it('marks and counts the gap behind a block whose times were read before', async () => {
    const recording = await read([...blocks(0, 5), block(5, { at: 2 }), block(6, { at: 30 }), block(7, { at: 31 })]);
    expect(places(recording)).toEqual([0, 1, 2, 3, 4, 30, 31]);
    expect(marks(recording)).toEqual([[0, 'LOST_BLOCK', 599]]);
    expect(recording.notes).toEqual([
      '1 block repeats times that were read before and was left out.',
      'The recording has 1 gap; nothing was filled in.',
    ]);
  });

  it('reads swapped blocks once each, in order', async () => {
    const made = blocks(0, 12);
    [made[5], made[6]] = [made[6]!, made[5]!];
    const recording = await read(made);
    const { timesUs } = accel(recording);
    expect(timesUs.every((us, i) => i === 0 || us > timesUs[i - 1]!)).toBe(true);
    expect(places(recording).length).toBeGreaterThanOrEqual(11);
    expect(recording.notes.length).toBeGreaterThan(0);
  });
});
