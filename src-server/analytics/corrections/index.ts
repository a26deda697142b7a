/** The corrections of one subject, in the form in which each part of the analysis applies them. */
import type { Correction, HeartFeatures, RecordingFeatures, Span } from '../types.ts';
import { correctBeats } from './beats.ts';
import type { SleepEdit } from './sleep.ts';
import type { WearEdit } from './wear.ts';

export type { Correction } from '../types.ts';
export { type BeatFate, type ChangedBeat, correctBeats } from './beats.ts';

const toSecond = (ms: number): number => Math.round(ms / 1000);

/** Spans without the sensors, as exclusions: what is measured then is not of the wearer. Later edits win. */
function spansOff(corrections: readonly Correction[]): Correction[] {
  let off: Span[] = [];
  for (const { kind, startMs, stopMs } of corrections) {
    if (kind === 'NOT_WORN') off.push({ startMs, stopMs });
    if (kind !== 'WORN') continue;
    off = off.flatMap((span) => [
      ...(span.startMs < startMs ? [{ startMs: span.startMs, stopMs: Math.min(span.stopMs, startMs) }] : []),
      ...(span.stopMs > stopMs ? [{ startMs: Math.max(span.startMs, stopMs), stopMs: span.stopMs }] : []),
    ]);
  }
  return off.map((span) => ({ kind: 'EXCLUDE', ...span }));
}

export class SubjectCorrections {
  readonly wear: readonly WearEdit[];
  readonly sleep: readonly SleepEdit[];
  readonly #all: readonly Correction[];
  readonly #off: readonly Correction[];
  readonly #ofRecording: ReadonlyMap<string, Correction[]>;

  /** @param corrections in the order in which they apply */
  constructor(corrections: readonly Correction[]) {
    this.#all = corrections;
    this.#off = spansOff(corrections);
    this.#ofRecording = Map.groupBy(
      corrections.filter(({ recordingId }) => recordingId !== undefined),
      ({ recordingId }) => recordingId!,
    );
    this.wear = corrections.flatMap(({ kind, startMs, stopMs }) =>
      kind === 'WORN' || kind === 'NOT_WORN'
        ? [{ startSecond: toSecond(startMs), stopSecond: toSecond(stopMs), isWorn: kind === 'WORN' }]
        : [],
    );
    this.sleep = corrections.flatMap(({ kind, startMs, stopMs }) =>
      kind === 'ASLEEP' || kind === 'AWAKE'
        ? [{ startMs: 1000 * toSecond(startMs), stopMs: 1000 * toSecond(stopMs), isAsleep: kind === 'ASLEEP' }]
        : [],
    );
  }

  /** Whether any correction lies within [fromMs, toMs). */
  touch(fromMs: number, toMs: number): boolean {
    return this.#all.some(({ startMs, stopMs }) => startMs < toMs && stopMs > fromMs);
  }

  /** What shows heartbeats in a recording, with corrected beats. */
  heartsOf({ recordingId, sensors, shownHearts = [] }: RecordingFeatures): HeartFeatures[] {
    const own = this.#ofRecording.get(recordingId) ?? [];
    const excluded = [...own.filter(({ kind }) => kind === 'EXCLUDE'), ...this.#off];
    return sensors.flatMap((sensor) => {
      if (sensor.kind === 'motion') return [];
      const edits = shownHearts.includes(sensor) ? [...own, ...this.#off] : excluded;
      return [edits.length === 0 ? sensor : correctedHeart(sensor, edits)];
    });
  }

  /** 1 for the seconds [startSecond, startSecond + count) in which beats of a recording are excluded; null where none are. */
  excludedSeconds(startSecond: number, count: number): Uint8Array | null {
    let found: Uint8Array | null = null;
    for (const { kind, startMs, stopMs } of this.#all) {
      if (kind !== 'EXCLUDE') continue;
      const from = Math.max(0, Math.floor(startMs / 1000) - startSecond);
      const to = Math.min(count, Math.ceil(stopMs / 1000) - startSecond);
      if (from >= to) continue;
      found ??= new Uint8Array(count);
      found.fill(1, from, to);
    }
    return found;
  }
}

function correctedHeart(heart: HeartFeatures, edits: readonly Correction[]): HeartFeatures {
  const { seconds } = heart;
  const { startSecond, count } = seconds;
  const near = edits.filter(
    ({ startMs, stopMs }) => startMs < (startSecond + count) * 1000 && stopMs > startSecond * 1000,
  );
  if (near.length === 0) return heart;
  const { beats } = correctBeats(heart.beats, seconds, near);
  const chosen = near.flatMap(({ kind, startMs, stopMs }) =>
    kind === 'EXCLUDE' ? [] : [{ startSecond: Math.floor(startMs / 1000), stopSecond: Math.ceil(stopMs / 1000) }],
  );
  return { ...heart, beats, seconds: { ...seconds, columns: withoutExcluded(seconds, near) }, chosen };
}

/** The columns of a sensor without quality and contact where it is excluded, so that another one is used if there is one. */
function withoutExcluded(
  { startSecond, count, columns }: HeartFeatures['seconds'],
  edits: readonly Correction[],
): HeartFeatures['seconds']['columns'] {
  const excluded = edits.filter(({ kind }) => kind === 'EXCLUDE');
  if (excluded.length === 0) return columns;
  const quality = columns.quality.slice();
  const contact = columns.contact.slice();
  for (const { startMs, stopMs } of excluded) {
    const from = Math.max(0, Math.floor(startMs / 1000) - startSecond);
    const to = Math.min(count, Math.ceil(stopMs / 1000) - startSecond);
    quality.fill(0, from, Math.max(from, to));
    contact.fill(0, from, Math.max(from, to));
  }
  return { ...columns, quality, contact };
}
