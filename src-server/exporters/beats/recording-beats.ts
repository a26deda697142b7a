/** The heartbeats of one recording in order of time, found as the metrics find them. */
import {
  type ArrayStore,
  BEAT_AFTER_GAP,
  BEAT_ECTOPIC,
  BEAT_KIND_MASK,
  BEAT_NORMAL,
  type BeatFate,
  type ChangedBeat,
  type Correction,
  correctBeats,
  memoryStore,
  StoredRecording,
  signalSources,
} from '../../analytics/index.ts';
import type { BeatSeries } from '../../analytics/types.ts';
import type { SignalFile } from '../../signals/index.ts';
import type { BeatCode } from '../../vocabulary/corrections.ts';
import { type ExportOptions, throwIfAborted } from '../export-options.ts';
import { BEAT_TYPES, type BeatOrigin } from './origins.ts';

/** What a beat is good for: in variability, for the heart rate alone, or for neither. */
export type BeatUse = 'USED' | 'EARLY_OR_ODD' | 'DOUBTFUL';

export interface ExportedBeat {
  /** Epoch microseconds. */
  timeUs: number;
  use: BeatUse;
  /** The interval that ends at this beat; null after a gap and beside a doubtful beat. */
  rrMs: number | null;
  /** Both of its beats are sinus beats, so that variability uses it. */
  isNN: boolean;
  isAfterBreak: boolean;
  /** What a person did to it. */
  correction?: Exclude<BeatFate, 'DELETED' | 'EXCLUDED'>;
  /** The type that a person gave it. */
  code?: BeatCode;
  /** Where it was detected, and as what; absent for an added beat. */
  originalUs?: number;
  originalUse?: BeatUse;
}

/** A detected beat that a person took out. */
export interface GoneBeat {
  timeUs: number;
  correction: 'DELETED' | 'EXCLUDED';
  originalUs?: number;
  originalUse?: BeatUse;
}

/** The channel whose beats an export holds; undefined when the recording has none. */
export function beatChannelOf(file: SignalFile): { index: number; origin: BeatOrigin } | undefined {
  for (const origin of BEAT_TYPES) {
    const index = file.header.channels.findIndex(
      ({ type }, channel) => type === origin && file.sampleCounts[channel]! > 0,
    );
    if (index >= 0) return { index, origin };
  }
  return undefined;
}

const usageOf = (kind: number, origin: BeatOrigin): BeatUse => {
  const value = kind & BEAT_KIND_MASK;
  // The intervals of a pulse vary otherwise than those of the heart.
  if (value === BEAT_NORMAL) return origin === 'PPI' ? 'EARLY_OR_ODD' : 'USED';
  return value === BEAT_ECTOPIC ? 'EARLY_OR_ODD' : 'DOUBTFUL';
};

/** Reads the channel once and yields its beats, corrected where people corrected them. */
export function* beatsOfFile(
  file: SignalFile,
  channel: NonNullable<ReturnType<typeof beatChannelOf>>,
  options: ExportOptions,
  onGone?: (gone: GoneBeat[]) => void,
): Generator<ExportedBeat> {
  yield* new DetectedBeats(file, channel, options).beats(options.corrections, onGone);
}

/** The beats of a channel, detected once. What was detected lies in a store of arrays, from which every reading takes one piece at a time. */
export class DetectedBeats {
  readonly #origin: BeatOrigin;
  readonly #shiftUs: number;
  /** Absent where the channel is none that beats are taken from. */
  readonly #recording: StoredRecording | undefined;

  /** Reads the channel. @throws CANCELLED */
  constructor(
    file: SignalFile,
    { index, origin }: NonNullable<ReturnType<typeof beatChannelOf>>,
    { signal, onProgress, view }: ExportOptions,
    store: ArrayStore = memoryStore,
  ) {
    this.#origin = origin;
    this.#shiftUs = view?.shiftUs ?? 0;
    const { recordingId, channels, physicalConfig } = file.header;
    const found = signalSources(channels, physicalConfig.location).find(({ channel }) => channel === index);
    if (!found) return;
    const recording = new StoredRecording(recordingId, physicalConfig.location, [found.source], store);
    let done = 0;
    for (const page of file.pagesInTurn(index)) {
      throwIfAborted(signal);
      recording.add(0, page);
      done += page.count;
      onProgress?.(done, file.sampleCounts[index]!);
    }
    recording.finish(file.startUs, file.stopUs + 1);
    this.#recording = recording;
  }

  /** Yields the beats in order of time; reports those that people took out before the beats around them. */
  *beats(corrections: readonly Correction[] = [], onGone?: (gone: GoneBeat[]) => void): Generator<ExportedBeat> {
    if (!this.#recording) return;
    const usedAs = (kind: number): BeatUse => usageOf(kind, this.#origin);
    for (const pieces of correctedSegments(this.#recording, shifted(corrections, this.#shiftUs))) {
      let before: { timeUs: number; use: BeatUse } | undefined;
      for (const { beats, changed, gone } of pieces) {
        const { timesUs, kinds, intervalsMs } = beats;
        if (gone.length > 0) onGone?.(gone.map((beat) => goneBeat(beat, usedAs)));
        for (let i = 0; i < timesUs.length; i++) {
          const timeUs = timesUs[i]!;
          const use = usedAs(kinds[i]!);
          const isAfterBreak = (kinds[i]! & BEAT_AFTER_GAP) !== 0 || before === undefined;
          const reportedMs = intervalsMs?.[i] ?? Number.NaN;
          const measuredMs = isAfterBreak ? Number.NaN : (timeUs - before!.timeUs) / 1000;
          const ms = Number.isNaN(reportedMs) ? measuredMs : reportedMs;
          const isDoubtful = use === 'DOUBTFUL' || before?.use === 'DOUBTFUL';
          const rrMs = Number.isNaN(ms) || isDoubtful ? null : ms;
          const isNN = rrMs !== null && !isAfterBreak && use === 'USED' && before?.use === 'USED';
          yield { timeUs, use, rrMs, isNN, isAfterBreak, ...changeOf(changed?.get(i), usedAs) };
          before = { timeUs, use };
        }
      }
    }
  }
}

/** A part of a segment: as detected, or corrected. */
interface Piece {
  beats: Pick<BeatSeries, 'timesUs' | 'kinds' | 'intervalsMs'>;
  changed?: ReadonlyMap<number, ChangedBeat>;
  gone: readonly ChangedBeat[];
}

/** Corrections at the times of a view of the recording. */
const shifted = (corrections: readonly Correction[], shiftUs: number): Correction[] =>
  corrections.map(({ startMs, stopMs, timeUs, toUs, ...rest }) => ({
    ...rest,
    startMs: startMs + shiftUs / 1000,
    stopMs: stopMs + shiftUs / 1000,
    ...(timeUs !== undefined && { timeUs: timeUs + shiftUs }),
    ...(toUs !== undefined && { toUs: toUs + shiftUs }),
  }));

/** The segments of the channel, each in pieces; a corrected one is a single piece. */
function* correctedSegments(
  recording: StoredRecording,
  corrections: readonly Correction[],
): Generator<Iterable<Piece>> {
  if (corrections.length === 0) {
    for (const segment of recording.beatSegments()) yield piecesOf(segment.pieces());
    return;
  }
  const { startUs, stopUs } = recording;
  for (const sensor of recording.around(startUs / 1000, stopUs / 1000).sensors) {
    if (sensor.kind !== 'motion') yield [correctBeats(sensor.beats, sensor.seconds, corrections)];
  }
}

function* piecesOf(pieces: Iterable<Piece['beats']>): Generator<Piece> {
  for (const beats of pieces) yield { beats, gone: [] };
}

const originalOf = ({ originalUs, originalKind }: ChangedBeat, usedAs: (kind: number) => BeatUse) => ({
  ...(originalUs !== undefined && { originalUs }),
  ...(originalKind !== undefined && { originalUse: usedAs(originalKind) }),
});

function changeOf(change: ChangedBeat | undefined, usedAs: (kind: number) => BeatUse): Partial<ExportedBeat> {
  if (!change || change.fate === 'DELETED' || change.fate === 'EXCLUDED') return {};
  const { fate, code } = change;
  return { correction: fate, ...(code !== undefined && { code }), ...originalOf(change, usedAs) };
}

const goneBeat = (change: ChangedBeat, usedAs: (kind: number) => BeatUse): GoneBeat => ({
  timeUs: change.timeUs,
  correction: change.fate === 'EXCLUDED' ? 'EXCLUDED' : 'DELETED',
  ...originalOf(change, usedAs),
});
