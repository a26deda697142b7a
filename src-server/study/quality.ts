/**
 * The data quality of a subject and of a study against the targets of the study: days, weeks and what needs attention. Every number is
 * a count or a sum over stored days, so that a plain query over the site gives the same. Pure.
 */
import type { QualityReasonCode, QualityTargets } from '../vocabulary/quality.ts';
import { addDays, type DayClock, localDateAt } from './day-windows.ts';
import type { Program } from './program.ts';

/** What is stored of a local day. Seconds are absent where the day was not analysed, or has no ECG. */
export interface QualityDay {
  date: string;
  wearSeconds?: number | undefined;
  signalSeconds?: number | undefined;
  readableSeconds?: number | undefined;
  tasksAssigned: number;
  tasksCompleted: number;
}

/** Counts and sums over days. */
export interface QualityCounts {
  /** Days on which data is expected. */
  expectedDays: number;
  /** Of them, with any wear. */
  dataDays: number;
  /** Of them, with the wear of the target. */
  validDays: number;
  wearSeconds: number;
  /** Of ECG, and what of it is readable. */
  signalSeconds: number;
  readableSeconds: number;
  tasksAssigned: number;
  tasksCompleted: number;
}

export interface QualityWeek extends QualityCounts {
  /** The Monday with which the week begins. */
  week: string;
}

/** A target that is missed: the value beside the target, in the unit of the target. */
export interface QualityReason {
  code: QualityReasonCode;
  value?: number;
  target?: number;
  /** Days that were judged. */
  days?: number;
  /** NO_DATA: the last day with data; absent where there is none. */
  date?: string;
}

export interface SubjectQuality extends QualityCounts {
  fromDate: string;
  toDate: string;
  weeks: QualityWeek[];
  /** The last seven days at most. */
  recent: QualityCounts & { fromDate: string; toDate: string };
  reasons: QualityReason[];
}

/** Local dates, both inclusive. */
export interface QualitySpan {
  fromDate: string;
  toDate: string;
}

const RECENT_DAYS = 7;
/** With fewer days a subject is not judged: the first day of a new subject would always be at risk. */
export const LEAST_DAYS_TO_JUDGE = 3;
/** Days without data at the end from which it is a reason of its own. */
const DAYS_WITHOUT_DATA = 2;

const NOTHING: QualityCounts = {
  expectedDays: 0,
  dataDays: 0,
  validDays: 0,
  wearSeconds: 0,
  signalSeconds: 0,
  readableSeconds: 0,
  tasksAssigned: 0,
  tasksCompleted: 0,
};
const COUNT_NAMES = Object.keys(NOTHING) as (keyof QualityCounts)[];

/** Returns the sum of counts, of days or weeks or subjects. */
export function sumOf(counts: Iterable<QualityCounts>): QualityCounts {
  const sum = { ...NOTHING };
  for (const one of counts) for (const name of COUNT_NAMES) sum[name] += one[name];
  return sum;
}

/** The Monday of the week of a local date. */
export function weekOf(date: string): string {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return addDays(date, -((weekday + 6) % 7));
}

/**
 * Returns the days on which data of a subject is expected: from the date of the program's start, or that of the first data without
 * one, to the last complete day of the study or the end of the program. Undefined where there are none yet.
 * @param lastTs now, or the stop of the study
 */
export function expectedSpan({
  programStartTs,
  firstDataDate,
  program,
  clock,
  lastTs,
}: {
  programStartTs: number | undefined;
  firstDataDate: string | undefined;
  program: Program | null;
  clock: DayClock;
  lastTs: number;
}): QualitySpan | undefined {
  const hasStarted = programStartTs !== undefined && programStartTs <= lastTs;
  const fromDate = hasStarted ? localDateAt(programStartTs, clock) : firstDataDate;
  if (fromDate === undefined) return undefined;
  const lastComplete = addDays(localDateAt(lastTs, clock), -1);
  const programEnd = program && hasStarted ? addDays(fromDate, program.days - 1) : lastComplete;
  const toDate = earlierOf(programEnd, lastComplete);
  return fromDate <= toDate ? { fromDate, toDate } : undefined;
}

/** Valid days that a number of days asks for: the target of seven days in proportion, rounded up. */
export const validDaysNeeded = (validDays: number, expectedDays: number): number =>
  Math.ceil((validDays * Math.min(RECENT_DAYS, expectedDays)) / RECENT_DAYS);

function countsOf(
  { wearSeconds = 0, signalSeconds = 0, readableSeconds = 0, ...tasks }: QualityDay,
  targets: QualityTargets,
): QualityCounts {
  return {
    expectedDays: 1,
    dataDays: wearSeconds > 0 ? 1 : 0,
    validDays: wearSeconds >= targets.wearHours * 3600 ? 1 : 0,
    wearSeconds,
    signalSeconds,
    readableSeconds,
    tasksAssigned: tasks.tasksAssigned,
    tasksCompleted: tasks.tasksCompleted,
  };
}

const percentOf = (part: number, whole: number): number => (100 * part) / whole;

/** Which targets the last days miss, in the order in which they are said. */
function reasonsOf(
  recent: QualityCounts & QualitySpan,
  targets: QualityTargets,
  lastDataDate: string | undefined,
): QualityReason[] {
  const { expectedDays: days, validDays, signalSeconds, readableSeconds, tasksAssigned, tasksCompleted } = recent;
  if (days < LEAST_DAYS_TO_JUDGE) return [];
  const reasons: QualityReason[] = [];
  if (lastDataDate === undefined || lastDataDate <= addDays(recent.toDate, -DAYS_WITHOUT_DATA))
    reasons.push({ code: 'NO_DATA', ...(lastDataDate !== undefined && { date: lastDataDate }) });
  if (targets.validDays !== null) {
    const target = validDaysNeeded(targets.validDays, days);
    if (validDays < target) reasons.push({ code: 'VALID_DAYS', value: validDays, target, days });
  }
  if (targets.readablePercent !== null && signalSeconds > 0) {
    const value = percentOf(readableSeconds, signalSeconds);
    if (value < targets.readablePercent)
      reasons.push({ code: 'READABLE', value, target: targets.readablePercent, days });
  }
  if (targets.taskPercent !== null && tasksAssigned > 0) {
    const value = percentOf(tasksCompleted, tasksAssigned);
    if (value < targets.taskPercent) reasons.push({ code: 'TASKS', value, target: targets.taskPercent, days });
  }
  return reasons;
}

/**
 * @param expected the days on which data is expected
 * @param span the days that are asked for; its last days are judged
 * @param days stored ones of the span and of the seven days before its end; others are left out
 * @param lastDataDate the last day with wear up to the end of the span
 * @param isFollowed false where nothing can be done any more, so nothing is at risk
 */
export function subjectQuality(
  expected: QualitySpan,
  span: { fromDate?: string | undefined; toDate?: string | undefined },
  days: readonly QualityDay[],
  targets: QualityTargets,
  lastDataDate: string | undefined,
  isFollowed: boolean,
): SubjectQuality | undefined {
  const { fromDate, toDate } = clip(expected, span);
  if (fromDate > toDate) return undefined;
  const byDate = new Map(days.map((day) => [day.date, day]));
  const at = (date: string) => countsOf(byDate.get(date) ?? { date, tasksAssigned: 0, tasksCompleted: 0 }, targets);
  const weeks = new Map<string, QualityCounts[]>();
  for (let date = fromDate; date <= toDate; date = addDays(date, 1)) {
    const week = weekOf(date);
    const ofWeek = weeks.get(week);
    if (ofWeek) ofWeek.push(at(date));
    else weeks.set(week, [at(date)]);
  }
  const inWeeks = [...weeks].map(([week, ofWeek]) => ({ week, ...sumOf(ofWeek) }));
  const before = recentFrom(toDate);
  const recentDates = { fromDate: laterOf(before, expected.fromDate), toDate };
  const recentDays: QualityCounts[] = [];
  for (let date = recentDates.fromDate; date <= toDate; date = addDays(date, 1)) recentDays.push(at(date));
  const recent = { ...recentDates, ...sumOf(recentDays) };
  return {
    fromDate,
    toDate,
    ...sumOf(inWeeks),
    weeks: inWeeks,
    recent,
    reasons: isFollowed && toDate === expected.toDate ? reasonsOf(recent, targets, lastDataDate) : [],
  };
}

/** The first of the days that are judged. */
export const recentFrom = (toDate: string): string => addDays(toDate, -(RECENT_DAYS - 1));

const laterOf = (a: string, b: string): string => [a, b].sort()[1]!;
const earlierOf = (a: string, b: string): string => [a, b].sort()[0]!;

/** The days of a span on which data is expected; none where `fromDate` is after `toDate`. */
export function clip(
  expected: QualitySpan,
  { fromDate, toDate }: { fromDate?: string | undefined; toDate?: string | undefined },
): QualitySpan {
  return {
    fromDate: fromDate === undefined ? expected.fromDate : laterOf(fromDate, expected.fromDate),
    toDate: toDate === undefined ? expected.toDate : earlierOf(toDate, expected.toDate),
  };
}

/** Whether a week, or any other number of days, reaches the target of valid days; null without a target. */
export const meetsValidDays = (
  { expectedDays, validDays }: Pick<QualityCounts, 'expectedDays' | 'validDays'>,
  targets: Pick<QualityTargets, 'validDays'>,
): boolean | null =>
  targets.validDays === null ? null : validDays >= validDaysNeeded(targets.validDays, expectedDays);

/** Sums the weeks of subjects, by week, ascending, with the number of subjects and of those that reach the target of valid days. */
export function studyWeeks(
  subjects: readonly { weeks: readonly QualityWeek[] }[],
  targets: QualityTargets,
): (QualityWeek & { subjects: number; onTarget: number | null })[] {
  const all = Map.groupBy(
    subjects.flatMap(({ weeks }) => weeks),
    ({ week }) => week,
  );
  return [...all.keys()].sort().map((week) => {
    const ofWeek = all.get(week) ?? [];
    const onTarget = targets.validDays === null ? null : ofWeek.filter((one) => meetsValidDays(one, targets)).length;
    return { week, ...sumOf(ofWeek), subjects: ofWeek.length, onTarget };
  });
}
