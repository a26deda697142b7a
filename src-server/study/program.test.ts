import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { seededRandom } from '../testing/signal-fixtures.ts';
import { addDays, type DayClock, localDateAt } from './day-windows.ts';
import { adherenceOf, adherenceTotals, dueUntil, monthAndBit, type Program, type TaskMonth } from './program.ts';

const START_TS = Date.UTC(2024, 0, 30, 12);
const UTC: DayClock = [{ fromTs: 0, timezone: 'UTC' }];

function monthsOf(dates: readonly (readonly [taskId: string, date: string])[]): TaskMonth[] {
  const months = new Map<string, TaskMonth>();
  for (const [taskId, date] of dates) {
    const { month, bit } = monthAndBit(date);
    const key = `${taskId} ${month}`;
    months.set(key, { taskId, month, days: (months.get(key)?.days ?? 0) | bit });
  }
  return [...months.values()];
}

describe('months of tasks', () => {
  it.each([
    ['2024-01-01', '2024-01', 1],
    ['2024-02-29', '2024-02', 2 ** 28],
    ['2023-12-31', '2023-12', 2 ** 30],
  ])('%s', (date, month, bit) => {
    expect(monthAndBit(date)).toEqual({ month, bit });
  });

  it('complete the days that they hold, over the ends of months and years', () => {
    const program: Program = { id: 'p', days: 400, tasks: [{ taskId: 'diary', type: 'diary', days: 'daily' }] };
    const done = ['2024-01-29', '2024-01-31', '2024-02-29', '2024-03-01', '2024-12-31', '2025-01-01'];
    const months = monthsOf(done.map((date) => ['diary', date]));
    const days = adherenceOf([{ fromTs: 0, program }], START_TS, months, UTC, START_TS + 500 * DAY_MS);
    expect(days).toHaveLength(400);
    // The first is before the program.
    expect(days.filter(({ tasksCompleted }) => tasksCompleted === 1).map(({ date }) => date)).toEqual(done.slice(1));
  });
});

describe('a program that a withdrawal stops', () => {
  const program: Program = { id: 'p', days: 28, tasks: [{ taskId: 'diary', type: 'diary', days: 'daily' }] };
  const midnight = Date.UTC(2024, 1, 3);
  it.each([
    ['on the day itself', midnight - 14 * HOUR_MS],
    ['on a later day, with the midnight at which it ended', midnight],
  ])('has nothing due after that date, entered %s', (_, programStopTs) => {
    const untilTs = dueUntil({ programStopTs }, START_TS + 20 * DAY_MS);
    const history = [{ fromTs: 0, program }];
    expect(adherenceOf(history, START_TS, [], UTC, untilTs).map(({ date }) => date)).toEqual([
      '2024-01-30',
      '2024-01-31',
      '2024-02-01',
      '2024-02-02',
    ]);
    expect(adherenceTotals(history)(START_TS, [], UTC, untilTs)).toMatchObject({
      ...{ toDate: '2024-02-02', tasksAssigned: 4 },
    });
  });
});

const seed = Number(process.env.OUTPOST_SEED ?? Date.now() % 1_000_000);

it(`totals are the sums of the days, whatever the program, its versions and the zones (OUTPOST_SEED=${seed})`, () => {
  const random = seededRandom(seed);
  const below = (most: number) => Math.floor(random() * most);
  const zones = ['UTC', 'Asia/Tokyo', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Pacific/Niue'];
  let isCounted = 0;
  for (let round = 0; round < 400; round++) {
    const programOf = (): Program | null => {
      if (random() < 0.1) return null;
      const tasks = Array.from({ length: below(5) }, () => ({
        taskId: `task-${below(3)}`,
        type: 'activity' as const,
        days: random() < 0.4 ? ('daily' as const) : Array.from({ length: below(30) }, () => below(80)),
      }));
      return { id: 'p', days: 1 + below(80), tasks };
    };
    let fromTs = START_TS - 5 * DAY_MS;
    const history = Array.from({ length: 1 + below(4) }, (_, n) => {
      fromTs += below(20 * 24) * HOUR_MS;
      return { fromTs: n === 0 ? 0 : fromTs, program: programOf() };
    });
    let zoneFromTs = 0;
    const clock: DayClock = Array.from({ length: 1 + below(3) }, () => {
      const zone = { fromTs: zoneFromTs, timezone: zones[below(zones.length)] as string };
      zoneFromTs = START_TS + below(60 * 24) * HOUR_MS;
      return zone;
    }).sort((a, b) => a.fromTs - b.fromTs);
    const first = localDateAt(START_TS, clock);
    const done = monthsOf(
      Array.from({ length: below(150) }, () => [`task-${below(4)}`, addDays(first, below(90) - 5)] as const),
    );
    const nowTs = START_TS + (below(100 * 24) - 48) * HOUR_MS;
    const programStartTs = random() < 0.05 ? undefined : START_TS;
    const days = adherenceOf(history, programStartTs, done, clock, nowTs);
    const totals = adherenceTotals(history)(programStartTs, done, clock, nowTs);
    const [firstDay, lastDay] = [days[0], days.at(-1)];
    const context = `round ${round}, seed ${seed}`;
    if (!firstDay || !lastDay) expect(totals, context).toBeUndefined();
    else {
      const sum = (key: 'tasksAssigned' | 'tasksCompleted') => days.reduce((total, day) => total + day[key], 0);
      isCounted += sum('tasksCompleted');
      expect(totals, context).toEqual({
        fromDate: firstDay.date,
        toDate: lastDay.date,
        tasksAssigned: sum('tasksAssigned'),
        tasksCompleted: sum('tasksCompleted'),
      });
    }
  }
  expect(isCounted).toBeGreaterThan(1000);
});
