import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src-server/api/contract/client-core.ts';
import type { Correction, NewCorrectionInput } from '../../../../src-server/api/contract/index.ts';
import type { ViewerModel } from '../data/model.ts';
import { Editing } from './editing.ts';
import type { Applied } from './overlay.ts';
import { CorrectionQueue } from './queue.ts';

const PLACE = { studyId: 'study', subjectId: 'subject' };
let kept: Map<string, string>;
let sent: string[][];
let answer: (corrections: NewCorrectionInput[]) => void;
let planned: { run: () => void; ms: number } | null;

const storage = () => ({
  get length() {
    return kept.size;
  },
  getItem: (key: string) => kept.get(key) ?? null,
  key: (place: number) => [...kept.keys()][place] ?? null,
  removeItem: (key: string) => void kept.delete(key),
  setItem: (key: string, value: string) => void kept.set(key, value),
});

function queueOf(userId = 'user'): CorrectionQueue {
  return new CorrectionQueue(userId, PLACE, {
    storage: storage(),
    send: async (_place, corrections) => {
      answer(corrections);
      sent.push(corrections.map(({ id }) => id));
    },
    onSent: async () => undefined,
    later: (run, ms) => {
      const mine = { run, ms };
      planned = mine;
      return () => {
        if (planned === mine) planned = null;
      };
    },
    now: () => 1000,
  });
}

/** Lets the time pass that the queue waits. */
async function pass(): Promise<number> {
  const now = planned;
  planned = null;
  now?.run();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  return now?.ms ?? -1;
}

const label = (id: string): NewCorrectionInput => ({
  id,
  kind: 'BEAT_LABEL',
  recordingId: 'r',
  timeUs: 5e6,
  code: 'V',
});

beforeEach(() => {
  kept = new Map();
  sent = [];
  planned = null;
  answer = () => undefined;
});

describe('corrections on their way', () => {
  it('go in one batch in their order, and are kept until they have arrived', async () => {
    const queue = queueOf();
    for (const id of ['a', 'b', 'c']) queue.add(label(id), 'why');
    expect(kept.size).toBe(3);
    await pass();
    expect(sent).toEqual([['a', 'b', 'c']]);
    expect([kept.size, queue.state.get().waiting]).toEqual([0, []]);
  });

  it('survive a reload and a site that is away, with ever longer pauses', async () => {
    const away = queueOf();
    answer = () => {
      throw new TypeError('Failed to fetch');
    };
    away.add(label('a'), undefined);
    expect(await pass()).toBe(700);
    expect(away.state.get().error).toBeInstanceOf(TypeError);
    expect(await pass()).toBe(1000);
    expect(await pass()).toBe(2000);
    away.close();
    answer = () => undefined;
    expect(queueOf('somebody else').state.get().waiting).toEqual([]);
    const again = queueOf();
    expect(again.state.get().waiting.map(({ body }) => body.id)).toEqual(['a']);
    expect(await pass()).toBe(0);
    expect([sent, kept.size]).toEqual([[['a']], 0]);
  });

  it('arrive without the one that the site refuses, which is named until it is discarded', async () => {
    const queue = queueOf();
    answer = (corrections) => {
      if (corrections.some(({ id }) => id === 'b')) throw new ApiError(409, 'CONFLICT', 'Undone meanwhile.');
    };
    for (const id of ['a', 'b', 'c']) queue.add(label(id), undefined);
    await pass();
    expect(sent).toEqual([['a'], ['c']]);
    const { refused, waiting } = queue.state.get();
    expect([refused.map(({ item }) => item.body.id), waiting.length, planned]).toEqual([['b'], 1, null]);
    queue.discard('b');
    expect([kept.size, queue.state.get()]).toEqual([0, { waiting: [], refused: [], error: null }]);
  });
});

describe('a person who corrects', () => {
  function editingOf() {
    let applied: readonly Applied[] = [];
    const state = {
      view: { startMs: 0, lengthMs: 10_000 },
      cursorMs: null as number | null,
      selectedUs: null as number | null,
    };
    const model = {
      recording: { id: 'r' },
      extent: { startMs: 0, stopMs: 60_000 },
      sensor: { lead: { nominalRateHz: 250 } },
      state: { get: () => state },
      set: (change: object) => void Object.assign(state, change),
      setView: () => undefined,
      setCorrections: (next: readonly Applied[]) => {
        applied = next;
      },
      beats: () => ({
        beats: [1e6, 2e6, 3e6].map((timeUs) => ({ timeUs: moved(timeUs), use: 'USED', isAfterBreak: false })),
      }),
    };
    const moved = (timeUs: number) => applied.find((one) => one.timeUs === timeUs)?.toUs ?? timeUs;
    const queue = queueOf();
    let id = 0;
    const editing = new Editing(model as unknown as ViewerModel, queue, () => `c${++id}`);
    return { editing, queue, state, shown: () => applied.map(({ kind, code, toUs }) => [kind, code ?? toUs]) };
  }
  const waiting = (queue: CorrectionQueue) => queue.state.get().waiting.map(({ body }) => [body.kind, body.undoes]);

  it('sees each correction at once, undone and redone too', () => {
    const { editing, queue, shown } = editingOf();
    editing.step(1);
    editing.label('V');
    editing.step(1);
    editing.label('S');
    expect(shown()).toEqual([
      ['BEAT_LABEL', 'V'],
      ['BEAT_LABEL', 'S'],
    ]);
    editing.undo();
    expect(shown()).toEqual([['BEAT_LABEL', 'V']]);
    editing.redo();
    expect(shown()).toHaveLength(2);
    expect(waiting(queue).slice(2)).toEqual([
      ['UNDO', 'c2'],
      ['UNDO', 'c3'],
    ]);
    expect(editing.counts.get()).toEqual({ undo: 2, redo: 0 });
  });

  it('moves a beat over several samples by one correction', () => {
    const { editing, queue, shown } = editingOf();
    editing.select(1e6);
    for (let step = 0; step < 3; step++) editing.move(1);
    expect(shown()).toEqual([['BEAT_MOVE', 1_012_000]]);
    expect(queue.state.get().waiting).toHaveLength(1);
  });

  it('sees once what the site has and what is still on its way', () => {
    const { editing, shown } = editingOf();
    editing.select(1e6);
    editing.label('V');
    const stored = { ...label('c1'), startTs: 1, stopTs: 2, createdTs: 3, isInForce: true, lastId: 'c1', steps: [] };
    editing.setStored([stored as unknown as Correction]);
    expect(shown()).toEqual([['BEAT_LABEL', 'V']]);
  });

  it('applies what waits after what the site has, whatever the two clocks say', () => {
    const { editing, shown } = editingOf();
    editing.select(1e6);
    editing.label('V');
    // The clock of the site is hours ahead; that of the queue stands at 1000.
    const aheadMs = 3 * 3_600_000;
    const stored = (id: string, code: string, createdTs: number) =>
      ({
        ...label(id),
        code,
        startTs: 1,
        stopTs: 2,
        createdTs,
        isInForce: true,
        lastId: id,
        steps: [],
      }) as unknown as Correction;
    editing.setStored([stored('s1', 'S', aheadMs), stored('s2', 'F', aheadMs + 1)]);
    expect(shown().map(([, code]) => code)).toEqual(['S', 'F', 'V']);
  });
});
