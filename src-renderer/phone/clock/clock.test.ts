import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src-server/durations.ts';
import { offsetOf } from '../../../src-server/phone-protocol/clock-offset.ts';
import type { Stamp } from './epochs.ts';
import { type KeptClock, PhoneClock } from './phone-clock.ts';

/** 2026-03-29 00:30 UTC: half an hour before summer time begins in Europe. */
const START = Date.UTC(2026, 2, 29, 0, 30);

/** A phone in a world whose true time is the site's. */
class World {
  trueMs = START;
  /** Phone minus site. */
  aheadMs: number;
  #monotonicLostMs = 0;
  #openedMs = START;
  #kept: KeptClock | undefined;
  #ids = 0;
  clock: PhoneClock;

  constructor(aheadMs: number) {
    this.aheadMs = aheadMs;
    this.clock = this.#open();
  }

  #open(): PhoneClock {
    this.#openedMs = this.trueMs;
    this.#monotonicLostMs = 0;
    return new PhoneClock(
      {
        wallMs: () => this.trueMs + this.aheadMs,
        monotonicMs: () => this.trueMs - this.#openedMs - this.#monotonicLostMs,
        newId: () => `e${++this.#ids}`,
      },
      this.#kept,
    );
  }

  pass(ms: number): void {
    this.trueMs += ms;
    this.clock.look();
  }

  set(byMs: number): void {
    this.aheadMs += byMs;
    this.clock.look();
  }

  sleep(ms: number): void {
    this.hide(ms, 0);
  }

  /** Hidden for half a minute awake, asleep besides, and set meanwhile. */
  hide(sleepMs: number, setByMs: number): void {
    this.clock.hide();
    this.trueMs += sleepMs + 30_000;
    this.#monotonicLostMs += sleepMs;
    this.aheadMs += setByMs;
    this.clock.show();
  }

  close(ms: number, setByMs = 0): void {
    this.#kept = JSON.parse(JSON.stringify(this.clock.kept())) as KeptClock;
    this.trueMs += ms;
    this.aheadMs += setByMs;
    this.clock = this.#open();
  }

  contact(wayMs = 20): void {
    const began = this.clock.stamp();
    const receivedTs = this.trueMs + wayMs;
    const sample = offsetOf({
      sentMs: began.wallMs,
      receivedTs,
      serverTs: receivedTs + 5,
      arrivedMs: began.wallMs + 2 * wayMs + 5,
    })!;
    this.trueMs += 2 * wayMs + 5;
    this.clock.measured(sample, began);
  }

  event(): { stamp: Stamp; trueMs: number } {
    return { stamp: this.clock.stamp(), trueMs: this.trueMs };
  }
}

type Story = (world: World, note: () => void) => void;

/** Each story ends with a contact; then every noted event has its true time. */
const EXACT: [name: string, aheadMs: number, story: Story][] = [
  ['right all the time', 0, (_, note) => note()],
  [
    'three hours wrong from the start, offline first',
    3 * HOUR_MS,
    (world, note) => {
      note();
      world.pass(DAY_MS);
      note();
    },
  ],
  [
    'set forwards in the middle of a survey',
    0,
    (world, note) => {
      world.contact();
      note();
      world.pass(MINUTE_MS);
      world.set(3 * HOUR_MS);
      world.pass(MINUTE_MS);
      note();
    },
  ],
  [
    'set backwards in the middle, never measured before',
    2 * HOUR_MS,
    (world, note) => {
      note();
      world.pass(MINUTE_MS);
      world.set(-5 * HOUR_MS);
      note();
      world.pass(MINUTE_MS);
      world.set(HOUR_MS);
      note();
    },
  ],
  [
    'set forwards while closed, after an event of an earlier contact',
    0,
    (world, note) => {
      world.contact();
      note();
      world.close(HOUR_MS, 3 * HOUR_MS);
      note();
    },
  ],
  [
    'set backwards while closed',
    0,
    (world, note) => {
      world.contact();
      note();
      world.close(HOUR_MS, -6 * HOUR_MS);
      note();
      world.pass(DAY_MS);
      note();
    },
  ],
  [
    'asleep for a night between opening and answering',
    -3 * HOUR_MS,
    (world, note) => {
      world.contact();
      note();
      world.sleep(9 * HOUR_MS);
      note();
    },
  ],
  [
    'closed and reopened for a week with a wrong clock, no contact before the end',
    -40 * MINUTE_MS,
    (world, note) => {
      for (let day = 0; day < 7; day++) {
        note();
        world.close(DAY_MS);
      }
    },
  ],
  [
    'another zone and summer time: epoch time knows neither',
    0,
    (world, note) => {
      note();
      world.pass(HOUR_MS);
      note();
    },
  ],
];

describe('true times of events by a clock that was', () => {
  it.each(EXACT)('%s', (_, aheadMs, story) => {
    const world = new World(aheadMs);
    const events: ReturnType<World['event']>[] = [];
    story(world, () => events.push(world.event()));
    world.contact();
    expect(events.length).toBeGreaterThan(0);
    for (const { stamp, trueMs } of events) {
      const { state, uncertaintyMs } = world.clock.offsetAt(stamp);
      expect(state).toBe('MEASURED');
      const errorMs = Math.abs(world.clock.siteTime(stamp) - trueMs);
      // 100 ppm over a week is a minute.
      expect(errorMs).toBeLessThanOrEqual(Math.min(uncertaintyMs, 70_000));
      expect(errorMs).toBeLessThanOrEqual(25);
    }
  });

  it('set at an unknown time between two contacts gives an estimate that covers the truth', () => {
    const world = new World(0);
    world.contact();
    world.close(HOUR_MS);
    const event = world.event();
    world.close(HOUR_MS, 3 * HOUR_MS);
    world.contact();
    const { state, uncertaintyMs } = world.clock.offsetAt(event.stamp);
    expect(state).toBe('CHANGED');
    expect(Math.abs(world.clock.siteTime(event.stamp) - event.trueMs)).toBeLessThanOrEqual(uncertaintyMs);
  });

  it('never measured is unknown, and the time stays the phone’s', () => {
    const world = new World(3 * HOUR_MS);
    const { stamp } = world.event();
    expect(world.clock.offsetAt(stamp).state).toBe('UNKNOWN');
    expect(world.clock.siteTime(stamp)).toBe(stamp.wallMs);
    expect(world.clock.isMeasured).toBe(false);
  });

  it('set back while closed is known to have changed before the next contact', () => {
    const world = new World(0);
    world.contact();
    world.close(HOUR_MS, -4 * HOUR_MS);
    expect(world.clock.offsetAt(world.clock.stamp()).state).toBe('CHANGED');
  });
});

it('keeps durations over a jump: opened and completed by one clock', () => {
  const world = new World(0);
  const opened = world.event();
  world.pass(10 * MINUTE_MS);
  world.set(3 * HOUR_MS);
  const completed = world.event();
  world.contact();
  const openedByIt = world.clock.wallTimeIn(opened.stamp, completed.stamp.epoch);
  expect(completed.stamp.wallMs - openedByIt).toBe(10 * MINUTE_MS);
});

it('measures nothing over a jump', () => {
  const world = new World(0);
  const began = world.clock.stamp();
  world.set(HOUR_MS);
  world.clock.measured({ offsetMs: 0, uncertaintyMs: 1, atMs: began.wallMs }, began);
  expect(world.clock.isMeasured).toBe(false);
});

it('follows the slow corrections of network time without a new epoch', () => {
  const world = new World(0);
  const { epoch } = world.clock.stamp();
  for (let step = 0; step < 100; step++) {
    world.pass(MINUTE_MS);
    world.set(-300);
  }
  expect(world.clock.stamp().epoch).toBe(epoch);
});

it('keeps the epochs that queued events need, and not many more once the clock is measured', () => {
  const world = new World(0);
  world.contact();
  for (let night = 0; night < 200; night++) world.sleep(HOUR_MS);
  world.contact();
  expect(world.clock.kept().epochs.length).toBeGreaterThan(200);
  expect(world.clock.kept(new Set()).epochs.length).toBeLessThanOrEqual(60);
  const other = new World(HOUR_MS);
  const old = other.event();
  for (let night = 0; night < 200; night++) other.sleep(HOUR_MS);
  other.contact();
  const kept = other.clock.kept(new Set([old.stamp.epoch]));
  expect(kept.epochs.some(({ id }) => id === old.stamp.epoch)).toBe(true);
  expect(Math.abs(other.clock.siteTime(old.stamp) - old.trueMs)).toBeLessThan(25);
});

it('keeps the last measurement before weeks without a contact: it shows that the clock was set unseen', () => {
  const world = new World(0);
  world.contact();
  for (let night = 0; night < 100; night++) world.close(HOUR_MS);
  world.clock.kept(new Set());
  const event = world.event();
  for (let night = 0; night < 100; night++) world.close(HOUR_MS, night === 50 ? 3 * HOUR_MS : 0);
  world.clock.kept(new Set([event.stamp.epoch]));
  world.contact();
  const { state, uncertaintyMs } = world.clock.offsetAt(event.stamp);
  expect(state).toBe('CHANGED');
  expect(Math.abs(world.clock.siteTime(event.stamp) - event.trueMs)).toBeLessThanOrEqual(uncertaintyMs);
});

it('finds the offset of an event a thousand epochs away in one pass', () => {
  const world = new World(HOUR_MS);
  world.contact();
  world.close(HOUR_MS);
  const { stamp, trueMs } = world.event();
  for (let night = 0; night < 1500; night++) world.sleep(MINUTE_MS);
  world.contact();
  expect(world.clock.offsetAt(stamp).state).toBe('MEASURED');
  expect(world.clock.siteTime(stamp)).toBe(trueMs);
});

describe('a clock that was set while the page was hidden', () => {
  /** Events before and behind, and contacts around both: nothing of the change was seen. */
  function hidden(sleepMs: number, setByMs: number, story?: (world: World) => void) {
    const world = new World(0);
    world.contact();
    world.close(10 * MINUTE_MS);
    const before = world.event();
    story?.(world);
    world.hide(sleepMs, setByMs);
    const after = world.event();
    world.close(10 * MINUTE_MS);
    world.contact();
    return { world, before, after };
  }
  const errorOf = (world: World, { stamp, trueMs }: ReturnType<World['event']>) =>
    Math.abs(world.clock.siteTime(stamp) - trueMs);

  it.each([
    ['forward, in the settings', 0, 3 * HOUR_MS],
    ['forward by minutes, after a night', 0, 17 * MINUTE_MS],
  ])('%s, is recognised by the measurements on both sides', (_, sleepMs, setByMs) => {
    const { world, before, after } = hidden(sleepMs, setByMs, (w) => w.hide(9 * HOUR_MS, 0));
    for (const event of [before, after]) {
      expect(world.clock.offsetAt(event.stamp).state).toBe('MEASURED');
      expect(errorOf(world, event)).toBeLessThanOrEqual(25);
    }
  });

  it.each([
    ['forward and asleep', 2 * HOUR_MS, 3 * HOUR_MS],
    ['back by less than the sleep', 9 * HOUR_MS, -3 * HOUR_MS],
  ])('%s, is an estimate that covers the truth', (_, sleepMs, setByMs) => {
    const { world, before, after } = hidden(sleepMs, setByMs);
    for (const event of [before, after]) {
      const { state, uncertaintyMs } = world.clock.offsetAt(event.stamp);
      expect(state).toBe('CHANGED');
      expect(errorOf(world, event)).toBeLessThanOrEqual(uncertaintyMs);
    }
  });

  it('twice by the same amount, with a sleep as long, is no explanation', () => {
    const { world, before } = hidden(0, 3 * HOUR_MS, (w) => w.hide(3 * HOUR_MS, 0));
    // Before both of them it does not matter which one it was.
    expect(world.clock.offsetAt(before.stamp).state).toBe('MEASURED');
    expect(errorOf(world, before)).toBeLessThanOrEqual(25);
    const between = new World(0);
    between.contact();
    between.hide(3 * HOUR_MS, 0);
    const event = between.event();
    between.hide(0, 3 * HOUR_MS);
    between.contact();
    expect(between.clock.offsetAt(event.stamp).state).toBe('CHANGED');
  });

  it('back, with the measurements on both sides, is certain whatever the sleep', () => {
    for (const sleepMs of [0, 2 * HOUR_MS]) {
      const { world, before, after } = hidden(sleepMs, -5 * HOUR_MS);
      for (const event of [before, after]) {
        expect(world.clock.offsetAt(event.stamp).state).toBe('MEASURED');
        expect(errorOf(world, event)).toBeLessThanOrEqual(25);
      }
    }
  });

  it('back, never measured before, is estimated by the jump and never certain', () => {
    for (const sleepMs of [0, HOUR_MS]) {
      const world = new World(5 * HOUR_MS);
      const event = world.event();
      world.hide(sleepMs, -5 * HOUR_MS);
      world.contact();
      expect(world.clock.offsetAt(event.stamp).state).toBe('CHANGED');
      expect(errorOf(world, event)).toBeLessThanOrEqual(sleepMs + 25);
    }
  });

  it.each([
    ['set forward', 0, 3 * HOUR_MS],
    ['asleep', 3 * HOUR_MS, 0],
    ['set forward and asleep', 2 * HOUR_MS, HOUR_MS],
  ])('%s, never measured before, is an estimate that covers the truth', (_, sleepMs, setByMs) => {
    const world = new World(5 * HOUR_MS);
    const before = world.event();
    world.hide(sleepMs, setByMs);
    const after = world.event();
    world.contact();
    const { state, uncertaintyMs } = world.clock.claimAt(before.stamp);
    expect(state).toBe('CHANGED');
    expect(errorOf(world, before)).toBeLessThanOrEqual(uncertaintyMs);
    expect(uncertaintyMs).toBeLessThanOrEqual(3 * HOUR_MS + 2_000);
    expect(world.clock.offsetAt(after.stamp).state).toBe('MEASURED');
    expect(errorOf(world, after)).toBeLessThanOrEqual(25);
  });

  it.each([
    ['set forward', 0, 3 * HOUR_MS],
    ['asleep', 3 * HOUR_MS, 0],
  ])('%s, is an estimate until the next contact', (_, sleepMs, setByMs) => {
    const world = new World(0);
    world.contact();
    world.hide(sleepMs, setByMs);
    const event = world.event();
    const { state, uncertaintyMs } = world.clock.offsetAt(event.stamp);
    expect(state).toBe('CHANGED');
    expect(errorOf(world, event)).toBeLessThanOrEqual(uncertaintyMs);
    world.contact();
    expect(world.clock.offsetAt(event.stamp).state).toBe('MEASURED');
    expect(errorOf(world, event)).toBeLessThanOrEqual(25);
  });

  it('is no estimate where the monotonic clock ran on: the phone did not sleep and nobody set its clock', () => {
    const world = new World(HOUR_MS);
    const event = world.event();
    for (let hour = 0; hour < 9; hour++) world.hide(0, 0);
    world.contact();
    expect(world.clock.offsetAt(event.stamp).state).toBe('MEASURED');
  });

  it('measured twice behind the same jump is an estimate all the same', () => {
    const world = new World(0);
    const event = world.event();
    world.hide(0, 3 * HOUR_MS);
    world.contact();
    // Another page follows on the same epoch, as far as it knows.
    const kept = world.clock.kept();
    const stamp = world.clock.stamp();
    world.clock.merge({
      epochs: [
        {
          id: 'other',
          startedMs: stamp.wallMs,
          link: { after: stamp.epoch, kind: 'REOPENED' },
          samples: kept.epochs.at(-1)!.samples,
        },
      ],
    });
    expect(world.clock.offsetAt(event.stamp).state).toBe('CHANGED');
  });

  it('not at all: nights asleep leave every time certain', () => {
    const world = new World(-3 * HOUR_MS);
    world.contact();
    for (let night = 0; night < 5; night++) world.hide(9 * HOUR_MS, 0);
    const event = world.event();
    for (let night = 0; night < 5; night++) world.hide(9 * HOUR_MS, 0);
    world.contact();
    expect(world.clock.offsetAt(event.stamp).state).toBe('MEASURED');
    expect(errorOf(world, event)).toBeLessThanOrEqual(25);
  });
});

describe('what is claimed to the site', () => {
  it('is an estimate where the site measured no such offset, as exact as it is known', () => {
    const world = new World(0);
    world.contact();
    const measured = world.event();
    world.set(3 * HOUR_MS);
    const between = world.event();
    world.set(-HOUR_MS);
    world.contact();
    expect(world.clock.claimAt(measured.stamp).state).toBe('MEASURED');
    expect(world.clock.offsetAt(between.stamp).state).toBe('MEASURED');
    const claim = world.clock.claimAt(between.stamp);
    expect(claim).toMatchObject({ state: 'CHANGED', offsetMs: -3 * HOUR_MS });
    expect(claim.uncertaintyMs).toBeLessThan(100);
  });

  it('is never more certain than it is known', () => {
    const world = new World(HOUR_MS);
    expect(world.clock.claimAt(world.event().stamp).state).toBe('UNKNOWN');
  });
});

it('takes over what another page has measured', () => {
  const world = new World(3 * HOUR_MS);
  const event = world.event();
  const other = new PhoneClock(
    { wallMs: () => world.trueMs + world.aheadMs, monotonicMs: () => world.trueMs, newId: () => 'other' },
    world.clock.kept(),
  );
  const began = other.stamp();
  other.measured({ offsetMs: -3 * HOUR_MS, uncertaintyMs: 10, atMs: began.wallMs }, began);
  world.clock.merge(other.kept());
  expect(world.clock.siteTime(event.stamp)).toBe(event.trueMs);
});

it('loses no measurement to an older copy of its epochs', () => {
  const world = new World(3 * HOUR_MS);
  const stored = world.clock.kept();
  const event = world.event();
  world.contact();
  world.set(-5 * HOUR_MS);
  world.clock.merge(stored);
  expect(world.clock.siteTime(event.stamp)).toBe(event.trueMs);
  expect(world.clock.siteTime(world.event().stamp)).toBe(world.trueMs);
});
