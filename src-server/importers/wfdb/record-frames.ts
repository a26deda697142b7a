/** The samples of a WFDB record in order, and the first pass over them: checksums, initial values, and what is missing. */
import { open } from 'node:fs/promises';
import { damaged, throwIfAborted } from '../refusals.ts';
import { type DataFile, type DataReader, dataReader } from './data-readers.ts';
import type { OpenSegment } from './open-segments.ts';
import type { RecordSignal } from './record-signals.ts';
import type { WfdbSignal } from './wfdb-header.ts';

const PAGE_SECONDS = 60;
const MAX_BATCH_SAMPLES = 4 << 20;
/** Common multiple of the samples per group of the packed formats, 2 and 3. */
const GROUP_MULTIPLE = 6;

export interface FrameBatch {
  first: number;
  count: number;
  segment: OpenSegment;
  /** Samples of a signal as they lie in the file; null when the segment does not have it. */
  columnOf(signal: RecordSignal): Int32Array | null;
}

/** All frames of a record in batches of about a minute, none of which crosses the border of a segment. */
export async function* batchesOf(
  segments: readonly OpenSegment[],
  frameRateHz: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<FrameBatch> {
  for (const segment of segments) {
    const { firstFrame, frameCount, files } = segment;
    const handles = await Promise.all(files.map(({ path }) => open(path, 'r')));
    try {
      const windows = files.map((file, i) => new FileWindow(file, dataReader(handles[i]!, file)));
      const widest = Math.max(1, ...files.map(({ samplesPerFrame }) => samplesPerFrame));
      const perPage = Math.min(Math.floor(PAGE_SECONDS * frameRateHz), Math.floor(MAX_BATCH_SAMPLES / widest));
      const batch = Math.max(GROUP_MULTIPLE, perPage - (perPage % GROUP_MULTIPLE));
      for (let first = 0; first < frameCount; first += batch) {
        throwIfAborted(signal);
        const count = Math.min(batch, frameCount - first);
        for (const window of windows) await window.advance(count);
        const columns = new Map(windows.flatMap((window) => window.columns(count)));
        yield {
          first: firstFrame + first,
          count,
          segment,
          columnOf: ({ parts }) => columns.get(parts.get(segment) as WfdbSignal) ?? null,
        };
      }
    } finally {
      await Promise.all(handles.map((handle) => handle.close()));
    }
  }
}

/** The frames of a file that a batch needs: those of the batch, and as many beyond as its signals lie behind each other. */
class FileWindow {
  readonly #file: DataFile;
  readonly #reader: DataReader;
  readonly #ahead: number;
  /** Interleaved. */
  #frames: Int32Array = new Int32Array(0);
  #taken = 0;

  constructor(file: DataFile, reader: DataReader) {
    this.#file = file;
    this.#reader = reader;
    const skew = Math.max(...file.signals.map(({ skewFrames }) => skewFrames));
    this.#ahead = Math.ceil(skew / GROUP_MULTIPLE) * GROUP_MULTIPLE;
  }

  async advance(count: number): Promise<void> {
    const { samplesPerFrame } = this.#file;
    const kept = this.#frames.subarray(this.#taken * samplesPerFrame);
    const isFirst = this.#taken === 0;
    const more = await this.#reader.next(isFirst ? count + this.#ahead : count);
    this.#taken = count;
    if (kept.length === 0) {
      this.#frames = more;
      return;
    }
    this.#frames = new Int32Array(kept.length + more.length);
    this.#frames.set(kept);
    this.#frames.set(more, kept.length);
  }

  columns(count: number): [WfdbSignal, Int32Array][] {
    const { samplesPerFrame, signals } = this.#file;
    const held = this.#frames.length / samplesPerFrame;
    let offset = 0;
    return signals.map((signal) => {
      const { samplesPerFrame: own, skewFrames, format } = signal;
      const column = new Int32Array(count * own);
      for (let frame = 0; frame < count; frame++) {
        const from = (frame + skewFrames) * samplesPerFrame + offset;
        const isHeld = frame + skewFrames < held;
        for (let i = 0; i < own; i++) column[frame * own + i] = isHeld ? this.#frames[from + i]! : format.invalid;
      }
      offset += own;
      return [signal, column];
    });
  }
}

/** Samples of a signal that hold its format's value for "no sample", or that its segment does not have. */
export interface MissingSamples {
  count: number;
  /** Fingerprint, equal for signals that miss the same samples. */
  pattern: string;
}

class MissingTally {
  count = 0;
  #isMissing = false;
  #low = 0;
  #high = 0;
  #changes = 0;

  take(place: number, samples: number, isMissing: boolean): void {
    if (isMissing) this.count += samples;
    if (isMissing === this.#isMissing) return;
    this.#isMissing = isMissing;
    this.#changes++;
    this.#low = (Math.imul(this.#low, 31) + place) | 0;
    this.#high = Math.imul(this.#high ^ place, 0x01000193);
  }

  finish(): MissingSamples {
    return { count: this.count, pattern: `${this.count} ${this.#changes} ${this.#low} ${this.#high}` };
  }
}

/**
 * First pass, before anything is written: checks all samples against the initial values and checksums of the headers, and finds
 * missing samples, which decide the channels.
 */
export async function scanRecord(
  batches: AsyncGenerator<FrameBatch>,
  signals: readonly RecordSignal[],
): Promise<Map<RecordSignal, MissingSamples>> {
  const tallies = new Map(signals.map((signal) => [signal, new MissingTally()]));
  let sums = new Map<RecordSignal, number>();
  let segment: OpenSegment | undefined;
  for await (const batch of batches) {
    if (batch.segment !== segment) {
      if (segment) checkSums(segment, sums);
      ({ segment } = batch);
      sums = new Map();
    }
    for (const signal of signals) {
      const tally = tallies.get(signal) as MissingTally;
      const column = batch.columnOf(signal);
      const firstSample = batch.first * signal.samplesPerFrame;
      if (!column) {
        tally.take(firstSample, batch.count * signal.samplesPerFrame, true);
        continue;
      }
      const part = signal.parts.get(batch.segment) as WfdbSignal;
      if (!sums.has(signal)) checkInitialValue(batch.segment, part, column[0]!);
      const { invalid } = part.format;
      let sum = sums.get(signal) ?? 0;
      for (let i = 0; i < column.length; i++) {
        const sample = column[i]!;
        sum = (sum + sample) & 0xffff;
        tally.take(firstSample + i, 1, sample === invalid);
      }
      sums.set(signal, sum);
    }
  }
  if (segment) checkSums(segment, sums);
  return new Map(signals.map((signal) => [signal, (tallies.get(signal) as MissingTally).finish()]));
}

const pathOf = ({ files }: OpenSegment, part: WfdbSignal): string =>
  files.find(({ signals }) => signals.includes(part))?.path ?? part.fileName;

/** The checksum of a signal that lies behind the others would be that of other samples. */
function checkSums(segment: OpenSegment, sums: ReadonlyMap<RecordSignal, number>): void {
  for (const [{ parts }, sum] of sums) {
    const part = parts.get(segment) as WfdbSignal;
    const { checksum, skewFrames, description } = part;
    if (checksum === null || !Number.isFinite(checksum) || skewFrames > 0 || (sum - checksum) % 0x10000 === 0) continue;
    throw damaged(pathOf(segment, part), `the samples of ${description} do not match the checksum in the header.`);
  }
}

function checkInitialValue(segment: OpenSegment, part: WfdbSignal, first: number): void {
  const { initialValue, description, samplesPerFrame, skewFrames, format } = part;
  // Of steps, the initial value is the one before the first sample.
  if (initialValue === null || !Number.isFinite(initialValue)) return;
  if (samplesPerFrame !== 1 || skewFrames > 0 || format.isDifferences || first === initialValue) return;
  throw damaged(pathOf(segment, part), `${description} begins with ${first} where the header says ${initialValue}.`);
}
