/**
 * Rules of corrections that people make to beats, sleep and wear. A correction is never changed or removed: undoing it is a row of its
 * own, and undoing that one is a redo. Pure.
 */
import { OutpostError } from '../errors.ts';
import {
  BEAT_CORRECTIONS,
  type BeatCode,
  type CorrectionKind,
  isSpanCorrection,
  SAME_BEAT_US,
} from '../vocabulary/corrections.ts';

/** What is corrected. Beats have times in epoch microseconds, spans in epoch milliseconds. */
export interface CorrectionContent {
  kind: CorrectionKind;
  /** Of beats and excluded spans. */
  recordingId?: string | undefined;
  /** The beat as it was when it was corrected, or the added one. */
  timeUs?: number | undefined;
  /** Where a moved beat went. */
  toUs?: number | undefined;
  /** The type given to a beat. */
  code?: BeatCode | undefined;
  startTs: number;
  stopTs: number;
}

/** A stored row: a correction, or the undoing of the row `undoes` in the chain of the correction `rootId`. */
export type CorrectionStep = Omit<CorrectionContent, 'kind'> & {
  id: string;
  sequence: number;
  kind: CorrectionKind | 'UNDO';
  rootId?: string | undefined;
};

const isBeat = (kind: string): boolean => (BEAT_CORRECTIONS as readonly string[]).includes(kind);

const invalid = (path: string, message: string): OutpostError =>
  new OutpostError('INVALID_INPUT', `The correction is not valid: ${path} ${message}.`, {
    errors: [{ path, message }],
  });

/** The longest span: a sleep or a time without the sensor. Longer ones are mistakes of typing. */
const MOST_SPAN_MS = 31 * 86_400_000;

/** Returns the correction with its span; of a beat, the span that holds it. @throws INVALID_INPUT */
export function requireContent(given: {
  kind: CorrectionKind;
  recordingId?: string | undefined;
  timeUs?: number | undefined;
  toUs?: number | undefined;
  code?: BeatCode | undefined;
  startTs?: number | undefined;
  stopTs?: number | undefined;
}): CorrectionContent {
  const { kind, recordingId, timeUs, toUs, code } = given;
  if (isSpanCorrection(kind) === (recordingId !== undefined)) {
    throw invalid('recordingId', isSpanCorrection(kind) ? 'is not of a correction of sleep or wear' : 'is required');
  }
  if (isBeat(kind)) {
    if (timeUs === undefined) throw invalid('timeUs', 'is required');
    if ((kind === 'BEAT_MOVE') !== (toUs !== undefined)) {
      throw invalid('toUs', kind === 'BEAT_MOVE' ? 'is required' : 'is only of a moved beat');
    }
    const hasCode = kind === 'BEAT_ADD' || kind === 'BEAT_LABEL';
    if (hasCode !== (code !== undefined)) {
      throw invalid('code', hasCode ? 'is required' : 'is only of an added or relabelled beat');
    }
    const startTs = Math.floor(Math.min(timeUs, toUs ?? timeUs) / 1000);
    const stopTs = Math.floor(Math.max(timeUs, toUs ?? timeUs) / 1000) + 1;
    return { kind, recordingId, timeUs, toUs, code, startTs, stopTs };
  }
  const { startTs, stopTs } = given;
  if (startTs === undefined) throw invalid('startTs', 'is required');
  if (stopTs === undefined || stopTs <= startTs) throw invalid('stopTs', 'must be after startTs');
  if (stopTs - startTs > MOST_SPAN_MS) throw invalid('stopTs', 'must be at most 31 days after startTs');
  return { kind, recordingId, startTs, stopTs };
}

/** A correction with what its chain of undoing and redoing came to. */
export interface CorrectionState<T extends CorrectionStep> {
  step: T;
  isInForce: boolean;
  /** The last row of the chain: the one to undo next. */
  last: T;
}

/** The corrections among rows of whole chains, in the order in which they came into force. */
export function correctionStates<T extends CorrectionStep>(rows: readonly T[]): CorrectionState<T>[] {
  const states = new Map<string, CorrectionState<T>>();
  const ascending = [...rows].sort((a, b) => a.sequence - b.sequence);
  for (const row of ascending) {
    if (row.kind !== 'UNDO') {
      states.set(row.id, { step: row, isInForce: true, last: row });
      continue;
    }
    const state = states.get(row.rootId!);
    if (!state) continue;
    state.isInForce = !state.isInForce;
    state.last = row;
  }
  return [...states.values()].sort((a, b) => a.last.sequence - b.last.sequence);
}

/** What is in force of rows of whole chains, in the order in which it is applied. */
export function inForce<T extends CorrectionStep>(rows: readonly T[]): (T & { kind: CorrectionKind })[] {
  return correctionStates(rows).flatMap(({ step, isInForce }) =>
    isInForce ? [step as T & { kind: CorrectionKind }] : [],
  );
}

/** Whether the result of one correction is what another one begins with. */
function buildsOn(later: CorrectionContent, earlier: CorrectionContent): boolean {
  if (later.recordingId !== earlier.recordingId || later.timeUs === undefined || earlier.timeUs === undefined) {
    return false;
  }
  const result = earlier.toUs ?? earlier.timeUs;
  return Math.abs(later.timeUs - result) <= SAME_BEAT_US;
}

/**
 * Checks that a row may be undone.
 * @param target any row of the chain
 * @param rows all rows of its recording, or of spans of its subject
 * @throws CONFLICT when it was undone already, or when a later correction of the same beat is in force
 */
export function requireUndoable<T extends CorrectionStep>(target: T, rows: readonly T[]): CorrectionState<T> {
  const states = correctionStates(rows);
  const state = states.find(({ step }) => step.id === (target.rootId ?? target.id));
  if (!state || state.last.id !== target.id) {
    throw new OutpostError('CONFLICT', 'This correction was undone or redone meanwhile. Look at it again.');
  }
  const content = state.step as CorrectionContent;
  const isLater = (other: CorrectionState<T>) => other.isInForce && other.last.sequence > state.last.sequence;
  if (state.isInForce && states.some((other) => isLater(other) && buildsOn(other.step as CorrectionContent, content))) {
    throw new OutpostError('CONFLICT', 'A later correction of this beat builds on this one. Undo that one first.');
  }
  return state;
}
