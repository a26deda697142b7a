/** Everything that the report of one week shows: seven days from Monday, per minute, and their metrics. */
import type { QueryClient } from '@tanstack/react-query';
import { MINUTE_MS } from '../../../../src-server/durations.ts';
import {
  breaksOf,
  channelsQuery,
  metricsBetweenQuery,
  recordingGapsQuery,
  recordingsBetweenQuery,
  studyQuery,
  subjectQuery,
} from '../../../shared/api/queries.ts';
import { addDays, dateExists, datesBetween, localDate, localDay } from '../../../shared/time/local-day.ts';
import { mondayOf } from '../../adherence/day-state.ts';
import { dayOptions, dayToOpen } from '../../days/day-options.ts';
import { dayData, type Span } from '../../days/lanes/day-data.ts';
import { recordedIn, recordedSpans, withUnwornTime } from '../../days/lanes/recorded.ts';
import { heartRangeOf, type WeekDay } from '../../days/week/use-week.ts';
import { weekRows } from '../../days/week/week-rows.ts';
import { signaturesOfRecord } from '../signatures/load-signatures.ts';

/** @param date a day of the week; the one that the desk opens where undefined */
export async function loadWeek(queries: QueryClient, studyId: string, subjectId: string, date?: string) {
  const subject = await queries.fetchQuery(subjectQuery(studyId, subjectId));
  const { timezones } = subject;
  const options = dayOptions(subject, Date.now());
  const known = new Map(options.map((option) => [option.date, option]));
  const monday = mondayOf(date ?? dayToOpen(options));
  const dates = datesBetween(monday, addDays(monday, 6)).filter((one) => dateExists(one, timezones));
  const days = dates.map((one) => ({
    date: one,
    day: localDay(one, timezones),
    canOpen: known.has(one),
    hasRecording: (known.get(one)?.recordedSeconds ?? 0) > 0,
  }));
  const span = { startMs: days[0]!.day.midnightMs, stopMs: days.at(-1)!.day.nextMidnightMs };
  const [study, recordings, metrics, signatures, ...channels] = await Promise.all([
    queries.fetchQuery(studyQuery(studyId)),
    queries.fetchQuery(recordingsBetweenQuery(studyId, subjectId, span.startMs, span.stopMs)),
    queries.fetchQuery(metricsBetweenQuery(studyId, subjectId, dates[0]!, dates.at(-1)!)),
    Promise.all(
      dates.map((one) => signaturesOfRecord(queries, studyId, { kind: 'subject-day', targetId: subjectId, date: one })),
    ),
    ...days.map(({ day, hasRecording }) =>
      hasRecording
        ? queries.fetchQuery(channelsQuery(studyId, subjectId, day.midnightMs, day.nextMidnightMs, MINUTE_MS))
        : { channels: [] },
    ),
  ]);
  const weekOf = (recorded: Span[]) =>
    days.map(
      (one, index): WeekDay => ({
        ...one,
        data: dayData(
          { startMs: one.day.midnightMs, stopMs: one.day.nextMidnightMs },
          channels[index]?.channels ?? [],
          undefined,
          recorded,
          Date.now(),
        ),
      }),
    );
  const withoutBreaks = weekOf(recordedIn(subject, span));
  const doubtful = withUnwornTime(
    recordings.items,
    withoutBreaks.flatMap(({ data }) => data?.wear ?? []),
  );
  const breaks = await Promise.all(
    doubtful.map(async ({ id }) => breaksOf(id, await queries.fetchQuery(recordingGapsQuery(studyId, id)))),
  );
  const week = breaks.length > 0 ? weekOf(recordedSpans(recordings.items, breaks)) : withoutBreaks;
  const byDate = new Map(metrics.items.map((item) => [localDate(item.dayStartMsUtc, item.subjectTz), item.metrics]));
  return {
    subject,
    study,
    span,
    week,
    rows: weekRows(week, byDate),
    byDate,
    signatures: signatures.flat().sort((a, b) => b.signedTs - a.signedTs),
    heartRange: heartRangeOf(week),
    longestMs: Math.max(...days.map(({ day }) => day.nextMidnightMs - day.midnightMs)),
  };
}

export type WeekReport = Awaited<ReturnType<typeof loadWeek>>;
