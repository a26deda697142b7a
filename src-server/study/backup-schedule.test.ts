import { describe, expect, it } from 'vitest';
import { backupsToKeep, dueTimes } from './backup-schedule.ts';

const iso = (ts: number) => new Date(ts).toISOString();

describe('a scheduled backup', () => {
  const due = (nowIso: string, timeZone: string, timeOfDay = '02:00') => {
    const { lastTs, nextTs } = dueTimes({ timeOfDay }, timeZone, Date.parse(nowIso));
    return [iso(lastTs), iso(nextTs)];
  };

  it('is due once each local day, at the local time', () => {
    expect(due('2026-01-15T12:00:00Z', 'Asia/Tokyo')).toEqual(['2026-01-14T17:00:00.000Z', '2026-01-15T17:00:00.000Z']);
    expect(due('2026-01-15T17:00:00Z', 'Asia/Tokyo')).toEqual(['2026-01-15T17:00:00.000Z', '2026-01-16T17:00:00.000Z']);
    expect(due('2026-01-15T12:00:00Z', 'UTC', '23:59')).toEqual([
      '2026-01-14T23:59:00.000Z',
      '2026-01-15T23:59:00.000Z',
    ]);
  });

  it('is due at the clock change that skips its time, and once when its time repeats', () => {
    // US: 02:00 EST becomes 03:00 EDT on 8 March 2026; 02:00 EDT becomes 01:00 EST on 1 November.
    expect(due('2026-03-08T12:00:00Z', 'US/Eastern', '02:30')).toEqual([
      '2026-03-08T07:00:00.000Z',
      '2026-03-09T06:30:00.000Z',
    ]);
    expect(due('2026-11-01T05:45:00Z', 'US/Eastern', '01:30')).toEqual([
      '2026-11-01T05:30:00.000Z',
      '2026-11-02T06:30:00.000Z',
    ]);
  });
});

describe('backup retention', () => {
  const DAY_MS = 24 * 3_600_000;
  /** Daily at 02:00 UTC, the last on Saturday 2026-01-31; ids count days back. */
  const daily = Array.from({ length: 60 }, (_, back) => ({
    id: String(back),
    createdTs: Date.UTC(2026, 0, 31, 2) - back * DAY_MS,
  }));
  const NOW = daily[0]!.createdTs + 4 * 3_600_000;
  const kept = (backups: typeof daily, keepDaily: number, keepWeekly: number) =>
    [...backupsToKeep(backups, { keepDaily, keepWeekly }, 'UTC', NOW)].map(Number).sort((a, b) => a - b);

  it('keeps the newest backup of each of the last days and weeks', () => {
    // Sundays end the weeks before: 6, 13 and 20 days back.
    expect(kept(daily, 7, 4)).toEqual([0, 1, 2, 3, 4, 5, 6, 13, 20]);
    expect(kept(daily, 1, 0)).toEqual([0]);
    expect(kept(daily.slice(0, 3), 7, 4)).toEqual([0, 1, 2]);
  });

  it('counts several backups of one day as one day and ignores days without any', () => {
    const twice = [{ id: '900', createdTs: daily[0]!.createdTs + 3_600_000 }, ...daily.slice(0, 2)];
    expect(kept(twice, 7, 0)).toEqual([1, 900]);
    expect(kept([daily[0]!, daily[30]!, daily[50]!], 2, 0)).toEqual([0, 30]);
  });

  it.each([365, -365])('keeps the backups of correct days after the clock was %i days off', (offBy) => {
    const YEAR_OFF = offBy * DAY_MS;
    // Backups 3 and 4 days back were made while the clock was wrong.
    const wrong = daily.map((backup, back) =>
      back === 3 || back === 4 ? { ...backup, createdTs: backup.createdTs + YEAR_OFF } : backup,
    );
    expect(kept(wrong, 7, 0)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    // The first backup after the clock was corrected: those with wrong times are not newer.
    const justRight = daily.map((backup, back) =>
      back > 0 && back < 4 ? { ...backup, createdTs: backup.createdTs + YEAR_OFF } : backup,
    );
    expect(kept(justRight, 2, 0)).toEqual([0, 1, 4]);
    expect(kept(justRight, 1, 0)).toEqual([0]);
  });
});
