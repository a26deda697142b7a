/** Applies corrections to the beats of one sensor. What was detected stays as it is; the result is a series of its own. */
import { BEAT_CODES, type BeatCode, SAME_BEAT_US } from '../../vocabulary/corrections.ts';
import {
  BEAT_AFTER_GAP,
  BEAT_ARTEFACT,
  BEAT_ECTOPIC,
  BEAT_NORMAL,
  BEAT_P_MASK,
  BEAT_SUPRAVENTRICULAR,
  BEAT_VENTRICULAR,
} from '../heart/beats.ts';
import { lowerBound } from '../lower-bound.ts';
import type { BeatSeries, Correction, SecondFeatures } from '../types.ts';

/** What a correction did to a beat. */
export type BeatFate = 'ADDED' | 'MOVED' | 'RELABELLED' | 'DELETED' | 'EXCLUDED';

/** A beat that corrections changed. */
export interface ChangedBeat {
  /** Epoch microseconds; of a beat that is gone, where it was. */
  timeUs: number;
  fate: BeatFate;
  /** Where it was detected; absent for an added one. */
  originalUs?: number;
  /** As detected, see `BeatSeries.kinds`. */
  originalKind?: number;
  code?: BeatCode;
}

export interface CorrectedBeats {
  beats: BeatSeries;
  /** By place in `beats`: what became of those that were added, moved or relabelled. */
  changed: ReadonlyMap<number, ChangedBeat>;
  /** Deleted and excluded beats, ascending by time. */
  gone: ChangedBeat[];
}

type Seconds = SecondFeatures<'quality' | 'contact' | 'unresolved'>;

interface Entry {
  timeUs: number;
  kind: number;
  amplitudeV: number;
  /** Place among the detected beats, -1 for an added one. */
  original: number;
  change?: ChangedBeat;
}

const KINDS = { SINUS: BEAT_NORMAL, OTHER: BEAT_ECTOPIC, NONE: BEAT_ARTEFACT } as const;

/** Types of beats that count as ectopic beats of the ventricles, or from above them. */
const ORIGINS: Partial<Record<BeatCode, number>> = {
  V: BEAT_VENTRICULAR,
  E: BEAT_VENTRICULAR,
  A: BEAT_SUPRAVENTRICULAR,
  a: BEAT_SUPRAVENTRICULAR,
  J: BEAT_SUPRAVENTRICULAR,
  S: BEAT_SUPRAVENTRICULAR,
};

/** The kind that a type of beat is to analytics. */
export const kindOfCode = (code: BeatCode): number => KINDS[BEAT_CODES[code].origin] | (ORIGINS[code] ?? 0);

/** Beats that corrections touch, over those that were detected: most beats of a day are never copied. */
class Overlay {
  /** By place among the detected beats. */
  readonly replaced = new Set<number>();
  readonly added: Entry[] = [];
  readonly gone: ChangedBeat[] = [];
  readonly #beats: BeatSeries;

  constructor(beats: BeatSeries) {
    this.#beats = beats;
  }

  /** The beat that is nearest to a time, and near enough to be the one that is meant. */
  #find(timeUs: number): Entry | undefined {
    let best: Entry | undefined;
    const consider = (entry: Entry): void => {
      const distance = Math.abs(entry.timeUs - timeUs);
      if (distance <= SAME_BEAT_US && !(best && Math.abs(best.timeUs - timeUs) <= distance)) best = entry;
    };
    const { timesUs } = this.#beats;
    for (let i = lowerBound(timesUs, timeUs - SAME_BEAT_US); i < timesUs.length; i++) {
      if (timesUs[i]! > timeUs + SAME_BEAT_US) break;
      if (!this.replaced.has(i)) consider(this.#entryOf(i));
    }
    for (const entry of this.added) consider(entry);
    return best;
  }

  #entryOf(i: number): Entry {
    const { timesUs, kinds, amplitudesV } = this.#beats;
    return { timeUs: timesUs[i]!, kind: kinds[i]!, amplitudeV: amplitudesV[i]!, original: i };
  }

  /** What is known of an entry before it is changed again. */
  #changeOf(entry: Entry, fate: BeatFate): ChangedBeat {
    if (entry.change) return { ...entry.change, ...(entry.change.fate !== 'ADDED' && { fate }) };
    const { timeUs, kind } = entry;
    return { timeUs, fate, originalUs: timeUs, originalKind: kind };
  }

  #remove(entry: Entry, fate: 'DELETED' | 'EXCLUDED'): void {
    const at = this.added.indexOf(entry);
    if (at >= 0) this.added.splice(at, 1);
    if (entry.original >= 0) this.replaced.add(entry.original);
    // An added beat that is deleted again leaves nothing behind.
    if (entry.original < 0 && fate === 'DELETED') return;
    this.gone.push({ ...this.#changeOf(entry, fate), fate, timeUs: entry.timeUs });
  }

  #replace(entry: Entry, fields: Partial<Entry>, change: ChangedBeat): void {
    const at = this.added.indexOf(entry);
    if (at >= 0) this.added.splice(at, 1);
    if (entry.original >= 0) this.replaced.add(entry.original);
    this.added.push({ ...entry, ...fields, change });
  }

  apply({ kind, timeUs = 0, toUs = 0, code = 'N', startMs, stopMs }: Correction): void {
    if (kind === 'EXCLUDE') {
      this.#exclude(startMs * 1000, stopMs * 1000);
      return;
    }
    if (kind === 'BEAT_ADD') {
      const change: ChangedBeat = { timeUs, fate: 'ADDED', code };
      this.added.push({ timeUs, kind: kindOfCode(code), amplitudeV: Number.NaN, original: -1, change });
      return;
    }
    const entry = this.#find(timeUs);
    if (!entry) return;
    if (kind === 'BEAT_DELETE') this.#remove(entry, 'DELETED');
    else if (kind === 'BEAT_MOVE')
      this.#replace(entry, { timeUs: toUs }, { ...this.#changeOf(entry, 'MOVED'), timeUs: toUs });
    else if (kind === 'BEAT_LABEL') {
      const fate = entry.change?.fate === 'MOVED' ? 'MOVED' : 'RELABELLED';
      const fields = { kind: kindOfCode(code) | (entry.kind & (BEAT_AFTER_GAP | BEAT_P_MASK)) };
      this.#replace(entry, fields, { ...this.#changeOf(entry, fate), timeUs: entry.timeUs, code });
    }
  }

  #exclude(fromUs: number, toUs: number): void {
    const { timesUs } = this.#beats;
    for (let i = lowerBound(timesUs, fromUs); i < timesUs.length && timesUs[i]! < toUs; i++) {
      if (!this.replaced.has(i)) this.#remove(this.#entryOf(i), 'EXCLUDED');
    }
    for (const entry of [...this.added]) {
      if (entry.timeUs >= fromUs && entry.timeUs < toUs) this.#remove(entry, 'EXCLUDED');
    }
  }
}

/** Whether every second from one time to another has contact, so that an interval between them is of a signal that was there. */
function isCovered({ startSecond, count, columns }: Seconds, fromUs: number, toUs: number): boolean {
  const from = Math.floor(fromUs / 1e6) - startSecond;
  const to = Math.floor(toUs / 1e6) - startSecond;
  if (from < 0 || to >= count) return false;
  for (let i = from; i <= to; i++) if (columns.contact[i] !== 1) return false;
  return true;
}

/** Returns the beats with the corrections of their recording applied in order; those in `edits` are of beats and excluded spans. */
export function correctBeats(beats: BeatSeries, seconds: Seconds, edits: readonly Correction[]): CorrectedBeats {
  const fromUs = seconds.startSecond * 1e6;
  const toUs = fromUs + seconds.count * 1e6;
  const overlay = new Overlay(beats);
  for (const edit of edits) {
    // An added beat belongs to one segment of the sensor, the one with signal there.
    if (edit.kind === 'BEAT_ADD' && (edit.timeUs! < fromUs || edit.timeUs! >= toUs)) continue;
    overlay.apply(edit);
  }
  const { replaced, added, gone } = overlay;
  added.sort((a, b) => a.timeUs - b.timeUs);
  const { timesUs, kinds, amplitudesV, intervalsMs } = beats;
  const kept = timesUs.length - replaced.size;
  const n = kept + added.length;
  const result: BeatSeries = {
    timesUs: new Float64Array(n),
    kinds: new Uint8Array(n),
    amplitudesV: new Float32Array(n),
    ...(intervalsMs && { intervalsMs: new Float64Array(n) }),
  };
  const changed = new Map<number, ChangedBeat>();
  const excluded = edits.filter(({ kind }) => kind === 'EXCLUDE');
  let a = 0;
  let before = -1;
  let isBeforeNew = false;
  let row = 0;
  const put = (entry: Entry): void => {
    // One that was only relabelled stands where it was detected.
    const isNew = entry.change !== undefined && entry.change.fate !== 'RELABELLED';
    // Whether the beat before it is another one than the detector saw, so that its interval is another.
    const isOther = isNew || isBeforeNew || entry.original !== before + 1;
    let { kind } = entry;
    const previousUs = row > 0 ? result.timesUs[row - 1]! : Number.NaN;
    if (isOther) {
      const isGap =
        row === 0 ||
        !isCovered(seconds, previousUs, entry.timeUs) ||
        excluded.some(({ startMs, stopMs }) => startMs * 1000 < entry.timeUs && stopMs * 1000 > previousUs);
      kind = isGap ? kind | BEAT_AFTER_GAP : kind & ~BEAT_AFTER_GAP;
    }
    result.timesUs[row] = entry.timeUs;
    result.kinds[row] = kind;
    result.amplitudesV[row] = entry.amplitudeV;
    if (result.intervalsMs) {
      const measured = kind & BEAT_AFTER_GAP ? Number.NaN : (entry.timeUs - previousUs) / 1000;
      result.intervalsMs[row] = isOther ? measured : intervalsMs![entry.original]!;
    }
    if (entry.change) changed.set(row, entry.change);
    before = entry.original >= 0 && !isNew ? entry.original : before;
    isBeforeNew = isNew;
    row++;
  };
  for (let i = 0; i < timesUs.length; i++) {
    for (; a < added.length && added[a]!.timeUs <= timesUs[i]!; a++) put(added[a]!);
    if (replaced.has(i)) continue;
    put({ timeUs: timesUs[i]!, kind: kinds[i]!, amplitudeV: amplitudesV[i]!, original: i });
  }
  for (; a < added.length; a++) put(added[a]!);
  gone.sort((one, other) => one.timeUs - other.timeUs);
  return { beats: result, changed, gone };
}
