/**
 * What a board shows: the days of each subject, the groups that they are compared by, and the numbers of a comparison. Each is a count
 * or a mean of stored values, so that a plain query over the site gives the same. Pure.
 */
import type { Subject, SubjectValues } from '../../../src-server/api/contract/index.ts';
import type { BoardGrouping } from '../../../src-server/vocabulary/board.ts';
import { isPartialDay } from '../metrics/metric.ts';

export interface BoardDay {
  date: string;
  /** Null where the day has not enough data for the metric. */
  value: number | null;
  wearSeconds: number | undefined;
  /** Too little of it was worn to stand beside whole days. */
  isPartial: boolean;
}

type Person = Pick<Subject, 'id' | 'displayName' | 'metadataFields'>;

/** A group or stratum of the plan of the study, and the subjects in it. */
export interface PlannedGroup {
  id: string;
  displayName: string;
  subjectIds: ReadonlySet<string>;
}

/** The groups or strata of a plan in its order, with those who are in each. */
export function plannedGroups(
  plan: Readonly<Record<'groups' | 'strata', readonly { id: string; displayName: string }[]>>,
  kind: 'GROUP' | 'STRATUM',
  subjects: readonly { id: string; summary?: { group?: { id: string }; stratum?: { id: string } } }[],
): PlannedGroup[] {
  const chosen = kind === 'GROUP' ? plan.groups : plan.strata;
  return chosen.map(({ id, displayName }) => ({
    ...{ id, displayName },
    subjectIds: new Set(
      subjects
        .filter(({ summary }) => (kind === 'GROUP' ? summary?.group : summary?.stratum)?.id === id)
        .map((subject) => subject.id),
    ),
  }));
}

export interface BoardRow {
  subject: Person;
  /** By the place of the metric on the board; each with the dates of the window in order. */
  series: BoardDay[][];
}

/** The days of subjects on the dates of a window; a day without data has no value. */
export function boardRows(
  subjects: readonly Person[],
  items: readonly SubjectValues[],
  dates: readonly string[],
  metricCount: number,
): BoardRow[] {
  const byId = new Map(items.map(({ subjectId, days }) => [subjectId, new Map(days.map((day) => [day.date, day]))]));
  return subjects.map((subject) => {
    const days = byId.get(subject.id);
    const series = Array.from({ length: metricCount }, (_, metric) =>
      dates.map((date): BoardDay => {
        const day = days?.get(date);
        return {
          date,
          value: day?.values[metric] ?? null,
          wearSeconds: day?.wearSeconds,
          isPartial: day?.wearSeconds !== undefined && isPartialDay({ SENSOR_WEAR_DURATION: day.wearSeconds }),
        };
      }),
    );
    return { subject, series };
  });
}

/** Groups of days, in the order in which they are shown. A further kind of grouping is one more case of {@link groupingOf}. */
export interface Grouping {
  ids: readonly string[];
  /** The group of a day of a subject. */
  groupOf(subject: Person, date: string): string;
}

/** The group of subjects without a value in the field, or without a group. */
export const UNSET = '';

const isWeekend = (date: string): boolean => [0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay());

export function groupingOf(
  grouping: BoardGrouping,
  subjects: readonly Person[],
  planned: readonly PlannedGroup[],
): Grouping {
  switch (grouping.kind) {
    case 'GROUP':
    case 'STRATUM': {
      const groups = new Map(
        planned.flatMap(({ id, subjectIds }) => [...subjectIds].map((subjectId) => [subjectId, id])),
      );
      const groupOf = ({ id }: Person) => groups.get(id) ?? UNSET;
      const isUnset = subjects.some((subject) => groupOf(subject) === UNSET);
      return { ids: [...planned.map(({ id }) => id), ...(isUnset ? [UNSET] : [])], groupOf };
    }
    case 'NONE':
      return { ids: ['all'], groupOf: () => 'all' };
    case 'WEEKEND':
      return { ids: ['weekday', 'weekend'], groupOf: (_, date) => (isWeekend(date) ? 'weekend' : 'weekday') };
    case 'DATE':
      return { ids: ['before', 'after'], groupOf: (_, date) => (date < grouping.date ? 'before' : 'after') };
    case 'FIELD': {
      const fieldOf = ({ metadataFields }: Person): string =>
        metadataFields.find(({ displayName }) => displayName === grouping.field)?.value ?? UNSET;
      const values = [...new Set(subjects.map(fieldOf))].sort();
      // Those without a value last.
      return { ids: [...values.filter(Boolean), ...values.filter((value) => !value)], groupOf: fieldOf };
    }
  }
}

export interface GroupNumbers {
  group: string;
  /** Subjects with a whole day that has a value, and those of the group without any. */
  subjects: number;
  subjectsWithout: number;
  /** Whole days with a value. */
  days: number;
  /** Days of the group without a value. */
  daysMissing: number;
  /** Days with a value that are left out, because little of them was worn. */
  partialDays: number;
  /** Mean of the means of the subjects; absent without any. */
  mean?: number;
  /** Standard deviation of the means of the subjects; absent with fewer than two. */
  deviation?: number;
  /** Mean of each subject. */
  means: number[];
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the numbers of each group in the order of the grouping. */
export function compare(rows: readonly BoardRow[], metric: number, { ids, groupOf }: Grouping): GroupNumbers[] {
  const none = { subjects: 0, subjectsWithout: 0, days: 0, daysMissing: 0, partialDays: 0 };
  const groups = new Map(ids.map((group): [string, GroupNumbers] => [group, { group, ...none, means: [] }]));
  for (const { subject, series } of rows) {
    for (const [group, own] of Map.groupBy(series[metric] ?? [], ({ date }) => groupOf(subject, date))) {
      const found = groups.get(group);
      if (!found) continue;
      const whole = own.flatMap(({ value, isPartial }) => (value === null || isPartial ? [] : [value]));
      found.days += whole.length;
      found.daysMissing += own.filter(({ value }) => value === null).length;
      found.partialDays += own.filter(({ value, isPartial }) => value !== null && isPartial).length;
      if (whole.length === 0) found.subjectsWithout += 1;
      else {
        found.subjects += 1;
        found.means.push(meanOf(whole));
      }
    }
  }
  return [...groups.values()].map((found) => ({ ...found, ...spreadOf(found.means) }));
}

function spreadOf(means: readonly number[]): Pick<GroupNumbers, 'mean' | 'deviation'> {
  if (means.length === 0) return {};
  const mean = meanOf(means);
  if (means.length === 1) return { mean };
  const squares = means.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (means.length - 1)) };
}
