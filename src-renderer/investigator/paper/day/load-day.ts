/** Everything that the report of one day shows, read in full before any of it does. */
import type { QueryClient } from '@tanstack/react-query';
import { whyQuery } from '../../../shared/api/attention-queries.ts';
import { breaksOf, channelsQuery, recordingGapsQuery, studyQuery, subjectQuery } from '../../../shared/api/queries.ts';
import { localDate, localDay } from '../../../shared/time/local-day.ts';
import { dayOptions, dayToOpen } from '../../days/day-options.ts';
import { dayQueries, dayWindow } from '../../days/day-queries.ts';
import { dayData, totalsOf } from '../../days/lanes/day-data.ts';
import { personEdits } from '../../days/lanes/edits.ts';
import { sensorPaths } from '../../days/lanes/path-lanes.ts';
import { recordedIn, recordedSpans, withUnwornTime } from '../../days/lanes/recorded.ts';
import { FINE_INTERVAL_MS } from '../../days/use-day.ts';
import { signaturesOfRecord } from '../signatures/load-signatures.ts';

/** @param date the day that the desk opens where undefined */
export async function loadDay(queries: QueryClient, studyId: string, subjectId: string, date?: string) {
  const subject = await queries.fetchQuery(subjectQuery(studyId, subjectId));
  const day = localDay(date ?? dayToOpen(dayOptions(subject, Date.now())), subject.timezones);
  const window = dayWindow(day);
  const reads = dayQueries(subject, day);
  const [study, coarse, fine, recordings, annotations, corrections, equipment, coverage, metrics, why, signatures] =
    await Promise.all([
      queries.fetchQuery(studyQuery(studyId)),
      queries.fetchQuery(reads.perMinute),
      queries.fetchQuery(channelsQuery(studyId, subjectId, window.startMs, window.stopMs, FINE_INTERVAL_MS)),
      queries.fetchQuery(reads.recordings),
      queries.fetchQuery(reads.annotations),
      queries.fetchQuery(reads.corrections),
      queries.fetchQuery(reads.equipment),
      queries.fetchQuery(reads.coverage),
      queries.fetchQuery(reads.metrics),
      queries.fetchQuery(whyQuery(studyId, subjectId, day.date)),
      signaturesOfRecord(queries, studyId, { kind: 'subject-day', targetId: subjectId, date: day.date }),
    ]);
  const dataOf = (recorded: ReturnType<typeof recordedIn>) =>
    dayData(window, coarse.channels, { channels: fine.channels, intervalMs: FINE_INTERVAL_MS }, recorded, Date.now());
  const withoutBreaks = dataOf(recordedIn(subject, window));
  // Time that was apparently not worn may be a gap in the recording instead.
  const doubtful = withUnwornTime(recordings.items, withoutBreaks.wear);
  const breaks = await Promise.all(
    doubtful.map(async ({ id }) => breaksOf(id, await queries.fetchQuery(recordingGapsQuery(studyId, id)))),
  );
  const data = breaks.length > 0 ? dataOf(recordedSpans(recordings.items, breaks)) : withoutBreaks;
  return {
    subject,
    study,
    day,
    window,
    data,
    /** From midnight to midnight. */
    totals: totalsOf(data, { startMs: day.midnightMs, stopMs: day.nextMidnightMs }),
    annotations: annotations.items,
    edits: personEdits(corrections),
    faultSources: [...equipment.items, ...recordings.items.map(({ faults }) => ({ faults }))],
    paths: sensorPaths(coverage.items),
    metrics: metrics.items.find(({ dayStartMsUtc, subjectTz }) => localDate(dayStartMsUtc, subjectTz) === day.date),
    why,
    signatures,
  };
}

export type DayReport = Awaited<ReturnType<typeof loadDay>>;
