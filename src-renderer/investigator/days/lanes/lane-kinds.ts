/** The kinds of lanes that a day is made of: lines, bands, step bars and marks. Each reads out and draws its own data. */
import { type Band, bandAt } from '../../../shared/charts/bands.ts';
import { drawBands, drawBars, drawGaps, drawGrid, drawLine, drawRibbon } from '../../../shared/charts/draw.ts';
import { drawMarks, MARK_ROW_PX, markRows, marksAt } from '../../../shared/charts/marks.ts';
import type { Category } from '../../../shared/charts/pattern.ts';
import { niceRange } from '../../../shared/charts/scale.ts';
import { envelope, extent, type Series, sumBins, valueAt } from '../../../shared/charts/series.ts';
import type { Lane } from '../../../shared/charts/timeline/types.ts';
import { type Format, withUnit } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import type { DayData, Span } from './day-data.ts';
import type { DayMark } from './day-marks.ts';
import { LANE_LABELS, MARK_STYLES } from './lane-styles.ts';

const MAX_MARK_ROWS = 4;
/** Room for the name of a lane and its reading below it. */
const MIN_LANE_PX = 34;
/** Reach of a mark around its instant, as a share of the view: how near the cursor must be to read it. */
const MARK_REACH = 0.004;

const STEP_BINS_MIN = [1, 2, 5, 10, 15, 30, 60];
const STEP_BAR_PX = 5;

/** Width that the step bins are computed for, so that the label of the lane and its bars use the same bin. */
const COMMON_WIDTH_PX = 1000;

/** What all lanes of a day read from. */
export interface LaneSource {
  data: DayData;
  view: Span;
  t: Translate;
  format: Format;
}

function stepBinMinutes(view: Span, widthPx: number): number {
  const minutesPerBar = ((view.stopMs - view.startMs) / 60_000 / Math.max(1, widthPx)) * STEP_BAR_PX;
  return STEP_BINS_MIN.find((minutes) => minutes >= minutesPerBar) ?? 60;
}

/** The reading where a lane has no value: the future, a gap in the recording, or no value. */
function missingText({ data, t }: LaneSource, ms: number): string {
  if (ms >= data.untilMs) return t('wear.notYet');
  return data.gaps.some((gap) => ms >= gap.startMs && ms < gap.stopMs) ? t('wear.gap') : t('days.noValue');
}

function numberReader(source: LaneSource, series: Series, unit: string, digits: number): (ms: number) => string {
  return (ms) => {
    const value = valueAt(series, ms);
    return value === null ? missingText(source, ms) : withUnit(source.format.number(value, digits), unit);
  };
}

export interface LineOptions {
  unit: string;
  digits: number;
  color: 'heart-rate' | 'variability' | 'respiration';
  heightPx: number;
  /** Approximate number of steps of the value axis. */
  steps: number;
  help?: string;
  /** A series in finer bins, whose extremes are drawn as a ribbon behind the line. */
  fine?: Series;
}

export function lineLane(source: LaneSource, id: string, label: string, series: Series, options: LineOptions): Lane {
  const { data, view, t, format } = source;
  const found = extent(options.fine ?? series, { ...view, widthPx: COMMON_WIDTH_PX });
  const range = found && niceRange(found.low, found.high, options.steps);
  return {
    id,
    label,
    help: options.help,
    heightPx: options.heightPx,
    empty: range ? undefined : t('lanes.nothingHere'),
    axis: range && { low: format.number(range.low), high: format.number(range.high), unit: options.unit },
    read: numberReader(source, series, options.unit, options.digits),
    draw(context, laneScale, heightPx, colors) {
      if (range) drawGrid(context, range, laneScale.widthPx, heightPx, colors);
      drawGaps(context, data.gaps, laneScale, heightPx, colors);
      if (!range) return;
      if (options.fine)
        drawRibbon(context, envelope(options.fine, laneScale), range, heightPx, colors('heart-rate-soft'));
      drawLine(context, series, laneScale, range, heightPx, colors(options.color));
    },
  };
}

export interface BandOptions<T> {
  heightPx: number;
  styleOf: (value: T) => { category: Category; level: number; label: string };
  /** Labels of the gaps, where the lane shows any. */
  gapLabels?: (gap: Span) => { label: string; shortLabel: string };
  /** Where the lane has values at all, shown below its name while there is no cursor. */
  note?: string;
}

export function bandLane<T>(
  source: LaneSource,
  id: string,
  label: string,
  bands: readonly Band<T>[],
  { heightPx, styleOf, gapLabels, note }: BandOptions<T>,
): Lane {
  return {
    id,
    label,
    note,
    heightPx,
    empty: bands.length > 0 ? undefined : source.t('lanes.nothingHere'),
    read: (ms) => {
      const band = bandAt(bands, ms);
      return band ? styleOf(band.value).label : missingText(source, ms);
    },
    draw(context, laneScale, height, colors) {
      drawGaps(context, source.data.gaps, laneScale, height, colors, gapLabels);
      drawBands(context, bands, styleOf, laneScale, height, colors);
    },
  };
}

export function stepsLane(source: LaneSource): Lane {
  const { data, view, t, format } = source;
  const minutes = stepBinMinutes(view, COMMON_WIDTH_PX);
  const unit = t('lanes.units.stepsPer', { minutes });
  const steps = sumBins(data.steps, data.window.startMs, minutes * 60_000);
  const highest = niceRange(0, extent(steps, { ...view, widthPx: COMMON_WIDTH_PX })?.high ?? 1, 2).high;
  return {
    id: 'steps',
    label: t('lanes.steps'),
    help: t('lanes.stepsPer', { minutes }),
    heightPx: 48,
    empty: steps.times.length > 0 ? undefined : t('lanes.nothingHere'),
    axis: { low: '0', high: format.number(highest), unit },
    read: numberReader(source, steps, unit, 0),
    draw(context, laneScale, heightPx, colors) {
      drawGaps(context, data.gaps, laneScale, heightPx, colors);
      drawBars(context, steps, laneScale, highest, heightPx, colors('steps'));
    },
  };
}

/** No lane at all while there are no marks: the list on the page says so instead. */
export function markLanes({ view, t, format }: LaneSource, id: 'marks' | 'faults', marks: readonly DayMark[]): Lane[] {
  if (marks.length === 0) return [];
  const reachMs = (view.stopMs - view.startMs) * MARK_REACH;
  const rows = markRows(marks, reachMs * 2, MAX_MARK_ROWS);
  return [
    {
      id,
      label: t(LANE_LABELS[id]),
      heightPx: Math.max(MIN_LANE_PX, rows.length * MARK_ROW_PX + 4),
      read: (ms) => {
        const here = marksAt(marks, ms, reachMs);
        return here.length > 0 ? format.list(here.map((mark) => mark.name)) : t('lanes.noMarks');
      },
      draw(context, laneScale, _height, colors) {
        drawMarks(context, rows, (mark) => ({ ...MARK_STYLES[mark.kind], label: mark.name }), laneScale, colors);
      },
    },
  ];
}
