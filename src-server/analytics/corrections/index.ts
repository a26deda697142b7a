/** The corrections of one subject, in the form in which each part of the analysis applies them. */
import { spansNotWorn } from '../../vocabulary/corrections.ts';
import type { Correction, HeartFeatures, RecordingFeatures, Span } from '../types.ts';
import { correctBeats } from './beats.ts';
import type { SleepEdit } from './sleep.ts';
import type { WearEdit } from './wear.ts';

export type { Correction } from '../types.ts';
export { type BeatFate, type ChangedBeat, correctBeats } from './beats.ts';

const toSecond = (ms: number): number => Math.round(ms / 1000);

/** Spans without the sensors, as exclusions: what is measured then is not of the wearer. */
const spansOff = (corrections: readonly Correction[]): Correction[] =>
  spansNotWorn(corrections.map(({ kind, startMs, stopMs }) => ({ kind, from: startMs, to: stopMs }))).map(
    ({ from, to }) => ({ kind: 'EXCLUDE', startMs: from, stopMs: to }),
  );

/**
 * What changes the beats of one recording, in the order in which it applies: its own corrections, then spans without the sensors.
 *
 * @param corrections of the subject, in their order; those of other recordings change nothing
 */
export const beatEdits = (corrections: readonly Correction[], recordingId: string): Correction[] => [
  ...corrections.filter((one) => one.recordingId === recordingId),
  ...spansOff(corrections),
];

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

const secondsOf = ({ startMs, stopMs }: Span) => ({
  startSecond: Math.floor(startMs / 1000),
  stopSecond: Math.ceil(stopMs / 1000),
});

function correctedHeart(heart: HeartFeatures, edits: readonly Correction[]): HeartFeatures {
  const { seconds } = heart;
  const { startSecond, count } = seconds;
  const near = edits.filter(
    ({ startMs, stopMs }) => startMs < (startSecond + count) * 1000 && stopMs > startSecond * 1000,
  );
  if (near.length === 0) return heart;
  const { beats } = correctBeats(heart.beats, seconds, near);
  const chosen = near.flatMap(({ kind, startMs, stopMs }) =>
    kind === 'EXCLUDE' ? [] : [secondsOf({ startMs, stopMs })],
  );
  const excluded = near.filter(({ kind }) => kind === 'EXCLUDE');
  return {
    ...heart,
    beats,
    seconds: { ...seconds, columns: withoutExcluded(seconds, excluded) },
    chosen,
    excluded: excluded.map(secondsOf),
  };
}

/** The columns of a sensor without quality and contact where it is excluded, so that another one is used if there is one. */
function withoutExcluded(
  { startSecond, count, columns }: HeartFeatures['seconds'],
  excluded: readonly Correction[],
): HeartFeatures['seconds']['columns'] {
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
