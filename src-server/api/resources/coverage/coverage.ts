/** Coverage of a subject's data, and the causes of missing data. */
import { DAY_MS } from '../../../durations.ts';
import { coverageDays } from '../../../study/coverage/days.ts';
import { whyGap } from '../../../study/coverage/gaps.ts';
import { whyNoData } from '../../../study/coverage/why.ts';
import {
  addDays,
  type DayClock,
  dateExists,
  isCalendarDate,
  localDateAt,
  midnightWindow,
} from '../../../study/day-windows.ts';
import { MAX_GAPS_WINDOW_MS } from '../../../vocabulary/coverage.ts';
import type { coverageRoutes } from '../../contract/resources/coverage.ts';
import type { ApiDeps } from '../../deps.ts';
import { invalidField } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { RecordingBreaks } from './breaks.ts';
import { holdingsOf, whyFacts } from './facts.ts';
import { signalGaps } from './gaps.ts';

const DEFAULT_DAYS = 14;
const MAX_DAYS = 366;
/** Most gaps of one answer; of more, the longest are listed. */
const MAX_GAPS = 1000;

function requireDate(path: string, date: string): string {
  if (!isCalendarDate(date)) throw invalidField(path, 'must be a date of the calendar, YYYY-MM-DD');
  return date;
}

/** Existing local dates from one to the other, both inclusive. */
function datesOf(from: string | undefined, to: string | undefined, clock: DayClock, nowMs: number): string[] {
  const last = requireDate('to', to ?? localDateAt(nowMs, clock));
  const first = requireDate('from', from ?? addDays(last, 1 - DEFAULT_DAYS));
  if (first > last) throw invalidField('from', 'must not be after `to`');
  const dates: string[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) {
    if (dates.length === MAX_DAYS) throw invalidField('to', `must be at most ${MAX_DAYS} days from \`from\``);
    if (dateExists(date, clock)) dates.push(date);
  }
  return dates;
}

export function coverageHandlers(deps: ApiDeps): Handlers<typeof coverageRoutes> {
  const { store } = deps;
  const breaks = new RecordingBreaks(deps.signalsDir);
  return {
    listCoverage: async ({ scope: { study, subject }, query }) => {
      const clock = await store.subjects.zones(subject.id);
      const days = datesOf(query.from, query.to, clock, deps.clock()).map((date) => midnightWindow(date, clock));
      const [first, last] = [days[0], days.at(-1)];
      if (!first || !last) return { items: [], size: 0 };
      const span = { fromTs: first.startMs, toTs: last.stopMs - 1, subjectId: subject.id };
      const path = await breaks.addTo(await store.dataPaths.list(study.id, span), {
        startMs: first.startMs,
        stopMs: last.stopMs,
      });
      const held = await store.equipment.everHeldBy(subject.id);
      const sensorIds = new Set(held.filter(({ type }) => type === 'SENSOR').map(({ id }) => id));
      const names = new Map(held.map(({ id, displayName }) => [id, displayName]));
      const holdings = (await holdingsOf(deps, subject.id)).filter(({ sensorId }) => sensorIds.has(sensorId));
      const analysed = await store.analytics.days(subject.id, { fromDate: first.date, toDate: last.date });
      const worn = new Map(analysed.map(({ date, validSeconds }) => [date, validSeconds.WEAR]));
      const items = coverageDays(days, path, holdings).map(({ date, startMs, stopMs, sensors }) => ({
        date,
        startTs: startMs,
        stopTs: stopMs,
        ...(worn.get(date) !== undefined && { wornSeconds: worn.get(date) }),
        sensors: sensors.map(({ states, ...sensor }) => ({
          ...sensor,
          displayName: names.get(sensor.sensorId) ?? sensor.sensorId,
          states: states.map(({ spans, ...state }) => ({
            ...state,
            spans: spans.map((span) => ({ startTs: span.startMs, stopTs: span.stopMs })),
          })),
        })),
      }));
      return { items, size: items.length };
    },
    getWhyNoData: async ({ scope: { study, subject }, query }) => {
      const clock = await store.subjects.zones(subject.id);
      const date = requireDate('date', query.date ?? localDateAt(deps.clock(), clock));
      const day = midnightWindow(date, clock);
      const { untilMs, recordedSeconds, holes, causes } = whyNoData(
        await whyFacts(deps, study, subject, clock, day, breaks),
        day,
      );
      return {
        date,
        startTs: day.startMs,
        stopTs: day.stopMs,
        untilTs: untilMs,
        recordedSeconds,
        holes: holes.map(({ startMs, stopMs, ...hole }) => ({ startTs: startMs, stopTs: stopMs, ...hole })),
        causes,
      };
    },
    listGaps: async ({ scope: { study, subject }, query }) => {
      const nowMs = deps.clock();
      const to = query.to ?? nowMs;
      const from = query.from ?? Math.min(to, nowMs) - DEFAULT_DAYS * DAY_MS;
      if (from > to) throw invalidField('from', 'must not be after `to`');
      if (to - from > MAX_GAPS_WINDOW_MS) throw invalidField('to', 'must be at most 31 days after `from`');
      // Time in the future is not missing.
      const window = { startMs: from, stopMs: Math.min(to, nowMs) };
      if (window.stopMs <= window.startMs) return { items: [], size: 0 };
      const clock = await store.subjects.zones(subject.id);
      const facts = await whyFacts(deps, study, subject, clock, window, breaks);
      const gaps = await signalGaps(deps, subject.id, window);
      const lengths = gaps.map(({ startMs, stopMs }) => stopMs - startMs).sort((a, b) => b - a);
      const leastMs = lengths[MAX_GAPS - 1] ?? 0;
      const items = gaps
        .filter(({ startMs, stopMs }) => stopMs - startMs >= leastMs)
        .slice(0, MAX_GAPS)
        .map((gap) => ({
          startTs: gap.startMs,
          stopTs: gap.stopMs,
          udid: gap.recording.udid,
          location: gap.recording.physicalConfig.location,
          ...(gap.recordingId !== undefined && { recordingId: gap.recordingId }),
          causes: whyGap(facts, gap),
        }));
      return { items, size: items.length };
    },
  };
}
