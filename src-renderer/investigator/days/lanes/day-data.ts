/** The data of a timeline, from the nine channels of the interface and the spans of the recordings. Pure. */
import type { IntradayChannel } from '../../../../src-server/api/contract/index.ts';
import { MINUTE_MS } from '../../../../src-server/durations.ts';
import { type Band, durations, holes, mergeBands, unionSpans } from '../../../shared/charts/bands.ts';
import { type Series, valueAt } from '../../../shared/charts/series.ts';
import { subject as words } from '../../../shared/locales/en/subject.ts';

export type Activity = Exclude<keyof typeof words.activity, 'unknown'>;
export type Wear = 'worn' | 'notWorn' | 'notMeasured';
/** Parts of a posture, as the interface names them; a posture between two of them has both. */
export type PosturePart = Exclude<keyof typeof words.posture, 'unknown'>;
export interface Span {
  startMs: number;
  stopMs: number;
}

export interface DayData {
  window: Span;
  /** One value per minute. */
  heartRate: Series;
  /** The finest heart rate that has loaded; its extremes form the ribbon. */
  heartRateFine: Series;
  variability: Series;
  respiration: Series;
  steps: Series;
  activity: Band<Activity | 'unknown'>[];
  /** Posture of the trunk at rest and of the body asleep, as parts joined with `/`. */
  posture: Band<string>[];
  wear: Band<Wear>[];
  /** Spans that no recording covers, up to now: what lies in the future is not missing. */
  gaps: Span[];
  /** Where the future begins in the window; the end of the window where all of it has passed. */
  untilMs: number;
  /** False while all recordings of the window wait for their analysis. */
  isAnalysed: boolean;
}

const isActivity = (value: string): value is Activity => value in words.activity && value !== 'unknown';

function numbers(channel: IntradayChannel | undefined, intervalMs: number): Series {
  return {
    times: channel?.times ?? [],
    values: channel?.values.map((value) => (typeof value === 'number' ? value : null)) ?? [],
    intervalMs,
  };
}

function activities(channel: IntradayChannel | undefined): (Activity | 'unknown' | null)[] {
  return (
    channel?.values.map((value) => (typeof value !== 'string' ? null : isActivity(value) ? value : 'unknown')) ?? []
  );
}

/** Bands of activity from the channels of the interface. */
export function activityBands(channels: readonly IntradayChannel[], intervalMs: number): Band<Activity | 'unknown'>[] {
  const channel = channels.find(({ type }) => type === 'activity');
  return mergeBands(channel?.times ?? [], activities(channel), intervalMs);
}

/** Combines a lean to the side with one forward or back; without either the trunk is upright. */
function postureOf(resting: IntradayChannel['values'][number], sleeping: IntradayChannel['values'][number]) {
  if (typeof sleeping === 'string') return sleeping;
  if (resting === null || typeof resting !== 'object') return null;
  const leans = [resting.c, resting.s].filter((part) => part !== 'NEUTRAL');
  return leans.length === 0 ? 'UPRIGHT' : leans.join('/');
}

export const postureParts = (posture: string): (PosturePart | 'unknown')[] =>
  posture.split('/').map((part) => (part in words.posture ? (part as PosturePart) : 'unknown'));

/**
 * Builds the data of a window. A recorded minute without activity and heart rate counts as "not worn" if anything in the
 * window was analysed, and as "not measured" otherwise.
 * @param coarse channels per minute
 * @param fine the same channels in finer bins, once they have loaded
 * @param nowMs the current time; what has no recording after it is "not yet" instead of a gap
 */
export function dayData(
  window: Span,
  coarse: IntradayChannel[],
  fine: { channels: IntradayChannel[]; intervalMs: number } | undefined,
  recorded: readonly Span[],
  nowMs: number,
): DayData {
  const find = (type: string, channels = coarse) => channels.find((channel) => channel.type === type);
  const heartRate = numbers(find('heart_rate'), MINUTE_MS);
  const coarseActivity = activities(find('activity'));
  const times = find('activity')?.times ?? [];
  const isAnalysed = coarseActivity.some((value) => value !== null) || heartRate.values.some((value) => value !== null);
  // A recording that reaches beyond now was made by a clock ahead of this computer's.
  const untilMs = Math.min(window.stopMs, Math.max(window.startMs, nowMs, ...recorded.map(({ stopMs }) => stopMs)));
  const covered = unionSpans(recorded, window.startMs, window.stopMs);
  let index = 0;
  const wearStates = times.map((time, i): Wear | null => {
    const middle = time + MINUTE_MS / 2;
    while ((covered[index]?.stopMs ?? Number.POSITIVE_INFINITY) <= middle) index++;
    const isRecorded = (covered[index]?.startMs ?? Number.POSITIVE_INFINITY) <= middle;
    if (coarseActivity[i] !== null || valueAt(heartRate, time) !== null) return 'worn';
    if (!isRecorded) return null;
    return isAnalysed ? 'notWorn' : 'notMeasured';
  });
  const fineActivity = fine && find('activity', fine.channels);
  const resting = find('resting_posture');
  const sleeping = find('sleeping_posture');
  const postures = resting?.values.map((value, index) => postureOf(value, sleeping?.values[index] ?? null)) ?? [];
  return {
    window,
    heartRate,
    heartRateFine: fine ? numbers(find('heart_rate', fine.channels), fine.intervalMs) : heartRate,
    variability: numbers(find('hrv'), MINUTE_MS),
    respiration: numbers(find('sleep_respiration'), MINUTE_MS),
    steps: numbers(find('steps'), MINUTE_MS),
    activity: fineActivity
      ? mergeBands(fineActivity.times, activities(fineActivity), fine.intervalMs)
      : mergeBands(times, coarseActivity, MINUTE_MS),
    posture: mergeBands(resting?.times ?? [], postures, MINUTE_MS),
    wear: mergeBands(times, wearStates, MINUTE_MS),
    gaps: holes(recorded, window.startMs, untilMs),
    untilMs,
    isAnalysed,
  };
}

/** Totals of a span of time. */
export interface DayTotals extends Span {
  wornSeconds: number;
  gapSeconds: number;
  /** Of the span that lies in the future. */
  notYetSeconds: number;
  asleepSeconds: number;
  steps: number | undefined;
  heartRate: { low: number; high: number; mean: number } | undefined;
  activity: { value: Activity | 'unknown'; seconds: number; share: number }[];
}

function cut<T extends Span>(items: readonly T[], view: Span): T[] {
  return items
    .map((item) => ({
      ...item,
      startMs: Math.max(item.startMs, view.startMs),
      stopMs: Math.min(item.stopMs, view.stopMs),
    }))
    .filter((item) => item.stopMs > item.startMs);
}

const secondsOf = (spans: readonly Span[]) => spans.reduce((sum, span) => sum + (span.stopMs - span.startMs) / 1000, 0);

function inView(series: Series, view: Span): number[] {
  return series.values.filter((value, i): value is number => {
    const time = series.times[i]!;
    return value !== null && time >= view.startMs && time < view.stopMs;
  });
}

/** Totals of a view, for its summary and its table. */
export function totalsOf(data: DayData, view: Span): DayTotals {
  const heart = inView(data.heartRateFine, view);
  const minutes = inView(data.heartRate, view);
  const steps = inView(data.steps, view);
  const classes = durations(cut(data.activity, view));
  const classified = classes.reduce((sum, entry) => sum + entry.durationMs, 0);
  return {
    startMs: view.startMs,
    stopMs: view.stopMs,
    wornSeconds: secondsOf(cut(data.wear, view).filter((band) => band.value === 'worn')),
    gapSeconds: secondsOf(cut(data.gaps, view)),
    notYetSeconds: Math.max(0, view.stopMs - Math.max(view.startMs, data.untilMs)) / 1000,
    asleepSeconds: (classes.find((entry) => entry.value === 'SLEEPING:LYING')?.durationMs ?? 0) / 1000,
    steps: steps.length > 0 ? steps.reduce((sum, count) => sum + count, 0) : undefined,
    heartRate:
      heart.length > 0 && minutes.length > 0
        ? {
            low: heart.reduce((low, value) => Math.min(low, value)),
            high: heart.reduce((high, value) => Math.max(high, value)),
            mean: minutes.reduce((sum, value) => sum + value, 0) / minutes.length,
          }
        : undefined,
    activity: classes.map(({ value, durationMs }) => ({
      value,
      seconds: durationMs / 1000,
      share: durationMs / classified,
    })),
  };
}

export interface TableRow {
  startMs: number;
  stopMs: number;
  /** Longest posture of the row. */
  posture: string | undefined;
  /** Longest activity of the row. */
  activity: Activity | 'unknown' | undefined;
  wear: Wear | 'gap' | 'notYet';
  heartRate: { mean: number; low: number; high: number } | undefined;
  variability: number | undefined;
  respiration: number | undefined;
  steps: number | undefined;
}

const mean = (values: number[]) =>
  values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined;

function wearOfRow(wear: { value: Wear; durationMs: number } | undefined, gapSeconds: number): Wear | 'gap' {
  return wear && wear.durationMs / 1000 >= gapSeconds ? wear.value : gapSeconds > 0 ? 'gap' : (wear?.value ?? 'gap');
}

/** Returns the timeline as rows of `minutes` of elapsed time. */
export function tableRows(data: DayData, view: Span, minutes: number): TableRow[] {
  const rows: TableRow[] = [];
  for (let startMs = view.startMs; startMs < view.stopMs; startMs += minutes * MINUTE_MS) {
    const row = { startMs, stopMs: Math.min(view.stopMs, startMs + minutes * MINUTE_MS) };
    const totals = totalsOf(data, row);
    const [wear] = durations(cut(data.wear, row));
    const average = mean(inView(data.variability, row));
    rows.push({
      ...row,
      posture: durations(cut(data.posture, row))[0]?.value,
      activity: totals.activity[0]?.value,
      wear: row.startMs >= data.untilMs ? 'notYet' : wearOfRow(wear, totals.gapSeconds),
      heartRate: totals.heartRate,
      variability: average,
      respiration: mean(inView(data.respiration, row)),
      steps: totals.steps,
    });
  }
  return rows;
}
