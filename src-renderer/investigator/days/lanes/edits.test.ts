import { expect, it } from 'vitest';
import type { Correction } from '../../../../src-server/api/contract/index.ts';
import type { Lane } from '../../../shared/charts/timeline/types.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import { personEdits, withEdits } from './edits.ts';

const correction = (kind: Correction['kind'], startTs: number, stopTs: number, isInForce = true): Correction => ({
  id: `${kind}${startTs}`,
  kind,
  startTs,
  stopTs,
  authorId: 'a',
  authorName: 'Anna Berg',
  createdTs: 1,
  isInForce,
  lastId: 'x',
  steps: [],
});
const t = ((key: string, values?: object) => `${key}${values ? JSON.stringify(values) : ''}`) as unknown as Translate;
const lane = (id: string): Lane => ({ id, label: id, heightPx: 30, draw: () => undefined, read: () => 'Worn' });

function drawn(of: Lane): number[][] {
  const rects: number[][] = [];
  const measureText = () => ({ width: 1000 });
  const context = { fillRect: (...rect: number[]) => rects.push(rect), fillStyle: '', measureText };
  of.draw(context as never, { startMs: 0, stopMs: 100, widthPx: 100 }, 30, (name) => name);
  return rects;
}

it('marks sleep and wear that a person corrected on their lanes, and says whose edit it is', () => {
  const edits = personEdits([
    correction('NOT_WORN', 10, 40),
    correction('ASLEEP', 60, 80),
    correction('WORN', 90, 95, false),
    correction('BEAT_DELETE', 20, 21),
  ]);
  expect(edits.map(({ kind }) => kind)).toEqual(['NOT_WORN', 'ASLEEP']);
  const wear = withEdits(lane('wear'), edits, t);
  expect(drawn(wear)).toEqual([
    [10, 25, 30, 5],
    [10, 0, 2, 30],
    [38, 0, 2, 30],
  ]);
  expect(wear.read(20)).toContain('Anna Berg');
  expect(wear.read(20)).toContain('edits.kinds.NOT_WORN');
  expect(wear.read(50)).toBe('Worn');
  expect(drawn(withEdits(lane('activity'), edits, t))[0]).toEqual([60, 25, 20, 5]);
  const heart = lane('heartRate');
  expect(withEdits(heart, edits, t)).toBe(heart);
});
