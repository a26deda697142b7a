/** The results of `outpost analyze` on the files of one wearer, found window by window, so that memory does not grow with the days. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CalibrationDetails } from '../analytics/epochs/types.ts';
import {
  analyseWindow,
  binChannels,
  binFurtherChannels,
  binStartMs,
  CHANNEL_TYPES,
  type ChannelType,
  dailyMetrics,
  FURTHER_CHANNEL_TYPES,
  type FurtherChannelType,
  featuresAround,
  type NoonSleeps,
  type StoredRecording,
} from '../analytics/index.ts';
import type {
  CalibrationLabel,
  DailyMetrics,
  NoonWindow,
  SleepPeriod,
  Span,
  WindowResult,
} from '../analytics/types.ts';
import { DAY_MS } from '../durations.ts';
import type { ImportedLabel } from '../importers/types.ts';
import { ArrayMemory, ArraySpill } from '../jobs/analytics/array-spill.ts';
import type { AnalysisDay } from '../jobs/analytics/contract.ts';
import { touchedSpans } from '../jobs/analytics/touched-spans.ts';
import { fixedZone } from '../study/day-windows.ts';
import { calibrationPosture } from '../study/posture-calibration.ts';
import type { AnalysisParameters } from '../vocabulary/analysis-parameters.ts';
import { joinBeats } from './join-beats.ts';

export interface AnalysedChannel {
  type: string;
  dimensions: string[];
  nominalRateHz: number;
  samples: number;
  /** Of acceleration at a wrist, a waist or a lower back. */
  calibration?: CalibrationDetails;
}

export interface AnalysedFile {
  file: string;
  format: string;
  location: string;
  startMs: number;
  stopMs: number;
  channels: AnalysedChannel[];
  notes: string[];
}

/** Breaks of this length get no bins: a file may hold minutes of data that lie years apart. */
export const LONGEST_EMPTY_MS = DAY_MS;

/** All channels: the nine of the interface, then the further ones. */
type AnyChannel = ChannelType | FurtherChannelType;
const ALL_CHANNELS: readonly AnyChannel[] = [...CHANNEL_TYPES, ...FURTHER_CHANNEL_TYPES];

/** JSON text of numbers and names, without the brackets, as bytes in a store. */
type StoredText = object;

export class Analysis {
  readonly name: string | undefined;
  readonly timeZone: string;
  readonly intervalMs: number;
  readonly parameters: AnalysisParameters;
  readonly recordings: AnalysedFile[] = [];
  readonly stored: StoredRecording[] = [];
  readonly days: DailyMetrics[] = [];
  /** Sleep periods that begin in each window. */
  readonly sleep: SleepPeriod[] = [];
  /** Postures that labels in the files name, by which sensors are oriented. */
  readonly postures: CalibrationLabel[] = [];
  bins = 0;
  binsWithRate = 0;
  steps = 0;
  /** Holds the features of all recordings and the texts below. */
  readonly arrays = new ArraySpill(new ArrayMemory());
  readonly #stepTexts: StoredText[] = [];
  readonly #timeTexts: StoredText[] = [];
  readonly #valueTexts = new Map<AnyChannel, StoredText[]>(ALL_CHANNELS.map((type) => [type, []]));

  constructor(name: string | undefined, timeZone: string, intervalMs: number, parameters: AnalysisParameters) {
    this.name = name;
    this.timeZone = timeZone;
    this.intervalMs = intervalMs;
    this.parameters = parameters;
  }

  close(): void {
    this.arrays.close();
  }

  /** Takes the labels of a file, of which those of a posture calibration count, as in a site that imports the file. */
  addLabels(labels: readonly ImportedLabel[]): void {
    for (const { startUs, stopUs, displayName } of labels) {
      const posture = calibrationPosture({ type: 'recording', displayName });
      if (!posture) continue;
      this.postures.push({ startMs: Math.floor(startUs / 1000), stopMs: Math.floor(stopUs / 1000), posture });
    }
  }

  /** Computes all windows that the recordings touch. */
  async compute(
    covered: readonly Span[],
    onWindow: (done: number, total: number, date: string) => void,
  ): Promise<void> {
    const clock = fixedZone(this.timeZone);
    const spans = joinSpans(covered);
    const touched = spans.map(({ startMs, stopMs }) => touchedSpans(startMs, stopMs + 1, clock));
    const windows = byDate(touched.flatMap((span) => span.windows));
    const collector = new Collector(this, spans, byDate(touched.flatMap((span) => span.days)));
    const between = featuresAround(this.stored);
    const noons: NoonSleeps = new Map();
    for (const [index, window] of windows.entries()) {
      onWindow(index, windows.length, window.date);
      collector.settle(window.startMs);
      const result = analyseWindow(window, between, this.postures, noons, this.parameters);
      for (const noonMs of noons.keys()) if (noonMs < window.startMs) noons.delete(noonMs);
      if (result.seconds.recorded.includes(1)) collector.add(result);
      // Lets V8 free the arrays of the window before the next one allocates its own.
      await nextTurn();
    }
    collector.settle(Number.POSITIVE_INFINITY);
  }

  addWindow({ window, sleep, stepsUs }: WindowResult): void {
    if (stepsUs && stepsUs.length > 0) {
      this.#stepTexts.push(this.#put(JSON.stringify(Array.from(stepsUs, (us) => Math.round(us / 1000)))));
    }
    const own = sleep.filter(({ onsetMs }) => onsetMs >= window.startMs);
    this.sleep.push(...own.sort((a, b) => a.onsetMs - b.onsetMs));
  }

  addBins(bins: ReturnType<typeof binChannels>, further: ReturnType<typeof binFurtherChannels>): void {
    if (bins.times.length === 0) return;
    this.bins += bins.times.length;
    for (const rate of bins.values.heart_rate) if (rate !== null) this.binsWithRate++;
    for (const steps of bins.values.steps) this.steps += steps ?? 0;
    this.#timeTexts.push(this.#put(JSON.stringify(bins.times)));
    const values: Record<AnyChannel, unknown> = { ...bins.values, ...further.values };
    for (const type of ALL_CHANNELS) this.#valueTexts.get(type)!.push(this.#put(JSON.stringify(values[type])));
  }

  /** Numbers and names of lists as JSON without the brackets, in pieces. */
  stepTexts = (): Iterable<string> => this.#texts(this.#stepTexts);
  timeTexts = (): Iterable<string> => this.#texts(this.#timeTexts);
  valueTexts = (type: AnyChannel): Iterable<string> => this.#texts(this.#valueTexts.get(type)!);

  /** Times of all beats in epoch milliseconds, ascending, in pieces, without those classified as artefacts. */
  beatTimes = (): Iterable<Float64Array> => joinBeats(this.stored.flatMap((recording) => recording.beatSegments()));

  #put(list: string): StoredText {
    return this.arrays.put([Buffer.from(list.slice(1, -1))]);
  }

  *#texts(stored: readonly StoredText[]): Generator<string> {
    for (const text of stored) {
      const [bytes] = this.arrays.get(text) as [Uint8Array<ArrayBuffer>];
      yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    }
  }
}

/** Bins and days from windows as they come, each kept only until nothing needs it. */
class Collector {
  readonly #analysis: Analysis;
  readonly #spans: Span[];
  readonly #days: AnalysisDay[];
  /** Computed windows that a bin or a day still needs, ascending. */
  #near: WindowResult[] = [];
  /** Start of the next bin of the first span. */
  #binMs: number;

  constructor(analysis: Analysis, spans: readonly Span[], days: readonly AnalysisDay[]) {
    this.#analysis = analysis;
    this.#spans = [...spans];
    this.#days = [...days];
    this.#binMs = spans[0] ? binStartMs(spans[0].startMs, analysis.intervalMs) : 0;
  }

  add(result: WindowResult): void {
    this.#near.push(result);
    this.#analysis.addWindow(result);
  }

  /** Computes what no window from `fromMs` on can change. */
  settle(fromMs: number): void {
    this.#settleBins(fromMs);
    while (this.#days.length > 0 && this.#days[0]!.stopMs <= fromMs) {
      const day = this.#days.shift()!;
      const metrics = dailyMetrics(
        day,
        this.#near.filter(
          ({ window }) => window.date === day.date || (window.startMs < day.stopMs && window.stopMs > day.startMs),
        ),
      );
      if (metrics) this.#analysis.days.push(metrics);
    }
    const neededMs = Math.min(this.#days[0]?.startMs ?? Infinity, this.#spans.length > 0 ? this.#binMs : Infinity);
    this.#near = this.#near.filter(({ window }) => window.stopMs > neededMs);
  }

  #settleBins(fromMs: number): void {
    const { intervalMs } = this.#analysis;
    const seconds = this.#near.map((result) => result.seconds);
    while (this.#spans.length > 0) {
      const { stopMs } = this.#spans[0]!;
      // Bins of 1 s of a window are some megabytes of text at a time.
      const lastMs = Math.min(stopMs, fromMs - intervalMs);
      if (lastMs >= this.#binMs) {
        const span = [seconds, intervalMs, this.#binMs, lastMs] as const;
        this.#analysis.addBins(binChannels(...span), binFurtherChannels(...span));
        this.#binMs = binStartMs(lastMs, intervalMs) + intervalMs;
      }
      if (this.#binMs <= stopMs) return;
      this.#spans.shift();
      if (this.#spans[0]) this.#binMs = binStartMs(this.#spans[0].startMs, intervalMs);
    }
  }
}

/** Sorts spans by time and joins those less than a day apart. Both ends are sample times. */
function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { startMs, stopMs } of [...spans].sort((a, b) => a.startMs - b.startMs)) {
    const last = joined.at(-1);
    if (last && startMs - last.stopMs < LONGEST_EMPTY_MS) last.stopMs = Math.max(last.stopMs, stopMs);
    else joined.push({ startMs, stopMs });
  }
  return joined;
}

/** Keeps the first entry of each date, sorted by date. */
function byDate<T extends NoonWindow | AnalysisDay>(entries: readonly T[]): T[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.date, entry])).values()].sort((a, b) =>
    a.date < b.date ? -1 : 1,
  );
}
