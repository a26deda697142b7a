import { describe, expect, it } from 'vitest';
import { boardRows, compare, groupingOf, plannedGroups } from './board-data.ts';
import { boardSvg, smallChart } from './small-chart.ts';

const HOURS = 3600;
const DATES = ['2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'];
const person = (id: string, arm?: string) => ({
  ...{ id, displayName: id },
  metadataFields: arm === undefined ? [] : [{ displayName: 'Arm', value: arm }],
});
const PEOPLE = [person('a', 'Drug'), person('b', 'Placebo'), person('c')];
const day = (date: string, value: number | null, hours = 20) => ({ date, wearSeconds: hours * HOURS, values: [value] });
const ROWS = boardRows(
  PEOPLE,
  [
    { subjectId: 'a', days: [day(DATES[0]!, 10), day(DATES[1]!, 1, 8), day(DATES[3]!, 20)] },
    { subjectId: 'b', days: [day(DATES[0]!, 30), day(DATES[1]!, null)] },
  ],
  DATES,
  1,
);

describe('a comparison', () => {
  it('is of the means of subjects over whole days, with what is missing', () => {
    expect(compare(ROWS, 0, groupingOf({ kind: 'NONE' }, PEOPLE, []))).toEqual([
      {
        ...{ group: 'all', subjects: 2, subjectsWithout: 1, days: 3, daysMissing: 8, partialDays: 1 },
        ...{ means: [15, 30], mean: 22.5, deviation: Math.sqrt(2 * 7.5 ** 2) },
      },
    ]);
  });

  it('is by the values of a field, with those who have none', () => {
    const groups = compare(ROWS, 0, groupingOf({ kind: 'FIELD', field: 'Arm' }, PEOPLE, []));
    expect(
      groups.map(({ group, subjects, subjectsWithout, mean }) => [group, subjects, subjectsWithout, mean]),
    ).toEqual([
      ['Drug', 1, 0, 15],
      ['Placebo', 1, 0, 30],
      ['', 0, 1, undefined],
    ]);
  });

  it('asks for the group of each day once, however many groups there are', () => {
    let asked = 0;
    const ids = DATES.map((_, index) => `day ${index}`);
    const groupOf = (_: unknown, date: string) => {
      asked += 1;
      return `day ${DATES.indexOf(date)}`;
    };
    expect(compare(ROWS, 0, { ids, groupOf }).map(({ days, means }) => [days, means])).toEqual([
      [2, [10, 30]],
      [0, []],
      [0, []],
      [1, [20]],
    ]);
    expect(asked).toBe(PEOPLE.length * DATES.length);
  });

  it('is by the groups of the plan in its order, with those who are in none', () => {
    const plan = {
      groups: [
        { id: 'g2', displayName: 'Placebo' },
        { id: 'g1', displayName: 'Drug' },
      ],
      strata: [{ id: 's1', displayName: 'North' }],
    };
    const known = [
      { id: 'a', summary: { group: { id: 'g1' }, stratum: { id: 's1' } } },
      { id: 'b', summary: { group: { id: 'g2' } } },
      { id: 'c', summary: {} },
    ];
    const by = (kind: 'GROUP' | 'STRATUM') =>
      compare(ROWS, 0, groupingOf({ kind }, PEOPLE, plannedGroups(plan, kind, known))).map(
        ({ group, subjects, subjectsWithout, mean }) => [group, subjects, subjectsWithout, mean],
      );
    expect(by('GROUP')).toEqual([
      ['g2', 1, 0, 30],
      ['g1', 1, 0, 15],
      ['', 0, 1, undefined],
    ]);
    expect(by('STRATUM')).toEqual([
      ['s1', 1, 0, 15],
      ['', 1, 1, 30],
    ]);
  });

  it('is of weekdays and the weekend, and of the days before and from a date on', () => {
    const days = (kind: Parameters<typeof groupingOf>[0]) =>
      compare(ROWS, 0, groupingOf(kind, PEOPLE, [])).map(({ group, days: whole, daysMissing }) => [
        group,
        whole,
        daysMissing,
      ]);
    // 3 and 4 January 2026 are a weekend.
    expect(days({ kind: 'WEEKEND' })).toEqual([
      ['weekday', 3, 3],
      ['weekend', 0, 5],
    ]);
    expect(days({ kind: 'DATE', date: '2026-01-05' })).toEqual([
      ['before', 2, 6],
      ['after', 1, 2],
    ]);
  });
});

describe('a small chart', () => {
  const frame = { leftPx: 0, topPx: 0, widthPx: 30, heightPx: 10 };

  it('ends its line at a gap, and draws partial days hollow', () => {
    const { lines, dots } = smallChart(ROWS[0]!.series[0]!, { low: 0, high: 20 }, frame, 1);
    expect(lines).toEqual(['M0 5L10 9.5']);
    expect(dots.map(({ x, y, day: { isPartial } }) => [x, y, isPartial])).toEqual([
      [0, 5, false],
      [10, 9.5, true],
      [30, 0, false],
    ]);
  });

  it('is a file of its own, with title, units, fonts and the date of making', () => {
    const svg = boardSvg({
      colors: (name) => `(${name})`,
      title: 'Study <1>',
      made: 'Made 5 January 2026',
      dates: { first: 'Jan 2', last: 'Jan 5' },
      columns: [{ title: 'Steps', axis: { low: 0, high: 20 }, scale: 1, low: '0', high: '20' }],
      rows: ROWS.map(({ subject, series }) => ({ name: subject.displayName, series })),
    });
    expect(svg).toContain('<title>Study &lt;1&gt;</title>');
    expect(svg).toContain('Made 5 January 2026');
    expect(svg).toMatch(/font-family="[^"]*sans-serif"/);
    expect(svg.match(/<circle/g)).toHaveLength(4);
    expect(svg.match(/<circle[^>]*fill="\(surface\)"/g)).toHaveLength(1);
    expect(svg).not.toMatch(/href|url\(|<style/);
  });
});
