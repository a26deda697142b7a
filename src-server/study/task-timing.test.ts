import { describe, expect, it } from 'vitest';
import type { DayClock } from './day-windows.ts';
import { fixedZone } from './day-windows.ts';
import { taskTiming, windowOn } from './task-timing.ts';

const window = { start: '08:00', end: '09:59' };
const task = (of = window) => ({ taskId: 't', type: 'diary' as const, days: 'daily' as const, window: of });
const history = (of = window, fromTs = 0) => [{ fromTs, program: { id: 'p', days: 30, tasks: [task(of)] } }];
const timing = (iso: string, clock: DayClock = fixedZone('Europe/Berlin'), of = history()) =>
  taskTiming({ taskId: 't', startTs: Date.parse(iso) }, of, clock);

describe('the timing of a task', () => {
  it('is early, in the window to its last minute, or late', () => {
    expect(timing('2026-01-13T07:59:59.999+01:00')).toBe('EARLY');
    expect(timing('2026-01-13T08:00:00+01:00')).toBe('IN_WINDOW');
    expect(timing('2026-01-13T09:59:59.999+01:00')).toBe('IN_WINDOW');
    expect(timing('2026-01-13T10:00:00+01:00')).toBe('LATE');
  });

  it('goes by the local date around midnight', () => {
    expect(timing('2026-01-13T23:59:59+01:00')).toBe('LATE');
    expect(timing('2026-01-14T00:00:00+01:00')).toBe('EARLY');
  });

  it('follows a change of daylight saving time, where the window is shorter or longer', () => {
    const night = { start: '01:30', end: '03:29' };
    const [spring, autumn] = ['2026-03-29', '2026-10-25'].map((date) => windowOn(date, night, 'Europe/Berlin'));
    const minutes = (one: typeof spring) => ((one?.stopMs ?? 0) - (one?.startMs ?? 0)) / 60_000;
    expect([minutes(spring), minutes(autumn)]).toEqual([60, 180]);
    expect(timing('2026-03-29T01:45:00+01:00', undefined, history(night))).toBe('IN_WINDOW');
    expect(timing('2026-03-29T03:30:00+02:00', undefined, history(night))).toBe('LATE');
    expect(timing('2026-10-25T02:59:00+01:00', undefined, history(night))).toBe('IN_WINDOW');
  });

  it("goes by the zone that the subject was in then, not by today's", () => {
    const travelled = [
      { fromTs: 0, timezone: 'Europe/Berlin' },
      { fromTs: Date.parse('2026-01-14T00:00:00Z'), timezone: 'Asia/Tokyo' },
    ];
    expect(timing('2026-01-13T08:30:00+01:00', travelled)).toBe('IN_WINDOW');
    expect(timing('2026-01-15T08:30:00+09:00', travelled)).toBe('IN_WINDOW');
    expect(timing('2026-01-15T08:30:00+01:00', travelled)).toBe('LATE');
  });

  it('goes by the window that was in force on that day, and is absent without one', () => {
    const [first] = history();
    const changed = [first!, ...history({ start: '20:00', end: '21:00' }, Date.parse('2026-01-15T12:00:00Z'))];
    expect(timing('2026-01-14T08:30:00+01:00', undefined, changed)).toBe('IN_WINDOW');
    expect(timing('2026-01-15T08:30:00+01:00', undefined, changed)).toBe('EARLY');
    expect(taskTiming({ taskId: 'other', startTs: 0 }, history(), fixedZone('UTC'))).toBeUndefined();
    expect(timing('2026-01-14T08:30:00Z', undefined, [{ fromTs: 0, program: null }] as never)).toBeUndefined();
  });
});
