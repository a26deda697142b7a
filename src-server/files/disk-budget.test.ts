/** Decisions about space: whose turn it is, and what one owner may reserve. */
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { DiskBudget } from './disk-budget.ts';

describe('the ledger of a disk', () => {
  it('decides for owners in turns, however many decisions one of them waits for', async () => {
    const budget = new DiskBudget(tmpdir());
    const decided: string[] = [];
    const first = Promise.withResolvers<void>();
    const claim = (owner: string, wait?: Promise<void>) =>
      budget.claimed(
        {
          owner,
          sizeBytes: 1,
          decide: async () => {
            await wait;
            decided.push(owner);
          },
        },
        async () => undefined,
      );
    const all = [claim('greedy', first.promise), ...Array.from({ length: 20 }, () => claim('greedy')), claim('honest')];
    first.resolve();
    await Promise.all(all);
    expect(decided.indexOf('honest')).toBeLessThanOrEqual(2);
    expect(decided).toHaveLength(22);
  });

  it('continues after a decision that was refused', async () => {
    const budget = new DiskBudget(tmpdir());
    const refused = budget.claimed(
      {
        owner: 'a',
        sizeBytes: 1,
        decide: async () => {
          throw new Error('refused');
        },
      },
      async () => undefined,
    );
    await expect(refused).rejects.toThrow('refused');
    expect(await budget.with(1, async () => 'done', { owner: 'a' })).toBe('done');
  });

  it('gives one owner half of what there is, and counts what the owner has written', async () => {
    const budget = new DiskBudget(tmpdir());
    const state = await budget.state();
    const half = Math.floor((state?.freeBytes ?? 0) * 0.4);
    const options = { user: 'other', owner: 'a' } as const;
    await budget.with(
      half,
      async (claim) => {
        expect((await budget.state())?.promisedBytes).toBe(half);
        await expect(budget.with(half, async () => undefined, options)).rejects.toMatchObject({ code: 'DISK_FULL' });
        claim.wrote(half);
        expect((await budget.state())?.promisedBytes).toBe(0);
        await expect(budget.with(half, async () => undefined, options)).rejects.toMatchObject({ code: 'DISK_FULL' });
        await budget.with(half, async () => undefined, { user: 'other', owner: 'b' });
      },
      options,
    );
    expect((await budget.state())?.promisedBytes).toBe(0);
    await budget.with(half, async () => undefined, options);
  });
});
