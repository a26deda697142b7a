import { describe, expect, it } from 'vitest';
import { type CorrectionStep, correctionStates, inForce, requireContent, requireUndoable } from './corrections.ts';

let sequence = 0;
const step = (id: string, more: Partial<CorrectionStep> = {}): CorrectionStep => ({
  id,
  sequence: ++sequence,
  kind: 'BEAT_DELETE',
  recordingId: 'r',
  timeUs: 1e15,
  startTs: 1e12,
  stopTs: 1e12 + 1,
  ...more,
});
const undo = (id: string, rootId: string) => step(id, { kind: 'UNDO', rootId });

describe('the chain of a correction', () => {
  it('is in force after each second undoing, from its last step on', () => {
    const rows = [step('a'), step('b'), undo('a1', 'a')];
    expect(inForce(rows).map(({ id }) => id)).toEqual(['b']);
    const redone = [...rows, undo('a2', 'a')];
    expect(inForce(redone).map(({ id }) => id)).toEqual(['b', 'a']);
    expect(correctionStates(redone).map(({ last }) => last.id)).toEqual(['b', 'a2']);
  });

  it('is undone at its end alone', () => {
    const a = step('a');
    const a1 = undo('a1', 'a');
    expect(requireUndoable(a, [a]).step.id).toBe('a');
    expect(() => requireUndoable(a, [a, a1])).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    expect(requireUndoable(a1, [a, a1]).isInForce).toBe(false);
  });

  it('is not undone under a later correction of the same beat', () => {
    const moved = step('m', { kind: 'BEAT_MOVE', timeUs: 1e15, toUs: 1e15 + 90_000 });
    const label = step('l', { kind: 'BEAT_LABEL', code: 'V', timeUs: 1e15 + 90_000 });
    expect(() => requireUndoable(moved, [moved, label])).toThrow(/builds on this one/);
    expect(requireUndoable(moved, [moved, label, undo('l1', 'l')]).step.id).toBe('m');
    const elsewhere = { ...label, timeUs: 1e15 + 900_000 };
    expect(requireUndoable(moved, [moved, elsewhere]).step.id).toBe('m');
    const elsewhereToo = { ...label, recordingId: 'other' };
    expect(requireUndoable(moved, [moved, elsewhereToo]).step.id).toBe('m');
  });
});

describe('a correction', () => {
  it('of a beat has the span that holds it', () => {
    expect(requireContent({ kind: 'BEAT_MOVE', recordingId: 'r', timeUs: 5_000_700, toUs: 4_990_000 })).toMatchObject({
      startTs: 4990,
      stopTs: 5001,
    });
  });

  it.each([
    [{ kind: 'BEAT_ADD', recordingId: 'r', timeUs: 1 }, 'code'],
    [{ kind: 'BEAT_ADD', timeUs: 1, code: 'N' }, 'recordingId'],
    [{ kind: 'BEAT_MOVE', recordingId: 'r', timeUs: 1 }, 'toUs'],
    [{ kind: 'BEAT_DELETE', recordingId: 'r', timeUs: 1, toUs: 2 }, 'toUs'],
    [{ kind: 'BEAT_DELETE', recordingId: 'r', startTs: 1, stopTs: 2 }, 'timeUs'],
    [{ kind: 'BEAT_DELETE', recordingId: 'r', timeUs: 1, code: 'N' }, 'code'],
    [{ kind: 'EXCLUDE', startTs: 1, stopTs: 2 }, 'recordingId'],
    [{ kind: 'ASLEEP', recordingId: 'r', startTs: 1, stopTs: 2 }, 'recordingId'],
    [{ kind: 'ASLEEP', startTs: 2, stopTs: 2 }, 'stopTs'],
    [{ kind: 'NOT_WORN', startTs: 0, stopTs: 40 * 86_400_000 }, 'stopTs'],
    [{ kind: 'WORN', stopTs: 2 }, 'startTs'],
  ] as const)('%j is refused at %s', (given, path) => {
    expect(() => requireContent(given)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', errors: [expect.objectContaining({ path })] }),
    );
  });
});
