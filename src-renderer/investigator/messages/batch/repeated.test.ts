import { expect, it } from 'vitest';
import { ApiError } from '../../../../src-server/api/contract/client-core.ts';
import type { UnansweredRun } from '../../bulk/unanswered.ts';
import { batchesOf, isSentItem, requestIdsOf, sendOne } from './repeated.ts';

it('repeats the batch of a recipient without an answer, and sends the others in a new one', () => {
  const batches = batchesOf(['a', 'b', 'c', 'd'], { b: 'old', d: 'older', gone: 'old' }, 'new');
  expect(batches).toEqual([
    { id: 'new', subjectIds: ['a', 'c'] },
    { id: 'old', subjectIds: ['b'] },
    { id: 'older', subjectIds: ['d'] },
  ]);
  expect(requestIdsOf(batches)).toEqual({ a: 'new', b: 'old', c: 'new', d: 'older' });
  expect(batchesOf(['a'], {}, 'new')).toEqual([{ id: 'new', subjectIds: ['a'] }]);
});

it('keeps the recipients of a batch without an answer, and not those of a refused one', async () => {
  const ended: [string, boolean][] = [];
  const kept: UnansweredRun = {
    begins: () => undefined,
    ends: (id, isAnswered) => ended.push([id, isAnswered]),
    over: () => undefined,
  };
  const batch = { id: 'x', subjectIds: ['a', 'b'] };
  const failing = (status: number) => sendOne(kept, batch, () => Promise.reject(new ApiError(status, 'X', 'no')));
  await expect(failing(0)).rejects.toThrow();
  await expect(failing(400)).rejects.toThrow();
  await sendOne(kept, batch, () => Promise.resolve({ items: [] }));
  expect(ended.map(([, isAnswered]) => isAnswered)).toEqual([false, false, true, true, true, true]);
});

it('counts recipients of a batch that was sent before with another text as done', async () => {
  const answered: string[] = [];
  const kept: UnansweredRun = {
    begins: () => undefined,
    ends: (id, isAnswered) => isAnswered && answered.push(id),
    over: () => undefined,
  };
  const errors = [{ path: 'id', message: 'was already used with another content' }];
  const items = await sendOne(kept, { id: 'x', subjectIds: ['a', 'b'] }, () =>
    Promise.reject(new ApiError(409, 'CONFLICT', 'no', { errors })),
  );
  expect(items.map(({ outcome }) => outcome)).toEqual(['EARLIER', 'EARLIER']);
  expect(items.every(isSentItem)).toBe(true);
  expect(answered).toEqual(['a', 'b']);
});
