/**
 * Accuracy end to end: the same recordings as files of other programs, through `outpost analyze --batch` to its JSON output.
 * The figures must match those of the benchmarks that call the functions directly.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { realData } from '../../src-server/testing/real-data.ts';
import { type EcgRecording, ecgRecordings, hasEcgData } from './ecg-data.ts';
import { writeForeignEdf } from './foreign-files.ts';
import { breathRate, match, mean, ratePerMinute, referenceRmssd } from './heart-score.ts';
import {
  labelledSeconds,
  type MotionRecording,
  motionCounts,
  motionRecordings,
  secondOfSample,
} from './motion-data.ts';
import { accuracyOf, barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

/** Start and zone of every file: a winter evening, so that the recordings cross midnight UTC. */
const START = new Date(Date.UTC(2024, 0, 8, 19, 0, 0));
const ZONE = 'America/New_York';
const START_MS = Date.UTC(2024, 0, 9, 0, 0, 0);
const LOCATIONS: Record<string, string> = {
  chest: 'MEDIAL_CHEST',
  back: 'SACRUM',
  thigh: 'ANTERIOR_THIGH',
  hip: 'OTHER',
};

interface Entry {
  name: string;
  timeZone: string;
  interval: number;
  sensors: { location: string; file: string }[];
}

interface Answer {
  name: string;
  error?: { message: string };
  beatTs: number[];
  stepTs: number[];
  channels: { type: string; times: number[]; values: (number | string | null)[] }[];
}

/** Runs `outpost analyze --batch` and returns the answers by name. */
async function analyzed(folder: string, entries: Entry[]): Promise<Map<string, Answer>> {
  const list = join(folder, 'list.json');
  writeFileSync(list, JSON.stringify(entries));
  const main = new URL('../../src-server/cli/main.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'analyze', '--batch', list, '--json'], {
    maxBuffer: 1 << 30,
  });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
  for (const { name, error } of answers) if (error) throw new Error(`${name}: ${error.message}`);
  return new Map(answers.map((answer) => [answer.name, answer]));
}

const channel = (answer: Answer, type: string): { times: number[]; values: (number | string | null)[] } =>
  answer.channels.find((candidate) => candidate.type === type)!;

/** Returns the value of each minute of the recording; NaN where a minute has none. */
function byMinute(answer: Answer, type: string, minutes: number): number[] {
  const { times, values } = channel(answer, type);
  const found = new Array<number>(minutes).fill(Number.NaN);
  times.forEach((ms, i) => {
    const minute = (ms - START_MS) / 60_000;
    const value = values[i];
    if (minute < minutes && typeof value === 'number') found[minute] = value;
  });
  return found;
}

const absoluteErrors = (own: number[], reference: number[]): number[] =>
  own.map((value, i) => Math.abs(value - reference[i]!)).filter((value) => !Number.isNaN(value));

interface EcgForm {
  name: string;
  extension: string;
  unit: string;
  perMv: number;
  recordSeconds: number;
  isBdf?: boolean;
  padding?: number;
}

/** Samples of a data record of about `seconds`, at least one. */
const perRecord = (rateHz: number, seconds: number): number => Math.max(1, Math.round(rateHz * seconds));

const ECG_FORMS: EcgForm[] = [
  { name: 'EDF in mV', extension: 'edf', unit: 'mV', perMv: 1, recordSeconds: 1 },
  {
    name: 'EDF in V, records of 0.1 s, padded',
    extension: 'edf',
    unit: 'V',
    perMv: 1e-3,
    recordSeconds: 0.1,
    padding: 0,
  },
  {
    name: 'BDF in uV, records of 7 s, padded',
    extension: 'bdf',
    unit: 'uV',
    perMv: 1000,
    recordSeconds: 7,
    isBdf: true,
    padding: 0,
  },
];

function writeEcg(path: string, recording: EcgRecording, samples: Int16Array, form: EcgForm): void {
  const samplesPerRecord = perRecord(recording.fs, form.recordSeconds);
  writeForeignEdf(
    path,
    [
      {
        label: 'ECG',
        unit: form.unit,
        counts: samples,
        scale: form.perMv / recording.gainPerMv,
        offset: (-recording.zero * form.perMv) / recording.gainPerMv,
        samplesPerRecord,
      },
    ],
    { start: START, recordSeconds: samplesPerRecord / recording.fs, isBdf: form.isBdf, padding: form.padding },
  );
}

async function ecgRows(folder: string): Promise<BenchRow[]> {
  const recordings = [...ecgRecordings()];
  const entries: Entry[] = [];
  for (const [f, form] of ECG_FORMS.entries()) {
    for (const { recording, samples } of recordings) {
      const file = join(folder, `${f}-${recording.name}.${form.extension}`);
      writeEcg(file, recording, samples, form);
      entries.push({
        name: `${f} ${recording.name}`,
        timeZone: ZONE,
        interval: 60_000,
        sensors: [{ location: 'MEDIAL_CHEST', file }],
      });
    }
  }
  const answers = await analyzed(folder, entries);
  return ECG_FORMS.flatMap((form, f) => {
    let hits = 0;
    let wrong = 0;
    const timing: number[] = [];
    const rates: number[] = [];
    const rmssd: number[] = [];
    const breaths: number[] = [];
    let minutesWithReference = 0;
    for (const { recording, samples } of recordings) {
      const answer = answers.get(`${f} ${recording.name}`)!;
      const beatsUs = recording.beats.map((sample) => (sample / recording.fs) * 1e6);
      const minutes = Math.floor(samples.length / recording.fs / 60);
      if (recording.name.startsWith('mitdb')) {
        const found = Float64Array.from(answer.beatTs, (ms) => (ms - START_MS) * 1000);
        const matched = match(beatsUs, found);
        hits += matched.hits;
        wrong += matched.missed.length + matched.falseBeats.length;
        const offset = mean(matched.offsets);
        timing.push(Math.sqrt(mean(matched.offsets.map((ms) => (ms - offset) ** 2))));
        const intervals = beatsUs.slice(1).map((us, i) => (us - beatsUs[i]!) / 1000);
        rates.push(
          ...absoluteErrors(
            byMinute(answer, 'heart_rate', minutes),
            ratePerMinute(beatsUs.slice(1), intervals, minutes),
          ),
        );
        rmssd.push(
          ...absoluteErrors(byMinute(answer, 'hrv', minutes), referenceRmssd(recording, beatsUs, minutes, 60)),
        );
      }
      if (!recording.respiration) continue;
      const marks = recording.respiration.impedanceBreaths.map((sample) => (sample / recording.fs) * 1e6);
      const reference = Array.from({ length: minutes }, (_value, m) => breathRate(marks, 60 * m + 30));
      breaths.push(...absoluteErrors(byMinute(answer, 'sleep_respiration', minutes), reference));
      minutesWithReference += reference.filter((value) => !Number.isNaN(value)).length;
    }
    const row = (name: string, value: number, unit: string, bar: number, atLeast = false): BenchRow =>
      barRow(`${form.name}: ${name}`, value, unit, bar, atLeast);
    const rows = [
      row('beats, F1 within 150 ms', (2 * hits) / (2 * hits + wrong), '', 0.998, true),
      row('beat timing, SD after removing a constant offset', mean(timing), 'ms', 5),
      row('heart rate per minute, MAE', mean(rates), 'bpm', 0.5),
      {
        ...row('RMSSD per minute, MAE', mean(rmssd), 'ms', 5),
        ...(f === 0 && { accuracy: accuracyOf('rmssd', 'the 16 records as EDF, through outpost analyze') }),
      },
      row('respiration per minute where reported, MAE', mean(breaths), 'breaths/min', 1.3),
      row('respiration, share of minutes reported', breaths.length / minutesWithReference, '', 0.3, true),
    ];
    return rows;
  });
}

interface MotionForm {
  name: string;
  /** How the cuts of the source are written: as gaps between fitting or padded records, or closed. */
  cuts: 'exact' | 'padded' | 'closed';
}

const MOTION_FORMS: MotionForm[] = [
  { name: 'EDF+D, records that fit the cuts', cuts: 'exact' },
  { name: 'EDF+D, records of 1 s padded with zero', cuts: 'padded' },
  { name: 'EDF without the cuts', cuts: 'closed' },
];

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** Writes one placement, with gaps in the way of the form. */
function writeMotion(path: string, source: string, recording: MotionRecording, site: string, form: MotionForm): void {
  const columns = motionCounts(source, recording, site);
  const count = columns[0]!.length;
  const segments = recording.segments?.some(({ t }) => t !== undefined) ? recording.segments : undefined;
  const isCut = segments !== undefined && form.cuts !== 'closed';
  const shared = isCut ? segments.reduce((sum, { start, stop }) => greatestDivisor(sum, stop - start), 0) : 0;
  const samplesPerRecord = isCut && form.cuts === 'exact' ? Math.min(shared, 50) : Math.round(recording.fs);
  const placed: { firstRecord: number; seconds: number }[] = [];
  const padded: number[][] = [[], [], []];
  for (const { start, stop, t } of isCut ? segments : [{ start: 0, stop: count, t: 0 }]) {
    placed.push({ firstRecord: padded[0]!.length / samplesPerRecord, seconds: t ?? 0 });
    padded.forEach((column, axis) => {
      for (let i = start; i < stop; i++) column.push(columns[axis]![i]!);
      while (column.length % samplesPerRecord !== 0) column.push(0);
    });
  }
  writeForeignEdf(
    path,
    ['X', 'Y', 'Z'].map((axis, k) => ({
      label: `Accel ${axis}`,
      unit: 'g',
      counts: padded[k]!,
      scale: 0.001,
      offset: 0,
      samplesPerRecord,
    })),
    { start: START, recordSeconds: samplesPerRecord / recording.fs, ...(isCut && { segments: placed }) },
  );
}

async function motionRows(folder: string, data: string): Promise<BenchRow[]> {
  const entries: Entry[] = [];
  const sets = [
    { set: 'harth', title: 'HARTH', bar: 0.93 },
    { set: 'har70', title: 'HAR70+', bar: 0.91 },
    { set: 'oxstep', title: 'Oxford steps', bar: 2.5 },
  ];
  const forms = (set: string): MotionForm[] => (set === 'oxstep' ? [MOTION_FORMS[2]!] : MOTION_FORMS);
  for (const { set } of sets) {
    for (const [f, form] of forms(set).entries()) {
      for (const recording of motionRecordings(join(data, set))) {
        const sensors = Object.keys(recording.sites).map((site) => {
          const file = join(folder, `${f}-${recording.name}-${site}.edf`);
          writeMotion(file, join(data, set), recording, site, form);
          return { location: LOCATIONS[site] ?? 'OTHER', file };
        });
        entries.push({ name: `${f} ${recording.name}`, timeZone: ZONE, interval: 1000, sensors });
      }
    }
  }
  const answers = await analyzed(folder, entries);
  return sets.flatMap(({ set, title, bar }) =>
    forms(set).map((form, f) => {
      let right = 0;
      let total = 0;
      const errors: number[] = [];
      for (const recording of motionRecordings(join(data, set))) {
        const answer = answers.get(`${f} ${recording.name}`)!;
        if (recording.steps) {
          if (!('hip' in recording.sites))
            errors.push((100 * Math.abs(answer.stepTs.length - recording.steps.length)) / recording.steps.length);
          continue;
        }
        const { values } = channel(answer, 'activity');
        const clock = form.cuts === 'closed' ? (sample: number) => sample / recording.fs : undefined;
        for (const { truth, row } of labelledSeconds(
          recording,
          clock ?? ((sample) => secondOfSample(recording, sample)),
        )) {
          total++;
          if (values[row] === truth) right++;
        }
      }
      return set === 'oxstep'
        ? barRow(`${form.name}: steps of a walk, mean absolute error`, mean(errors), '%', bar)
        : barRow(`${form.name}: six-class accuracy, ${title}`, right / total, '', bar, true);
    }),
  );
}

export async function run(): Promise<BenchRow[]> {
  const motion = realData('motion');
  const folder = mkdtempSync(join(tmpdir(), 'outpost-files-'));
  try {
    return [...(hasEcgData() ? await ecgRows(folder) : []), ...(motion ? await motionRows(folder, motion) : [])];
  } finally {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    rmSync(folder, { recursive: true });
  }
}
