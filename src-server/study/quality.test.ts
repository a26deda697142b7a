import { describe, expect, it } from 'vitest';
import { DEFAULT_QUALITY_TARGETS as TARGETS } from '../vocabulary/quality.ts';
import { addDays, fixedZone } from './day-windows.ts';
import {
  expectedSpan,
  meetsValidDays,
  type QualityDay,
  subjectQuality,
  sumOf,
  validDaysNeeded,
  weekOf,
} from './quality.ts';

const TOKYO = fixedZone('Asia/Tokyo');
const at = (text: string) => Date.parse(text);
const PROGRAM = { id: 'p', days: 14, tasks: [] };
const day = (date: string, hours?: number, more: Partial<QualityDay> = {}): QualityDay => ({
  ...{ date, tasksAssigned: 0, tasksCompleted: 0 },
  ...(hours !== undefined && { wearSeconds: hours * 3600 }),
  ...more,
});

describe('the days on which data is expected', () => {
  const input = { programStartTs: at('2026-03-01T20:00Z'), firstDataDate: undefined, program: null, clock: TOKYO };

  it('are those from the local start of the program to the last that is over', () => {
    expect(expectedSpan({ ...input, lastTs: at('2026-03-05T14:59Z') })).toEqual({
      fromDate: '2026-03-02',
      toDate: '2026-03-04',
    });
    expect(expectedSpan({ ...input, lastTs: at('2026-03-05T15:00Z') })?.toDate).toBe('2026-03-05');
    expect(expectedSpan({ ...input, lastTs: at('2026-03-02T12:00Z') })).toBeUndefined();
  });

  it('end with the program, and begin with the first data where none has started', () => {
    const lastTs = at('2026-05-01T00:00Z');
    expect(expectedSpan({ ...input, program: PROGRAM, lastTs })?.toDate).toBe('2026-03-15');
    const unstarted = { ...input, programStartTs: undefined, program: PROGRAM, lastTs };
    expect(expectedSpan({ ...unstarted, firstDataDate: '2026-03-20' })).toEqual({
      fromDate: '2026-03-20',
      toDate: '2026-04-30',
    });
    expect(expectedSpan(unstarted)).toBeUndefined();
  });
});

describe('valid days', () => {
  it('are asked for in proportion, rounded up', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 9].map((days) => validDaysNeeded(4, days))).toEqual([1, 2, 2, 3, 3, 4, 4, 4]);
    const week = { ...sumOf([]), expectedDays: 4, validDays: 2 };
    expect(meetsValidDays(week, TARGETS)).toBe(false);
    expect(meetsValidDays({ ...week, validDays: 3 }, TARGETS)).toBe(true);
    expect(meetsValidDays(week, { ...TARGETS, validDays: null })).toBeNull();
  });

  it('have exactly the wear of the target or more', () => {
    const expected = { fromDate: '2026-03-02', toDate: '2026-03-04' };
    const days = [day('2026-03-02', 10), day('2026-03-03', 9.999), day('2026-03-04', 0)];
    const found = subjectQuality(expected, {}, days, TARGETS, '2026-03-03', true)!;
    expect(found).toMatchObject({ expectedDays: 3, dataDays: 2, validDays: 1 });
  });
});

describe('the weeks of a subject', () => {
  it('begin on Monday and hold every expected day once, also those without data', () => {
    expect(['2026-03-01', '2026-03-02', '2026-03-08'].map(weekOf)).toEqual(['2026-02-23', '2026-03-02', '2026-03-02']);
    const expected = { fromDate: '2026-02-27', toDate: '2026-03-10' };
    const found = subjectQuality(expected, {}, [day('2026-03-01', 12)], TARGETS, '2026-03-01', true)!;
    expect(found.weeks.map(({ week, expectedDays, validDays }) => [week, expectedDays, validDays])).toEqual([
      ['2026-02-23', 3, 1],
      ['2026-03-02', 7, 0],
      ['2026-03-09', 2, 0],
    ]);
    expect(found.recent).toMatchObject({ fromDate: '2026-03-04', toDate: '2026-03-10', expectedDays: 7 });
  });
});

describe('who is at risk', () => {
  const expected = { fromDate: '2026-03-01', toDate: '2026-03-20' };
  const days = Array.from({ length: 20 }, (_, i) =>
    day(addDays(expected.fromDate, i), i < 17 ? 20 : undefined, {
      ...{ signalSeconds: i < 17 ? 1000 : undefined, readableSeconds: i < 17 ? 749 : undefined },
      ...{ tasksAssigned: 2, tasksCompleted: 1 },
    }),
  );
  const reasons = (toDate: string, last: string | undefined, isFollowed = true, targets = TARGETS) =>
    subjectQuality({ ...expected, toDate }, {}, days, targets, last, isFollowed)!.reasons;

  it('follows from the last seven days, with values beside targets', () => {
    expect(reasons('2026-03-20', '2026-03-17')).toEqual([
      { code: 'NO_DATA', date: '2026-03-17' },
      { code: 'READABLE', value: 74.9, target: 75, days: 7 },
      { code: 'TASKS', value: 50, target: 80, days: 7 },
    ]);
    // A single day without data is none yet.
    expect(reasons('2026-03-18', '2026-03-17').map(({ code }) => code)).toEqual(['READABLE', 'TASKS']);
    expect(reasons('2026-03-20', undefined)[0]).toEqual({ code: 'NO_DATA' });
  });

  it('is nobody before three days, without targets, and of whom nothing can be done any more', () => {
    expect(reasons('2026-03-02', undefined)).toEqual([]);
    expect(reasons('2026-03-20', '2026-03-17', false)).toEqual([]);
    const none = { wearHours: 10, validDays: null, readablePercent: null, taskPercent: null };
    expect(reasons('2026-03-20', '2026-03-20', true, none)).toEqual([]);
  });
});
