/** `outpost analyze` on files without usable data: null with a reason, never an invented value. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { annotationList, EdfFileWriter } from '../exporters/edf/file-writer.ts';
import { evenBeats, seededRandom, syntheticEcgChunk } from '../testing/synthetic-ecg.ts';
import { OUTPOST_COMMAND } from '../testing/test-site.ts';

const TEN_YEARS_SECONDS = 10 * 365.25 * 86_400;
const SECONDS = 180;

interface BadFile {
  name: string;
  labels: string[];
  rateHz: number;
  counts: ArrayLike<number>;
  /** Start second of each one-second data record; contiguous when absent. */
  onset?: (record: number) => number;
}

interface Answer {
  name: string;
  recordings: { notes: string[] }[];
  beatTs: number[];
  channels: { type: string; times: number[]; values: unknown[] }[];
  metrics: unknown[];
}

const random = seededRandom(11);
const heart = syntheticEcgChunk({ beats: evenBeats(SECONDS, 0.8), seconds: SECONDS, rateHz: 250 }).columns[0]!;
const FILES: BadFile[] = [
  { name: 'constant', labels: ['ECG'], rateHz: 250, counts: new Int16Array(250 * SECONDS).fill(120) },
  { name: 'noise', labels: ['ECG'], rateHz: 250, counts: Int16Array.from(heart, () => 300 * (random() - 0.5)) },
  { name: 'two samples', labels: ['ECG'], rateHz: 2, counts: [100, 110] },
  { name: '1 Hz', labels: ['ECG'], rateHz: 1, counts: heart.subarray(0, SECONDS) },
  {
    name: 'ten years',
    labels: ['ECG'],
    rateHz: 250,
    counts: heart,
    onset: (r) => (r < 90 ? r : r + TEN_YEARS_SECONDS),
  },
  { name: 'upside down', labels: ['ECG'], rateHz: 250, counts: heart.map((value) => -value) },
  { name: 'weightless', labels: ['Accel X', 'Accel Y', 'Accel Z'], rateHz: 50, counts: new Int16Array(50 * SECONDS) },
  { name: 'two axes', labels: ['Accel X', 'Accel Y'], rateHz: 50, counts: new Int16Array(50 * SECONDS).fill(500) },
  { name: 'moved at 1 Hz', labels: ['Accel X', 'Accel Y', 'Accel Z'], rateHz: 1, counts: heart.subarray(0, SECONDS) },
];

let folder: string;
let answers: Map<string, Answer>;

async function write({ labels, rateHz, counts, onset = (record) => record }: BadFile, path: string): Promise<void> {
  const records = Math.ceil(counts.length / rateHz);
  const writer = await EdfFileWriter.create(path, {
    bytesPerSample: 2,
    isDiscontinuous: true,
    startSecondMs: Date.UTC(2024, 0, 8, 9),
    patient: 'X X X X',
    recording: 'X X X',
    recordCount: records,
    recordDurationUs: 1e6,
    signals: labels.map((label) => ({
      label,
      transducer: '',
      unit: label === 'ECG' ? 'mV' : 'g',
      physicalMinimum: -32.767,
      physicalMaximum: 32.767,
      digitalMinimum: -32_767,
      digitalMaximum: 32_767,
      prefilter: '',
      samplesPerRecord: rateHz,
    })),
    annotationBytes: 32,
  });
  for (let record = 0; record < records; record++) {
    const column = Int32Array.from({ length: rateHz }, (_value, i) => counts[record * rateHz + i]!);
    const list = annotationList({ onsetUs: onset(record) * 1e6, durationUs: 0, text: '' });
    await writer.record(
      labels.map(() => column),
      list,
    );
  }
  await writer.finish();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-bad-'));
  const entries = [];
  for (const file of FILES) {
    const path = join(folder, `${file.name}.edf`);
    await write(file, path);
    const location = file.labels[0] === 'ECG' ? 'MEDIAL_CHEST' : 'ANTERIOR_THIGH';
    entries.push({ name: file.name, interval: 60_000, sensors: [{ location, file: path }] });
  }
  const list = join(folder, 'list.json');
  await writeFile(list, JSON.stringify(entries));
  const { stdout } = await promisify(execFile)(process.execPath, [
    OUTPOST_COMMAND,
    'analyze',
    '--batch',
    list,
    '--json',
  ]);
  const lines = stdout.trimEnd().split('\n');
  answers = new Map(lines.map((line) => JSON.parse(line) as Answer).map((answer) => [answer.name, answer]));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const known = (answer: Answer): string[] =>
  answer.channels.filter(({ values }) => values.some((value) => value !== null)).map(({ type }) => type);

it.each([
  ['constant', /No heartbeat/],
  ['two samples', /2 Hz; the analysis needs at least 60 Hz/],
  ['1 Hz', /1 Hz; the analysis needs at least 60 Hz/],
  ['weightless', /does not show gravity/],
  ['two axes', /no ECG, no beat intervals and no three-axis acceleration/],
  ['moved at 1 Hz', /1 Hz; the analysis needs at least 8 Hz/],
])('yields no values for %s, and notes why', (name, reason) => {
  const answer = answers.get(name)!;
  expect({ beats: answer.beatTs, known: known(answer), metrics: answer.metrics }).toEqual({
    beats: [],
    known: [],
    metrics: [],
  });
  expect(answer.recordings[0]!.notes).toEqual([expect.stringMatching(reason)]);
});

it('yields no heart rate, variability or respiration for noise', () => {
  const noise = answers.get('noise')!;
  // Only that, and why, nothing can be read.
  expect(known(noise)).toEqual(['signal_quality', 'ecg_state']);
  const states = noise.channels.find(({ type }) => type === 'ecg_state')!.values;
  expect([...new Set(states)].filter((state) => state !== null)).toEqual(['UNREADABLE']);
});

it('makes no bins for ten years without data, and counts no beat interval across them', () => {
  const answer = answers.get('ten years')!;
  const { times, values } = answer.channels.find(({ type }) => type === 'heart_rate')!;
  expect(times.length).toBeLessThan(6);
  expect(times.at(-1)! - times[0]!).toBeGreaterThan(TEN_YEARS_SECONDS * 1000);
  for (const rate of values.filter((value) => value !== null)) expect(rate).toBeCloseTo(75, 0);
});

it('finds the same beats in an inverted ECG, and no steps', () => {
  const answer = answers.get('upside down')!;
  expect(answer.beatTs.length).toBe(evenBeats(SECONDS, 0.8).length);
  expect(known(answer)).toContain('heart_rate');
  expect(known(answer)).not.toContain('steps');
});
