import { expect, it } from 'vitest';
import { ApiError } from '../../../src-server/api/contract/client-core.ts';
import { type Act, type Outcome, runEach } from './run-each.ts';

async function run(ids: string[], act: Act, isStopped?: () => boolean) {
  const outcomes = new Map<string, Outcome['kind']>();
  await runEach(ids, act, (id, { kind }) => outcomes.set(id, kind), isStopped);
  return Object.fromEntries(outcomes);
}

const after = async () => {
  await new Promise((resolve) => setImmediate(resolve));
};

it('keeps few requests open at once and does each row once', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => String(index));
  const acted: string[] = [];
  let [open, most] = [0, 0];
  const outcomes = await run(ids, async (id) => {
    open += 1;
    most = Math.max(most, open);
    acted.push(id);
    await after();
    open -= 1;
    return undefined;
  });
  expect(most).toBeLessThanOrEqual(3);
  expect(acted).toEqual(ids);
  expect(new Set(Object.values(outcomes))).toEqual(new Set(['done']));
});

it('continues after a row that is refused', async () => {
  const outcomes = await run(['a', 'b', 'c', 'd', 'e'], async (id) => {
    await after();
    if (id === 'b') throw new ApiError(409, 'CONFLICT', 'no');
    return id === 'c' ? 'already done' : undefined;
  });
  expect(outcomes).toEqual({ a: 'done', b: 'failed', c: 'unchanged', d: 'done', e: 'done' });
});

it('stops where the site cannot be reached, and does not claim what became of that row', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => String(index));
  const outcomes = await run(ids, async (id) => {
    await after();
    if (id === '4') throw new ApiError(0, 'OFFLINE', 'no');
    return undefined;
  });
  expect(outcomes[4]).toBe('unknown');
  expect(Object.keys(outcomes).length).toBeLessThan(10);
});

it('continues after an error of the site on one row, whose outcome stays open', async () => {
  const outcomes = await run(['a', 'b', 'c', 'd', 'e'], async (id) => {
    await after();
    if (id === 'a') throw new ApiError(500, 'INTERNAL', 'no');
    return undefined;
  });
  expect(outcomes).toEqual({ a: 'unknown', b: 'done', c: 'done', d: 'done', e: 'done' });
});

it('begins no further row once it is stopped', async () => {
  let count = 0;
  const outcomes = await run(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    async () => {
      count += 1;
      await after();
      return undefined;
    },
    () => count >= 3,
  );
  expect(Object.keys(outcomes)).toEqual(['a', 'b', 'c']);
});

it('does not call a row failed that an earlier try saved with another content', async () => {
  const errors = [{ path: 'id', message: 'was already used with another content' }];
  const outcomes = await run(['a', 'b', 'c'], async (id) => {
    await after();
    if (id === 'a') throw new ApiError(409, 'CONFLICT', 'no', { errors });
    if (id === 'b') throw new ApiError(409, 'CONFLICT', 'no');
    return undefined;
  });
  expect(outcomes).toEqual({ a: 'earlier', b: 'failed', c: 'done' });
});

it('stops where the site refuses what was entered for each of the first rows', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => String(index));
  const outcomes = await run(ids, async () => {
    await after();
    throw new ApiError(400, 'INVALID_INPUT', 'too long');
  });
  expect(Object.keys(outcomes).length).toBeLessThan(10);
});

it('continues where the site refuses what was entered for some rows only', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => String(index));
  const outcomes = await run(ids, async (id) => {
    await after();
    if (Number(id) % 2 === 1) throw new ApiError(400, 'INVALID_INPUT', 'needs a reason');
    return undefined;
  });
  expect(Object.keys(outcomes)).toHaveLength(20);
});
