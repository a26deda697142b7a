import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReadRecording, readImport } from '../../testing/import-fixtures.ts';
import { openImport } from '../index.ts';

const RATE_HZ = 85.7;
/** The device writes a page each 3.5 s at this setting: 85.714 Hz. */
const PAGE_MS = 3500;
const START_MS = Date.UTC(2024, 4, 6, 10);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-geneactiv-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const stamp = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').replace('.', ':').replace('Z', '');

function header({ zone = 'GMT +01:00', start = stamp(START_MS), pages = 10 } = {}): string[] {
  return [
    'Device Identity',
    'Device Unique Serial Code:012345',
    'Device Type:GENEActiv',
    'Device Model:1.1',
    'Device Firmware Version:Ver4.08a',
    '',
    'Configuration Info',
    `Measurement Frequency:${RATE_HZ} Hz`,
    `Start Time:${start}`,
    `Time Zone:${zone}`,
    '',
    'Calibration Data',
    'x gain:25000',
    'x offset:-500',
    'y gain:25000',
    'y offset:0',
    'z gain:20000',
    'z offset:1000',
    'Volts:50',
    'Lux:900',
    '',
    'Memory Status',
    `Number of Pages:${pages}`,
    '',
  ];
}

const hex = (value: number): string => (value & 0xfff).toString(16).toUpperCase().padStart(3, '0');
/** x tells page and sample, y is negative, z is 1 g; light 40; the button is down where asked. */
function page(
  sequence: number,
  { at = sequence, isDown = (_: number): boolean => false, samples = 300 } = {},
): string[] {
  const digits = Array.from({ length: samples }, (_, i) => {
    const low = (40 << 2) | (isDown(i) ? 2 : 0);
    return `${hex(sequence * 10 + (i % 7))}${hex(-100)}${hex(210)}${hex(low)}`;
  });
  return [
    'Recorded Data',
    'Device Unique Serial Code:012345',
    `Sequence Number:${sequence}`,
    `Page Time:${stamp(START_MS + at * PAGE_MS)}`,
    'Unassigned:',
    'Temperature:21.5',
    'Battery voltage:4.05',
    'Device Status:Recording',
    `Measurement Frequency:${RATE_HZ}`,
    digits.join(''),
  ];
}

const pages = (...numbers: number[]): string[][] => numbers.map((number) => page(number));

async function read(
  parts: string[][],
  { head = header({ pages: parts.length }), end = '\r\n', cut = 0, options = {} } = {},
) {
  const path = join(folder, `${crypto.randomUUID()}.bin`);
  const text = [...head, ...parts.flat(), ''].join(end);
  await writeFile(path, text.slice(0, text.length - cut), 'latin1');
  return readImport([path], options);
}

const accel = ({ channels }: ReadRecording) => channels.find(({ channel }) => channel.type === 'ACCEL')!;
const START_US = (START_MS - 3_600_000) * 1000;
const places = (recording: ReadRecording): number[] => [
  ...new Set(accel(recording).timesUs.map((us) => Math.floor((us - START_US + 10) / (PAGE_MS * 1000)))),
];

describe('made files of the GENEActiv', () => {
  it.each(['\n', '\r\n'])('are read with lines that end in %j', async (end) => {
    const recording = await read(pages(0, 1, 2, 3), { end });
    const { values, timesUs } = accel(recording);
    expect(timesUs.length).toBe(1200);
    expect(timesUs[0]).toBe(START_US);
    expect(timesUs[900]).toBe(START_US + 3 * PAGE_MS * 1000);
    expect(timesUs[1]! - timesUs[0]!).toBeCloseTo((PAGE_MS * 1000) / 300, -1);
    expect(values[0]![301]).toBeCloseTo((11 * 100 + 500) / 25_000, 9);
    expect(values[1]![0]).toBeCloseTo(-10_000 / 25_000, 9);
    expect(values[2]![0]).toBeCloseTo((21_000 - 1000) / 20_000, 9);
    const of = (type: string) => recording.channels.find(({ channel }) => channel.type === type)!.values[0]![0];
    expect(of('LIGHT')).toBeCloseTo((40 * 900) / 50, 9);
    expect(of('TEMPERATURE')).toBeCloseTo(21.5, 9);
    expect(of('BATTERY')).toBeCloseTo(4.05, 9);
    expect(recording.notes).toEqual([]);
  });

  it('have a gap with its mark and count where a page is missing', async () => {
    const recording = await read(pages(0, 1, 2, 4, 5), { head: header({ pages: 5 }) });
    expect(places(recording)).toEqual([0, 1, 2, 4, 5]);
    expect(recording.marks.map(({ channel, reason }) => [channel, reason])).toEqual([
      [0, 'LOST_BLOCK'],
      [1, 'LOST_BLOCK'],
    ]);
    expect(recording.notes.join()).toContain("1 page is missing by the device's count");
  });

  it('keep pages in order of time when two are swapped, and count the one that is left out', async () => {
    const recording = await read(pages(0, 1, 3, 2, 4, 5));
    const { timesUs } = accel(recording);
    expect(timesUs.every((us, i) => i === 0 || us > timesUs[i - 1]!)).toBe(true);
    expect(places(recording)).toEqual([0, 1, 3, 4, 5]);
    expect(recording.notes.join()).toContain('1 page repeats times that were read before');
  });

  const withTime = (number: number, at: number): string[] => page(number, { at });
  it.each([
    ['ahead of', [page(0), page(1), withTime(2, 20_000), page(3), page(4)], [0, 1, 3, 4]],
    ['before', [page(0), page(1), withTime(2, -20_000), page(3), page(4)], [0, 1, 3, 4]],
    ['a few seconds off', [page(0), page(1), withTime(2, 4.7), page(3), page(4)], [0, 1, 3, 4]],
    ['of the first page ahead of', [withTime(0, 20_000), ...pages(1, 2, 3, 4)], [1, 2, 3, 4]],
    ['of the first page before', [withTime(0, -20_000), ...pages(1, 2, 3, 4)], [1, 2, 3, 4]],
    ['of the last page ahead of', [...pages(0, 1, 2, 3), withTime(4, 20_000)], [0, 1, 2, 3]],
  ])('leave out a page with a time %s those around it', async (_, parts, kept) => {
    const recording = await read(parts);
    expect(places(recording)).toEqual(kept);
    expect(accel(recording).timesUs.length).toBe(1200);
    const notes = recording.notes.join(' ');
    expect(notes).toContain('1 page states a time that the pages around it contradict and was left out.');
    expect(notes).not.toContain('missing');
    expect(notes).not.toContain('announces');
  });

  it('keep both sides of a jump that the next page confirms', async () => {
    const recording = await read([...pages(0, 1, 2), ...[3, 4, 5].map((number) => withTime(number, number + 1000))]);
    expect(places(recording)).toEqual([0, 1, 2, 1003, 1004, 1005]);
    expect(recording.marks.map(({ reason }) => reason)).toEqual(['SENSOR_RESTART', 'SENSOR_RESTART']);
  });

  it('keep a page whose number alone is damaged', async () => {
    const recording = await read([...pages(0, 1), page(7002, { at: 2 }), ...pages(3, 4)]);
    expect(places(recording)).toEqual([0, 1, 2, 3, 4]);
    expect([recording.notes, recording.marks]).toEqual([[], []]);
  });

  it('are of the device that their pages name where the header names another', async () => {
    const head = header({ pages: 3 }).map((line) => line.replace('Code:012345', 'Code:092345'));
    const recording = await read(pages(0, 1, 2), { head });
    expect(recording.header.udid).toBe('012345');
    expect(places(recording)).toEqual([0, 1, 2]);
    expect(recording.notes.join()).toContain('The header names the device 092345, the pages name 012345');
  });

  it('of one page are read at the nominal rate, also when it is cut', async () => {
    const one = accel(await read(pages(7), { head: header({ pages: 1 }) }));
    expect(one.timesUs.length).toBe(300);
    expect(one.timesUs[299]! - one.timesUs[0]!).toBeCloseTo((299 * 1e6) / RATE_HZ, -2);
    const cut = await read(pages(0), { head: header({ pages: 1 }), cut: 12 * 100 + 7 });
    expect(accel(cut).timesUs.length).toBe(199);
    expect(cut.notes.join()).toContain('199 of 300 samples');
  });

  it('mark each press of the button once', async () => {
    const { marks } = await read([page(0), page(1, { isDown: (i) => i >= 100 && i < 130 }), page(2)]);
    const presses = marks.filter(({ reason }) => reason === 'BUTTON');
    expect(presses.length).toBe(1);
    expect(presses[0]!.timeUs).toBe(Math.round(START_US + (400 * PAGE_MS * 1000) / 300));
  });

  it('without a zone are a wall clock, read in the zone that a person states', async () => {
    const head = header({ zone: '', pages: 2 });
    const path = join(folder, 'zone.bin');
    await writeFile(path, [...head, ...pages(0, 1).flat(), ''].join('\n'), 'latin1');
    const source = await openImport([path], {});
    expect(source.clock?.kind).toBe('WALL_CLOCK');
    await source.close();
    const recording = await readImport([path], { timeZone: 'Asia/Tokyo' });
    expect(accel(recording).timesUs[0]).toBe((START_MS - 9 * 3_600_000) * 1000);
  });

  it('begin at the first page when the battery was flat and the start in the header is zero', async () => {
    const head = header({ start: '0000-00-00 00:00:00:000', pages: 3 });
    expect(accel(await read(pages(5, 6, 7), { head })).timesUs[0]).toBe(START_US + 5 * PAGE_MS * 1000);
  });
});
