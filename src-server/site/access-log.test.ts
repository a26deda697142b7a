import { afterEach, describe, expect, it } from 'vitest';
import type { NewAccessEntry } from '../db/index.ts';
import { DAY_MS, MINUTE_MS } from '../durations.ts';
import { AccessLog } from './access-log.ts';

/** A store in memory that counts its writes. */
function inMemory() {
  const state = {
    nowTs: Date.UTC(2026, 0, 15),
    rows: [] as (NewAccessEntry & { sequence: number })[],
    writes: 0,
    uses: [] as unknown[],
    deleted: [] as [number, number][],
    fails: false,
    problems: [] as unknown[],
  };
  const write = () => {
    if (state.fails) throw new Error('disk full');
    state.writes += 1;
  };
  const store = {
    accessLog: {
      add: async (entries: NewAccessEntry[]) => {
        write();
        return entries.map((entry) => state.rows.push({ ...entry, sequence: state.rows.length + 1 }));
      },
      recount: async (entries: { sequence: number; count: number; lastTs: number }[]) => {
        write();
        for (const { sequence, ...facts } of entries) Object.assign(state.rows[sequence - 1]!, facts);
      },
      deleteBefore: async (untilTs: number, spanMs: number) => {
        state.deleted.push([untilTs, spanMs]);
        return 0;
      },
    },
    tokens: {
      noteUses: async (uses: unknown[]) => {
        write();
        state.uses.push(...uses);
      },
    },
    settings: { get: async () => ({ days: 100 }) },
    accounts: { list: async () => [{ id: 'first account' }] },
  };
  const log = new AccessLog({
    store: store as never,
    siteKey: new Uint8Array(32).fill(1),
    clock: () => state.nowTs,
    onProblem: (problem) => state.problems.push(problem),
  });
  return { state, log };
}

let open: ReturnType<typeof inMemory>;
const start = () => {
  open = inMemory();
  return open;
};
afterEach(() => open.log.close().catch(() => undefined));

const READ = {
  kind: 'READ',
  detail: 'SUBJECT',
  accountId: 'a',
  userId: 'u',
  studyId: 's',
  address: '10.0.0.1',
} as const;

describe('the access log', () => {
  it('writes nothing while pages are read, then all of it at once', async () => {
    const { state, log } = start();
    for (let i = 0; i < 5000; i++) log.note({ ...READ, subjectId: `subject ${i % 50}` });
    expect(state.writes).toBe(0);
    await log.flush();
    expect([state.writes, state.rows.length]).toEqual([1, 50]);
    expect(state.rows.every(({ count }) => count === 100)).toBe(true);
  });

  it('counts the same page within ten minutes, and begins another entry after that', async () => {
    const { state, log } = start();
    const firstTs = state.nowTs;
    log.note(READ);
    await log.flush();
    state.nowTs += 9 * MINUTE_MS;
    log.note(READ);
    await log.flush();
    expect(state.rows).toMatchObject([{ count: 1 }]);
    state.nowTs += 2 * MINUTE_MS;
    log.note(READ);
    await log.flush();
    expect(state.rows).toMatchObject([
      { timeTs: firstTs, lastTs: firstTs + 9 * MINUTE_MS, count: 2 },
      { timeTs: firstTs + 11 * MINUTE_MS, count: 1 },
    ]);
  });

  it('writes what it counted when it is closed', async () => {
    const { state, log } = start();
    log.note(READ);
    await log.flush();
    log.note(READ);
    log.note({ ...READ, kind: 'SIGN_OUT', detail: 'OWN' });
    await log.close();
    expect(state.rows).toMatchObject([{ count: 2 }, { kind: 'SIGN_OUT' }]);
  });

  it('keeps a name that no user has as a hash, and gives its entries to the first account', async () => {
    const { state, log } = start();
    const failed = { kind: 'SIGN_IN_FAILED', detail: 'NAME', address: '10.0.0.1' } as const;
    log.note({ ...failed, name: 'Hunter2-my-password' });
    log.note({ ...failed, name: ' hunter2-MY-password' });
    log.note({ ...failed, name: 'somebody else' });
    await log.flush();
    expect(JSON.stringify(state.rows)).not.toMatch(/hunter2/i);
    const [first, second, third] = state.rows;
    expect(first!.nameHash).toMatch(/^[0-9a-f]{16}$/);
    expect([second!.nameHash === first!.nameHash, third!.nameHash === first!.nameHash]).toEqual([true, false]);
    expect(first!.accountId).toBe('first account');
  });

  it('stays small under a flood of failures from many addresses', async () => {
    const { state, log } = start();
    for (let i = 0; i < 50_000; i++) {
      const address = `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
      log.note({ kind: 'SIGN_IN_FAILED', detail: 'NAME', name: `name ${i}`, address });
    }
    await log.flush();
    expect(state.rows).toHaveLength(201);
    expect(state.rows.at(-1)).toMatchObject({ count: 49_800 });
    expect(state.rows.at(-1)).not.toHaveProperty('address');
    // Others are not concerned.
    log.note(READ);
    await log.flush();
    expect(state.rows.at(-1)).toMatchObject({ kind: 'READ', userId: 'u' });
  });

  it('keeps entries that could not be written, and reports that once', async () => {
    const { state, log } = start();
    state.fails = true;
    log.note(READ);
    for (let i = 0; i < 3; i++) await log.flush();
    expect([state.rows.length, state.problems.length]).toEqual([0, 1]);
    state.fails = false;
    await log.flush();
    expect(state.rows).toHaveLength(1);
  });

  it('writes the last use of a session at most once a minute, and its last one when it is closed', async () => {
    const { state, log } = start();
    for (let second = 0; second < 90; second++) {
      log.noteUse('session', '10.0.0.1');
      await log.flush();
      state.nowTs += 1000;
    }
    expect(state.uses).toHaveLength(2);
    expect(log.lastUse('session')?.usedTs).toBe(state.nowTs - 1000);
    await log.close();
    expect(state.uses.at(-1)).toMatchObject({ tokenId: 'session', usedTs: state.nowTs - 1000 });
  });

  it('removes what is older than the settings say, two days of it at a time', async () => {
    const { state, log } = start();
    await log.flush();
    await log.flush();
    expect(state.deleted).toEqual([[state.nowTs - 100 * DAY_MS, 2 * DAY_MS]]);
  });
});
