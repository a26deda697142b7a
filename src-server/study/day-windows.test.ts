import { describe, expect, it } from 'vitest';
import {
  addDays,
  dateExists,
  fixedZone,
  formatOffset,
  isCalendarDate,
  localDateAt,
  localDateIn,
  midnightWindow,
  midnightWindowsBetween,
  noonWindow,
  noonWindowsBetween,
  offsetMsAt,
} from './day-windows.ts';

const utc = (text: string) => Date.parse(`${text}Z`);
const span = ({ startMs, stopMs }: { startMs: number; stopMs: number }) =>
  [startMs, stopMs].map((ms) => new Date(ms).toISOString().slice(0, 16));

// Computed by hand from the published rules of each zone.
const DAYS: [
  zone: string,
  date: string,
  midnight: [string, string],
  hours: number,
  noonStart: string,
  noonStop: string,
][] = [
  ['Asia/Tokyo', '2026-03-02', ['2026-03-01T15:00', '2026-03-02T15:00'], 24, '2026-03-01T03:00', '2026-03-02T03:00'],
  [
    'America/New_York',
    '2026-03-08',
    ['2026-03-08T05:00', '2026-03-09T04:00'],
    23,
    '2026-03-07T17:00',
    '2026-03-08T16:00',
  ],
  ['US/Eastern', '2026-11-01', ['2026-11-01T04:00', '2026-11-02T05:00'], 25, '2026-10-31T16:00', '2026-11-01T17:00'],
  [
    'Australia/Lord_Howe',
    '2026-04-05',
    ['2026-04-04T13:00', '2026-04-05T13:30'],
    24.5,
    '2026-04-04T01:00',
    '2026-04-05T01:30',
  ],
  [
    'Australia/Lord_Howe',
    '2026-10-04',
    ['2026-10-03T13:30', '2026-10-04T13:00'],
    23.5,
    '2026-10-03T01:30',
    '2026-10-04T01:00',
  ],
  [
    'America/Sao_Paulo',
    '2018-11-04',
    ['2018-11-04T03:00', '2018-11-05T02:00'],
    23,
    '2018-11-03T15:00',
    '2018-11-04T14:00',
  ],
  ['Pacific/Apia', '2011-12-29', ['2011-12-29T10:00', '2011-12-30T10:00'], 24, '2011-12-28T22:00', '2011-12-29T22:00'],
  ['Pacific/Apia', '2011-12-31', ['2011-12-30T10:00', '2011-12-31T10:00'], 24, '2011-12-29T22:00', '2011-12-30T22:00'],
];

describe('windows of a day', () => {
  it.each(DAYS)('%s %s', (zone, date, midnight, hours, noonStart, noonStop) => {
    const window = midnightWindow(date, fixedZone(zone));
    expect(span(window)).toEqual(midnight);
    expect((window.stopMs - window.startMs) / 3_600_000).toBe(hours);
    expect(span(noonWindow(date, fixedZone(zone)))).toEqual([noonStart, noonStop]);
  });

  it('are empty for a day that the zone skipped', () => {
    const apia = fixedZone('Pacific/Apia');
    expect(dateExists('2011-12-30', apia)).toBe(false);
    const noon = noonWindow('2011-12-30', apia);
    expect(noon.stopMs).toBe(noon.startMs);
    const dates = midnightWindowsBetween(utc('2011-12-29T12:00'), utc('2011-12-31T12:00'), apia).map(
      ({ date }) => date,
    );
    expect(dates).toEqual(['2011-12-29', '2011-12-31', '2012-01-01']);
  });

  it('follow a traveller east, whose day is short', () => {
    const clock = [
      { fromTs: 0, timezone: 'America/New_York' },
      { fromTs: utc('2026-03-02T17:30'), timezone: 'Asia/Tokyo' },
    ];
    expect(span(midnightWindow('2026-03-02', clock))).toEqual(['2026-03-02T05:00', '2026-03-02T17:30']);
    expect(span(midnightWindow('2026-03-03', clock))).toEqual(['2026-03-02T17:30', '2026-03-03T15:00']);
    expect(span(noonWindow('2026-03-03', clock))).toEqual(['2026-03-02T17:00', '2026-03-03T03:00']);
    expect(localDateAt(utc('2026-03-02T17:29'), clock)).toBe('2026-03-02');
    expect(localDateAt(utc('2026-03-02T17:30'), clock)).toBe('2026-03-03');
  });

  it('follow a traveller west over the date line, whose day is long', () => {
    const clock = [
      { fromTs: 0, timezone: 'Asia/Tokyo' },
      { fromTs: utc('2026-03-02T02:00'), timezone: 'US/Pacific' },
    ];
    expect(span(midnightWindow('2026-03-02', clock))).toEqual(['2026-03-01T15:00', '2026-03-03T08:00']);
  });

  it('cover every instant exactly once in any zone history', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.info(`seed ${seed}`);
    let state = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return state % below;
    };
    const zones = [
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Tokyo',
      'Pacific/Apia',
      'Europe/London',
      'Asia/Kathmandu',
    ];
    for (let run = 0; run < 20; run++) {
      const fromMs = utc('2011-06-01T00:00') + random(500) * 86_400_000 + random(86_400) * 1000;
      const toMs = fromMs + random(20 * 86_400) * 1000 + 1;
      const clock = [
        { fromTs: 0, timezone: zones[random(zones.length)]! },
        { fromTs: fromMs + random(10 * 86_400) * 1000, timezone: zones[random(zones.length)]! },
      ];
      for (const between of [midnightWindowsBetween, noonWindowsBetween]) {
        const windows = between(fromMs, toMs, clock);
        expect(windows[0]!.startMs).toBeLessThanOrEqual(fromMs);
        expect(windows.at(-1)?.stopMs).toBeGreaterThanOrEqual(toMs);
        for (let i = 1; i < windows.length; i++) expect(windows[i]!.startMs).toBe(windows[i - 1]!.stopMs);
      }
    }
  });
});

describe('local dates and offsets', () => {
  it('change exactly at the transition', () => {
    const spring = utc('2026-03-08T07:00');
    expect(offsetMsAt(spring - 1, 'US/Eastern') / 3_600_000).toBe(-5);
    expect(offsetMsAt(spring, 'US/Eastern') / 3_600_000).toBe(-4);
    expect(offsetMsAt(spring - 1, 'US/Eastern') / 3_600_000).toBe(-5);
    expect(localDateIn(utc('2026-03-01T15:00') - 1, 'Asia/Tokyo')).toBe('2026-03-01');
    expect(localDateIn(utc('2026-03-01T15:00'), 'Asia/Tokyo')).toBe('2026-03-02');
  });

  it('are formatted as in the API', () => {
    expect([9 * 60, -210, 0, 345].map((minutes) => formatOffset(minutes * 60_000))).toEqual([
      '+09:00',
      '-03:30',
      '+00:00',
      '+05:45',
    ]);
    expect(addDays('2024-02-28', 2)).toBe('2024-03-01');
    expect(['2024-02-29', '2025-02-29', '2024-2-9', 'x'].map(isCalendarDate)).toEqual([true, false, false, false]);
  });
});
