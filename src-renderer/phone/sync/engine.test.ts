import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src-server/durations.ts';
import {
  type ClaimedClock,
  type PhoneClock as JudgedClock,
  judgeClock,
} from '../../../src-server/study/phone-clock.ts';
import { PhoneClock } from '../clock/phone-clock.ts';
import type { Connection } from '../model.ts';
import { deleteDatabase, openDatabase } from '../store/database.ts';
import type { OutboxRecord } from '../store/records.ts';
import { PhoneStore } from '../store/store.ts';
import { FakeSite, type Fault } from '../testing/fake-site.ts';
import { SyncEngine } from './engine.ts';

const SESSION = {
  siteId: 'site-1',
  siteName: 'Harbour',
  studyId: 'study-1',
  subjectId: 'subject-1',
  credentialId: 'c1',
  token: 'token',
};

/** A phone that can be killed and started again; its true time passes by hand. */
class Phone {
  trueMs = Date.UTC(2026, 0, 20);
  aheadMs = 0;
  site = new FakeSite();
  store!: PhoneStore;
  clock!: PhoneClock;
  engine!: SyncEngine;
  connections: Connection[] = [];
  wiped: string[] = [];
  /** What the subject did, with its true time. */
  done = new Map<string, number>();

  static async start(): Promise<Phone> {
    const phone = new Phone();
    phone.site.now = () => phone.trueMs;
    await phone.open();
    await phone.store.setState({ session: SESSION });
    return phone;
  }

  async open(): Promise<void> {
    this.store = new PhoneStore(await openDatabase(), (kept, used) => {
      if (kept) this.clock.merge(kept);
      return this.clock.kept(used);
    });
    const startedMs = this.trueMs;
    this.clock = new PhoneClock(
      {
        wallMs: () => this.trueMs + this.aheadMs,
        monotonicMs: () => this.trueMs - startedMs,
        newId: () => crypto.randomUUID(),
      },
      await this.store.state('clock'),
    );
    await this.store.keepClock();
    this.engine = new SyncEngine({
      store: this.store,
      clock: this.clock,
      calls: this.site.client,
      alone: async (work) => {
        await work();
        return true;
      },
      onStored: async () => undefined,
      onConnection: (connection) => this.connections.push(connection),
      onWipe: async (reason) => void this.wiped.push(reason),
      random: () => 0,
    });
  }

  async kill(): Promise<void> {
    this.engine.close();
    this.store.close();
    await this.open();
  }

  async complete(): Promise<string> {
    const id = crypto.randomUUID();
    const stamp = this.clock.stamp();
    const record: OutboxRecord = {
      kind: 'REPORT',
      id,
      title: 'Walk',
      created: stamp,
      report: {
        taskId: 'walk',
        date: '2026-01-20',
        opened: stamp,
        started: stamp,
        stopped: stamp,
        completed: stamp,
        answers: [{ questionId: 'q', value: '1' }],
        marks: [],
      },
    };
    await this.store.queue([record]);
    this.done.set(id, this.trueMs);
    return id;
  }

  async waiting(): Promise<OutboxRecord[]> {
    return (await this.store.contents()).outbox;
  }

  get last(): Connection | undefined {
    return this.connections.at(-1);
  }
}

/** What the site makes of a stored report, by its own readings up to then. */
async function judged(id: string): Promise<JudgedClock> {
  const { site } = phone;
  const { clock, openedTs, startTs, stopTs, completedTs } = site.stored.find((report) => report.id === id)!;
  const readings = site.readings.slice(0, site.readingsAt.get(id));
  return await judgeClock(
    clock as ClaimedClock,
    [openedTs, startTs, stopTs, completedTs],
    {
      presentMs: readings.at(-1),
      hadNear: async (offsetMs, toleranceMs) => readings.some((one) => Math.abs(one - offsetMs) <= toleranceMs),
    },
    { fromMs: phone.trueMs - 30 * DAY_MS, nowMs: phone.trueMs },
  );
}

let phone: Phone;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // fake-indexeddb runs its transactions by setImmediate, which stays real.
  phone = await Phone.start();
});
afterEach(async () => {
  phone.engine.close();
  phone.store.close();
  await deleteDatabase();
  vi.useRealTimers();
});

describe('a round', () => {
  it('sends everything once, measures the clock and fetches what the site has', async () => {
    phone.aheadMs = 3 * HOUR_MS;
    await phone.kill();
    for (let index = 0; index < 3; index++) {
      await phone.complete();
      phone.trueMs += MINUTE_MS;
    }
    await phone.engine.now();
    expect(await phone.waiting()).toEqual([]);
    expect(phone.last?.state).toBe('ONLINE');
    for (const { id, startTs, clock } of phone.site.stored) {
      expect(startTs + clock.offsetMs).toBe(phone.done.get(id));
      expect(clock.state).toBe('MEASURED');
    }
    expect((await phone.store.contents()).state.study?.studyName).toBe('Heart');
    expect((await phone.store.contents()).state.lastContactTs).toBe(phone.trueMs);
  });

  it('sends more than one call may hold', async () => {
    for (let index = 0; index < 450; index++) await phone.complete();
    await phone.engine.now();
    expect(phone.site.reports.size).toBe(450);
    expect(await phone.waiting()).toEqual([]);
  });

  it('keeps what is refused for later, and sets aside what is refused permanently', async () => {
    const [later, never, good] = [await phone.complete(), await phone.complete(), await phone.complete()];
    const { sync } = phone.site.client;
    phone.site.client.sync = async (token, body) => {
      const answer = await sync(token, body);
      const outcome = (id: string, permanent: boolean) => ({
        id,
        state: 'REFUSED' as const,
        code: 'STUDY_STATE',
        message: 'No.',
        permanent,
      });
      return {
        ...answer,
        reports: answer.reports.map((one) =>
          one.id === later ? outcome(later, false) : one.id === never ? outcome(never, true) : one,
        ),
      };
    };
    await phone.engine.now();
    const left = await phone.waiting();
    expect(left.map(({ id, refused }) => [id, refused?.code])).toEqual([
      [later, undefined],
      [never, 'STUDY_STATE'],
    ]);
    expect(phone.site.arrivals.get(good)).toBe(1);
    phone.site.client.sync = sync;
    await phone.engine.now();
    expect((await phone.waiting()).map(({ id }) => id)).toEqual([never]);
    expect(phone.site.arrivals.get(never)).toBe(1);
    await phone.store.removeRefused(never);
    expect(await phone.waiting()).toEqual([]);
  });

  it('finds the one item that breaks the whole call, and delivers the others', async () => {
    const ids = [await phone.complete(), await phone.complete(), await phone.complete()];
    const { sync } = phone.site.client;
    phone.site.client.sync = async (token, body) => {
      if (body.includes(ids[1]!)) throw Object.assign(new Error('bad'), { status: 400, code: 'INVALID_INPUT' });
      return await sync(token, body);
    };
    await phone.engine.now();
    expect([...phone.site.reports.keys()].sort()).toEqual([ids[0], ids[2]].sort());
    expect(await phone.waiting()).toMatchObject([{ id: ids[1], refused: { code: 'INVALID_INPUT' } }]);
    expect(phone.last?.state).toBe('ONLINE');
  });

  it('tries again at once when it was asked during a round that failed', async () => {
    await phone.complete();
    phone.site.nextFault = () => {
      // The network returns while the call is on its way.
      void phone.engine.now();
      phone.site.nextFault = () => 'NONE';
      return 'BEFORE';
    };
    await phone.engine.now();
    expect(await phone.waiting()).toEqual([]);
    expect(phone.last?.state).toBe('ONLINE');
  });

  it('waits as long as the site asks, and longer and longer while it is away', async () => {
    const id = await phone.complete();
    phone.site.nextFault = () => ({ status: 429, code: 'THROTTLED', retryAfterSeconds: 120 });
    await phone.engine.now();
    const { calls } = phone.site;
    phone.trueMs += MINUTE_MS;
    await phone.engine.now();
    expect(phone.site.calls).toBe(calls);
    phone.trueMs += 2 * MINUTE_MS;
    phone.site.nextFault = () => 'BEFORE';
    const waits: number[] = [];
    for (let attempt = 0; attempt < 14; attempt++) {
      await phone.engine.now();
      const { nextTryTs = 0 } = phone.last as { nextTryTs?: number };
      waits.push(nextTryTs - phone.trueMs);
    }
    expect(phone.last?.state).toBe('OFFLINE');
    expect(waits.every((wait, index) => index === 0 || wait >= waits[index - 1]!)).toBe(true);
    expect(waits.at(-1)).toBe(5 * MINUTE_MS);
    phone.trueMs += DAY_MS;
    phone.site.nextFault = () => 'NONE';
    await phone.engine.now();
    expect(phone.site.stored.map((report) => report.id)).toEqual([id]);
  });

  it.each([
    // A site that gives no reason is an older one.
    ['DEVICE_REVOKED', 401, ['REVOKED'], 'SENDING'],
    ['DEVICE_REVOKED', 401, ['REVOKED'], 'SENDING', 'REVOKED'],
    ['DEVICE_REVOKED', 401, ['SIGNED_OUT'], 'SENDING', 'SIGNED_OUT'],
    ['DEVICE_REVOKED', 401, ['SIGNED_IN_AGAIN'], 'SENDING', 'SIGNED_IN_AGAIN'],
    ['SUBJECT_ERASED', 403, ['SUBJECT_ERASED'], 'SENDING'],
    ['FORBIDDEN', 403, [], 'REFUSED'],
    ['UNAUTHORIZED', 401, [], 'REFUSED'],
    ['DEVICE_WRONG_SITE', 401, [], 'REFUSED'],
    ['INTERNAL', 500, [], 'OFFLINE'],
  ] as const)('%s %i wipes as %j, shows %s', async (code, status, wiped, state, reason = undefined) => {
    await phone.complete();
    phone.site.nextFault = () => ({ status, code, reason });
    await phone.engine.now();
    expect(phone.wiped).toEqual(wiped);
    expect(phone.last?.state).toBe(state);
    expect(await phone.waiting()).toHaveLength(1);
  });

  it('does not wipe for a credential that another page has replaced', async () => {
    phone.site.nextFault = () => ({ status: 401, code: 'DEVICE_REVOKED' });
    const { sync } = phone.site.client;
    phone.site.client.sync = async (...call) => {
      await phone.store.setState({ session: { ...SESSION, credentialId: 'c2' } });
      return await sync(...call);
    };
    await phone.engine.now();
    expect(phone.wiped).toEqual([]);
  });
});

it('delivers each answer exactly once with its true time, however the network, the page and the clock fail', async () => {
  const fault: fc.Arbitrary<Fault> = fc.constantFrom('NONE' as const, 'BEFORE' as const, 'AFTER' as const);
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('complete' as const) },
    { weight: 4, arbitrary: fc.constant('sync' as const) },
    { weight: 1, arbitrary: fc.constant('kill' as const) },
    { weight: 2, arbitrary: fc.nat({ max: 40 }).map((turns) => ({ killAfterTurns: turns })) },
    { weight: 1, arbitrary: fc.integer({ min: -4, max: 4 }).map((hours) => ({ setByMs: hours * HOUR_MS })) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 50, maxLength: 60 }),
      fc.infiniteStream(fault),
      async (steps, faults) => {
        phone.engine.close();
        phone.store.close();
        await deleteDatabase();
        phone = await Phone.start();
        phone.site.nextFault = () => faults.next().value ?? 'NONE';
        for (const what of steps) {
          phone.trueMs += MINUTE_MS;
          if (what === 'complete') await phone.complete();
          else if (what === 'sync') await phone.engine.now();
          else if (what === 'kill') await phone.kill();
          else if ('killAfterTurns' in what) {
            // Somewhere in the middle of a round.
            void phone.engine.now();
            for (let turn = 0; turn < what.killAfterTurns; turn++) await new Promise(setImmediate);
            await phone.kill();
          } else {
            phone.aheadMs += what.setByMs;
            phone.clock.look();
          }
        }
        phone.site.nextFault = () => 'NONE';
        await phone.engine.now();
        await phone.engine.now();
        expect(await phone.waiting()).toEqual([]);
        expect([...phone.site.reports.keys()].sort()).toEqual([...phone.done.keys()].sort());
        for (const { id, startTs, clock } of phone.site.stored) {
          const errorMs = Math.abs(startTs + clock.offsetMs - phone.done.get(id)!);
          expect(errorMs).toBeLessThanOrEqual(Math.max(1000, clock.uncertaintyMs));
          const used = await judged(id);
          const usedErrorMs = Math.abs(startTs + used.offsetMs - phone.done.get(id)!);
          expect(usedErrorMs).toBeLessThanOrEqual(Math.max(1000, used.uncertaintyMs));
          // The site never contradicts what this phone knows, and is never certain of what is wrong.
          expect(used.state).toBe(clock.state);
          if (used.state === 'MEASURED') expect(usedErrorMs).toBeLessThanOrEqual(1000);
        }
      },
    ),
    { seed: 16, numRuns: 25 },
  );
});

it('has its times used by the site where the clock was set twice between two contacts', async () => {
  await phone.engine.now();
  phone.trueMs += HOUR_MS;
  phone.aheadMs = 3 * HOUR_MS;
  const between = await phone.complete();
  phone.trueMs += HOUR_MS;
  phone.aheadMs = 2 * HOUR_MS;
  const after = await phone.complete();
  await phone.engine.now();
  const { startTs } = phone.site.stored.find(({ id }) => id === between)!;
  const used = await judged(between);
  expect(startTs + used.offsetMs).toBe(phone.done.get(between));
  expect(used.state).toBe('CHANGED');
  expect(used.uncertaintyMs).toBeLessThan(1000);
  expect((await judged(after)).state).toBe('MEASURED');
});

it('has its times used by the site where the clock was corrected before the first contact', async () => {
  phone.aheadMs = 3 * HOUR_MS;
  await phone.kill();
  const wrong = await phone.complete();
  phone.trueMs += HOUR_MS;
  phone.aheadMs = 0;
  phone.clock.look();
  await phone.engine.now();
  const used = await judged(wrong);
  expect(phone.site.stored[0]!.startTs + used.offsetMs).toBe(phone.done.get(wrong));
  expect(used.state).toBe('CHANGED');
});

it('knows after a killed page that the clock was set before', async () => {
  phone.aheadMs = 3 * HOUR_MS;
  await phone.kill();
  await phone.engine.now();
  phone.aheadMs = -2 * HOUR_MS;
  await phone.complete();
  // The page dies once the answer has left, before the round has ended.
  phone.site.client.program = () => new Promise(() => undefined);
  void phone.engine.now();
  await vi.waitFor(() => expect(phone.site.reports.size).toBe(1));
  await vi.waitFor(async () => expect(await phone.waiting()).toEqual([]));
  phone.trueMs += DAY_MS;
  await phone.kill();
  const id = await phone.complete();
  phone.trueMs += HOUR_MS;
  phone.aheadMs = HOUR_MS;
  phone.clock.look();
  await phone.store.keepClock();
  await phone.kill();
  phone.site.client.program = new FakeSite().client.program;
  await phone.engine.now();
  const report = phone.site.stored.find((stored) => stored.id === id)!;
  expect(report.clock.state).toBe('MEASURED');
  expect(report.completedTs + report.clock.offsetMs).toBe(phone.done.get(id));
});

it('brings nothing back that was wiped while a round was on its way', async () => {
  let answer: () => void = () => undefined;
  const { program } = phone.site.client;
  phone.site.client.program = async (token) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return await program(token);
  };
  await phone.complete();
  const round = phone.engine.now();
  await vi.waitFor(async () => expect(await phone.waiting()).toEqual([]));
  await phone.store.wipe();
  answer();
  await round;
  await expect(phone.complete()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { state, days, tasks, messages, sensors, outbox, drafts } = await phone.store.contents();
  expect([days, tasks, messages, sensors, outbox, drafts].flat()).toEqual([]);
  expect(Object.keys(state)).toEqual(['clock']);
});

it('stores a batch that arrives five times once', async () => {
  const id = await phone.complete();
  let left = 4;
  phone.site.nextFault = (call) => (call === 'sync' && phone.clock.isMeasured && left-- > 0 ? 'AFTER' : 'NONE');
  for (let attempt = 0; attempt < 6; attempt++) await phone.engine.now();
  expect(phone.site.arrivals.get(id)).toBe(5);
  expect(phone.site.reports.size).toBe(1);
  expect(await phone.waiting()).toEqual([]);
});
