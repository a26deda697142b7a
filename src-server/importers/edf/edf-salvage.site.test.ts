import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeEdfHeader } from '../../exporters/edf/file-writer.ts';
import { readImport } from '../../testing/import-fixtures.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-edf-salvage-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const RATE = 100;
const ANNOTATION_BYTES = 64;
const START_MS = Date.UTC(2024, 0, 1);

/** An EDF+ of one-second records; sample i of record r is 1000 r + i. */
function edfPlus(isDiscontinuous: boolean, onsets: readonly (string | null)[], bytesPerSample: 2 | 3 = 2): Buffer {
  const limit = 2 ** (8 * bytesPerSample - 1);
  const header = encodeEdfHeader({
    bytesPerSample,
    isDiscontinuous,
    startSecondMs: START_MS,
    patient: 'X X X X',
    recording: 'X X X',
    recordCount: onsets.length,
    recordDurationUs: 1e6,
    signals: [
      {
        label: 'ECG',
        transducer: '',
        unit: 'mV',
        physicalMinimum: -10,
        physicalMaximum: 10,
        digitalMinimum: -limit,
        digitalMaximum: limit - 1,
        prefilter: '',
        samplesPerRecord: RATE,
      },
    ],
    annotationBytes: bytesPerSample === 3 ? 63 : ANNOTATION_BYTES,
  });
  const records = onsets.flatMap((onset, r) => {
    const samples = Buffer.alloc(RATE * bytesPerSample);
    for (let i = 0; i < RATE; i++) samples.writeIntLE(1000 * r + i, i * bytesPerSample, bytesPerSample);
    const lists = Buffer.alloc(bytesPerSample === 3 ? 63 : ANNOTATION_BYTES);
    if (onset !== null) lists.write(`${onset}\x14\x14\0`, 'latin1');
    return [samples, lists];
  });
  return Buffer.concat([header, ...records]);
}

async function read(bytes: Uint8Array) {
  const path = join(folder, `${crypto.randomUUID()}.edf`);
  await writeFile(path, bytes);
  const result = await readImport([path], { timeZone: 'UTC' });
  const { timesUs, counts } = result.channels[0]!;
  return { ...result, timesUs, counts: counts[0]! };
}

/** Records by their first sample, and the second at which each begins. */
const recordsOf = ({ timesUs, counts }: { timesUs: number[]; counts: number[] }) =>
  counts.flatMap((count, i) => (count % 1000 === 0 ? [[count / 1000, timesUs[i]! / 1e6 - START_MS / 1000]] : []));

describe('a damaged EDF gives what is whole', () => {
  const onsets = ['+0', '+1', '+2', '+3', '+4', '+5'];
  const headerBytes = 256 * 3;
  const recordBytes = RATE * 2 + ANNOTATION_BYTES;

  it.each([2, 3] as const)('cut in a record, with %s bytes per sample', async (bytesPerSample) => {
    const whole = edfPlus(false, onsets, bytesPerSample);
    const perRecord = (whole.length - headerBytes) / onsets.length;
    const result = await read(whole.subarray(0, headerBytes + 3.5 * perRecord));
    expect(recordsOf(result)).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
    expect(result.counts.length).toBe(3 * RATE);
    expect(result.notes).toContain('The file was cut off: 3 of 6 data records are missing.');
    expect(result.notes.join()).toMatch(/bytes after the last data record were left out/);
  });

  it('a continuous one by place, whatever one record says of its time', async () => {
    const late = await read(edfPlus(false, onsets.with(2, '+9')));
    expect(recordsOf(late)).toEqual(onsets.map((_, r) => [r, r]));
    expect(late.notes.join()).toMatch(/1 data records state another time than their place/);
    const first = await read(edfPlus(false, onsets.with(0, '+7')));
    expect(recordsOf(first)).toEqual(onsets.map((_, r) => [r, r]));
    expect(first.notes.join()).toMatch(/first data record states another time/);
  });

  it('one with breaks without the records whose time is wrong or missing', async () => {
    const times: (string | null)[] = ['+0', '+1', '+60', '+61', '+120', '+121'];
    const expected = [0, 1, 60, 61, 120, 121].map((second, r) => [r, second]);
    expect(recordsOf(await read(edfPlus(true, times)))).toEqual(expected);
    for (const wrong of [null, '+0', '+900', 'x']) {
      const result = await read(edfPlus(true, times.with(3, wrong)));
      expect(recordsOf(result)).toEqual(expected.filter(([r]) => r !== 3));
      expect(result.notes.join()).toMatch(/1 data records without a plausible start time were left out/);
      expect(result.marks).toEqual([{ channel: 0, timeUs: START_MS * 1000 + 60_990_000, reason: 'BAD_CHECKSUM' }]);
    }
    const withoutFirst = await read(edfPlus(true, times.with(0, null)));
    expect(recordsOf(withoutFirst)).toEqual(expected.slice(1));
  });

  it('is refused where its header cannot be right', async () => {
    const whole = edfPlus(false, onsets);
    await expect(read(whole.subarray(0, headerBytes + recordBytes - 1))).rejects.toMatchObject({
      code: 'FILE_DAMAGED',
      message: expect.stringMatching(/none of them is whole/),
    });
    await expect(
      read(
        edfPlus(
          true,
          onsets.map(() => null),
        ),
      ),
    ).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });
});
