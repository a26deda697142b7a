import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeEdfHeader } from '../../exporters/edf/file-writer.ts';
import { readImport } from '../../testing/import-fixtures.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-faros-made-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const START_MS = Date.UTC(2024, 0, 1, 9);
const OFFSET_MS = 2 * 3_600_000;
const ANNOTATION_BYTES = 64;
const RATES = { ECG: 50, Marker: 1, HRV: 5 } as const;
const UNITS = { ECG: 'uV', Marker: '', HRV: 'ms' } as const;

/** A Faros file of one-second records. `beats` are intervals by fifths of a second, `pressed` records with the button down. */
function faros(
  onsets: readonly number[],
  { beats, pressed, hasBreaks }: { beats: ReadonlyMap<number, number>; pressed: readonly number[]; hasBreaks: boolean },
): Buffer {
  const labels = Object.keys(RATES) as (keyof typeof RATES)[];
  const header = encodeEdfHeader({
    bytesPerSample: 2,
    isDiscontinuous: hasBreaks,
    startSecondMs: START_MS,
    patient: 'X X X X',
    recording: 'X X SW=2.2.1_HW=0G_SER=170012_DEVTYPE=Faros360_TZ=+0200',
    recordCount: onsets.length,
    recordDurationUs: 1e6,
    signals: labels.map((label) => ({
      label,
      transducer: '',
      unit: UNITS[label],
      physicalMinimum: -32_768,
      physicalMaximum: 32_767,
      digitalMinimum: -32_768,
      digitalMaximum: 32_767,
      prefilter: '',
      samplesPerRecord: RATES[label],
    })),
    annotationBytes: ANNOTATION_BYTES,
  });
  const records = onsets.flatMap((onset, r) => {
    const samples = Buffer.alloc(2 * (RATES.ECG + RATES.Marker + RATES.HRV));
    for (let i = 0; i < RATES.ECG; i++) samples.writeInt16LE(100 * r + i, 2 * i);
    samples.writeInt16LE(pressed.includes(r) ? 1 : 0, 2 * RATES.ECG);
    for (let i = 0; i < RATES.HRV; i++) {
      samples.writeInt16LE(beats.get(r * RATES.HRV + i) ?? 0, 2 * (RATES.ECG + RATES.Marker + i));
    }
    const lists = Buffer.alloc(ANNOTATION_BYTES);
    lists.write(`+${onset}\x14\x14\0`, 'latin1');
    return [samples, lists];
  });
  return Buffer.concat([header, ...records]);
}

async function read(bytes: Buffer) {
  const path = join(folder, `${crypto.randomUUID()}.edf`);
  await writeFile(path, bytes);
  const recording = await readImport([path]);
  const beats = recording.channels.find(({ channel }) => channel.type === 'RR')!;
  const startUs = (START_MS - OFFSET_MS) * 1000;
  const at = (timeUs: number): number => (timeUs - startUs) / 1e6;
  return {
    ...recording,
    ecgSeconds: recording.channels[0]!.timesUs.map(at),
    beatSeconds: beats.timesUs.map(at),
    intervals: beats.values[0]!,
    presses: recording.labels.map(({ startUs: from, stopUs: to }) => [at(from), at(to)]),
  };
}

const BEATS = new Map([
  [2, 800],
  [6, 810],
  [10, 820],
  [14, 830],
]);

describe('made files of a Faros', () => {
  it('have beats and the button where its signals are continuous', async () => {
    const { beatSeconds, intervals, presses } = await read(
      faros([0, 1, 2, 3], { beats: BEATS, pressed: [1], hasBreaks: false }),
    );
    expect(beatSeconds).toEqual([0.4, 1.2, 2, 2.8]);
    expect(intervals).toEqual([0.8, 0.81, 0.82, 0.83].map((seconds) => expect.closeTo(seconds, 9)));
    expect(presses).toEqual([[1, 2]]);
  });

  it('have beats and the button at the times of their records in a file with breaks', async () => {
    const { ecgSeconds, beatSeconds, intervals, presses } = await read(
      faros([0, 1, 102, 103], { beats: BEATS, pressed: [1, 2], hasBreaks: true }),
    );
    expect([ecgSeconds[0], ecgSeconds[99], ecgSeconds[100], ecgSeconds[199]]).toEqual([0, 1.98, 102, 103.98]);
    expect(beatSeconds).toEqual([0.4, 1.2, 102, 102.8]);
    expect(intervals).toEqual([0.8, 0.81, 0.82, 0.83].map((seconds) => expect.closeTo(seconds, 9)));
    // Nobody knows whether the button stayed down through the break.
    expect(presses).toEqual([
      [1, 2],
      [102, 103],
    ]);
  });

  it('count intervals that no heart has, also in a file with breaks', async () => {
    const beats = new Map([...BEATS, [3, 7000]]);
    const { intervals, notes } = await read(faros([0, 1, 102, 103], { beats, pressed: [], hasBreaks: true }));
    expect(intervals.length).toBe(4);
    expect(notes.join()).toContain('1 interval between beats outside 0.2 to 3 s left out');
  });
});
