/**
 * Damages files as bad cards, broken-off copies and mixed-up sectors do, and judges what a reader makes of them: a refusal in words, or
 * ordered finite pages; and, where the format has checksums, no sample that the whole file does not have at its time.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cpuUsage } from 'node:process';
import { gunzipSync } from 'node:zlib';
import { OutpostError } from '../errors.ts';
import { openImport } from '../importers/index.ts';
import { sampleTimesUs } from '../signals/index.ts';

/** Folders of files whose blocks, records, packets or members have a checksum each. EDF, ISHNE, GENEActiv, Avro and text have none. */
export const WITH_CHECKSUMS: readonly string[] = ['axivity', 'actigraph', 'matrix', 'empatica-e4'];

const DAMAGES = ['CUT', 'FLIP', 'SWAP', 'ZERO'] as const;
type Damage = (typeof DAMAGES)[number];

/** A generator of numbers in 0..1 that the same seed repeats. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function damaged(whole: Buffer, damage: Damage, random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit);
  const bytes = Buffer.from(whole);
  if (damage === 'CUT') return bytes.subarray(0, below(bytes.length));
  if (damage === 'FLIP') {
    for (let flips = 1 + below(3); flips > 0; flips--) bytes[below(bytes.length)]! ^= 1 << below(8);
  } else if (damage === 'ZERO') {
    const from = below(bytes.length);
    bytes.fill(0, from, Math.min(bytes.length, from + 1 + below(1500)));
  } else {
    const size = Math.min(64 + below(2000), bytes.length >> 2);
    const first = below(bytes.length - 2 * size);
    const second = first + size + below(bytes.length - first - 2 * size);
    whole.copy(bytes, first, second, second + size);
    whole.copy(bytes, second, first, first + size);
  }
  return bytes;
}

interface Channel {
  periodUs: number;
  timesUs: number[];
  /** Physical values of a sample, as one text. */
  values: string[];
}

interface Reading {
  channels: Map<string, Channel>;
  samples: number;
  notes: string[];
  marks: number;
  cpuMs: number;
  /** What no reader may yield. */
  faults: string[];
}

type Outcome = { kind: 'READ'; reading: Reading } | { kind: 'REFUSED'; error: OutpostError; cpuMs: number };

/** @throws what is no refusal */
async function readDamaged(path: string): Promise<Outcome> {
  const before = cpuUsage();
  const cpuMs = (): number => {
    const { user, system } = cpuUsage(before);
    return (user + system) / 1000;
  };
  const reading: Reading = { channels: new Map(), samples: 0, notes: [], marks: 0, cpuMs: 0, faults: [] };
  try {
    const source = await openImport([path], { timeZone: 'UTC', defaultStartUs: 1_700_000_000_000_000 });
    try {
      for (const recording of source.recordings) {
        await take(recording, reading);
        reading.notes.push(...recording.notes);
        reading.marks += recording.marks.length;
      }
      reading.notes.push(...(source.notes ?? []));
    } finally {
      await source.close();
    }
  } catch (thrown) {
    if (!(thrown instanceof OutpostError) || thrown.code === 'INTERNAL') throw thrown;
    return { kind: 'REFUSED', error: thrown, cpuMs: cpuMs() };
  }
  reading.cpuMs = cpuMs();
  return { kind: 'READ', reading };
}

type Recording = Awaited<ReturnType<typeof openImport>>['recordings'][number];

async function take({ header, pages }: Recording, reading: Reading): Promise<void> {
  const lastUs = header.channels.map(() => Number.NEGATIVE_INFINITY);
  for await (const page of pages()) {
    const { channel: index, startUs, periodUs, count, columns } = page;
    const { type, scale, offset, dimensions } = header.channels[index]!;
    const isSound =
      count > 0 &&
      Number.isFinite(startUs) &&
      periodUs > 0 &&
      Number.isFinite(periodUs) &&
      columns.length === dimensions.length;
    if (!isSound) reading.faults.push(`${type}: a page of ${count} samples at ${startUs}, period ${periodUs}`);
    const channel = reading.channels.get(type) ?? { periodUs, timesUs: [], values: [] };
    reading.channels.set(type, channel);
    for (const [i, timeUs] of sampleTimesUs(page).entries()) {
      if (!(timeUs >= lastUs[index]!)) reading.faults.push(`${type}: ${timeUs} lies before ${lastUs[index]}`);
      lastUs[index] = timeUs;
      const values = columns.map((column, d) => column[i]! * scale[d]! + offset[d]!);
      if (!values.every(Number.isFinite)) reading.faults.push(`${type}: a value that is not a number at ${timeUs}`);
      channel.timesUs.push(timeUs);
      channel.values.push(values.map((value) => value.toPrecision(7)).join());
    }
    reading.samples += count;
  }
}

/** Samples that the whole file does not have within half a period of their time. */
function foreignSamples(found: Reading, whole: Reading): number {
  let foreign = 0;
  for (const [type, { timesUs, values }] of found.channels) {
    const reference = whole.channels.get(type);
    if (!reference) {
      foreign += timesUs.length;
      continue;
    }
    const toleranceUs = reference.periodUs / 2;
    let from = 0;
    for (const [i, timeUs] of timesUs.entries()) {
      while (from < reference.timesUs.length && reference.timesUs[from]! < timeUs - toleranceUs) from++;
      let at = from;
      while (reference.timesUs[at]! <= timeUs + toleranceUs && reference.values[at] !== values[i]) at++;
      if (!(reference.timesUs[at]! <= timeUs + toleranceUs)) foreign++;
    }
  }
  return foreign;
}

interface DamageCount {
  read: number;
  refused: number;
  samples: number;
  cpuMs: number;
  problems: string[];
  /** Variants with samples that the whole file does not have, of which no note says that something is wrong. */
  silent: number;
}

/** A larger share of processor time than this, against the whole file, is a reader that hangs. */
const MAX_COST = 50;
const LEAST_COST_MS = 1000;

/**
 * Reads variants of a file, and lists what is wrong with the readings.
 *
 * @param path where variants are written, under the name of the file, which notes repeat
 * @param hasChecksums every sample must be one of the whole file, and what is missing is in a note
 * @param opened the file of a set by which it is read; default: `path`
 * @returns null where even the whole file holds no recording
 */
export async function judgeVariants(
  original: string,
  path: string,
  {
    variants,
    seed,
    hasChecksums,
    opened = path,
  }: { variants: number; seed: number; hasChecksums: boolean; opened?: string },
): Promise<DamageCount | null> {
  const stored = await readFile(original);
  const bytes = original.endsWith('.gz') ? gunzipSync(stored) : stored;
  await writeFile(path, bytes);
  const whole = await readDamaged(opened).catch(() => null);
  if (whole?.kind !== 'READ') return null;
  const random = seeded(seed);
  const result: DamageCount = { read: 0, refused: 0, samples: 0, cpuMs: 0, problems: [], silent: 0 };
  for (let variant = 0; variant < variants; variant++) {
    const damage = DAMAGES[variant % DAMAGES.length]!;
    const problem = (what: string): void => {
      result.problems.push(`variant ${variant} (${damage}): ${what}`);
    };
    await writeFile(path, damaged(bytes, damage, random));
    let outcome: Outcome;
    try {
      outcome = await readDamaged(opened);
    } catch (thrown) {
      problem(`crashed: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
      continue;
    }
    const cpuMs = outcome.kind === 'READ' ? outcome.reading.cpuMs : outcome.cpuMs;
    result.cpuMs += cpuMs;
    if (cpuMs > LEAST_COST_MS + MAX_COST * whole.reading.cpuMs)
      problem(`took ${Math.round(cpuMs)} ms of processor time`);
    if (outcome.kind === 'REFUSED') {
      result.refused++;
      if (!/^[^\n]{10,500}[.)]$/s.test(outcome.error.message)) problem(`refused as "${outcome.error.message}"`);
      continue;
    }
    const { reading } = outcome;
    result.read++;
    result.samples += reading.samples;
    for (const fault of reading.faults.slice(0, 3)) problem(fault);
    // A sample of any format takes a byte at least, unless it is packed.
    if (reading.samples > Math.max(bytes.length, 2 * whole.reading.samples)) {
      problem(`made ${reading.samples} samples of ${whole.reading.samples}`);
    }
    if (!hasChecksums) continue;
    const isSilent = reading.notes.every((note) => whole.reading.notes.includes(note));
    const foreign = foreignSamples(reading, whole.reading);
    if (foreign > 0 && isSilent) result.silent++;
    if (foreign > 0)
      problem(`${foreign} of ${reading.samples} samples are not of the file. ${reading.notes.join(' ')}`);
    if (reading.samples < whole.reading.samples && isSilent) {
      problem(`${whole.reading.samples - reading.samples} samples are missing and no note says so`);
    }
  }
  return result;
}
