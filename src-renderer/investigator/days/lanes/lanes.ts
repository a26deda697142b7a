/** The lanes of a day, in the order that they are read: worn at all, what was done, what the heart did. */
import { type Band, bandAt } from '../../../shared/charts/bands.ts';
import { drawBands, drawBars, drawGaps, drawGrid, drawLine, drawRibbon } from '../../../shared/charts/draw.ts';
import { drawMarks, MARK_ROW_PX, markRows, marksAt } from '../../../shared/charts/marks.ts';
import type { Category } from '../../../shared/charts/pattern.ts';
import { niceRange } from '../../../shared/charts/scale.ts';
import { envelope, extent, type Series, sumBins, valueAt } from '../../../shared/charts/series.ts';
import type { Lane } from '../../../shared/charts/timeline/types.ts';
import { type Format, withUnit } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import { type DayData, postureParts, type Span } from './day-data.ts';
import type { DayMark } from './day-marks.ts';
import {
  ACTIVITY_STYLES,
  LANE_LABELS,
  MARK_STYLES,
  POSTURE_STYLES,
  postureText,
  WEAR_CATEGORIES,
} from './lane-styles.ts';

const MOST_MARK_ROWS = 4;
/** The name of a lane and its reading under it need this much. */
const LEAST_LANE_PX = 34;
/** Points are wide enough to be told apart, and are read this near to the cursor, as a part of the view. */
const MARK_REACH = 0.004;

const STEP_BINS_MIN = [1, 2, 5, 10, 15, 30, 60];
const STEP_BAR_PX = 5;

function stepBinMinutes(view: Span, widthPx: number): number {
  const minutesPerBar = ((view.stopMs - view.startMs) / 60_000 / Math.max(1, widthPx)) * STEP_BAR_PX;
  return STEP_BINS_MIN.find((minutes) => minutes >= minutesPerBar) ?? 60;
}

/** Bars in a plot of common width: one bin size for lane label and drawing. */
const COMMON_WIDTH_PX = 1000;

export function dayLanes(data: DayData, marks: readonly DayMark[], view: Span, t: Translate, format: Format): Lane[] {
  const scale = { ...view, widthPx: COMMON_WIDTH_PX };
  const isGap = (ms: number) => data.gaps.some((gap) => ms >= gap.startMs && ms < gap.stopMs);
  const missing = (ms: number) => (isGap(ms) ? t('wear.gap') : t('days.noValue'));
  const number = (series: Series, unit: string, digits: number) => (ms: number) => {
    const value = valueAt(series, ms);
    return value === null ? missing(ms) : withUnit(format.number(value, digits), unit);
  };

  function lineLane(
    id: string,
    label: string,
    series: Series,
    options: {
      unit: string;
      digits: number;
      color: 'heart-rate' | 'variability' | 'respiration';
      heightPx: number;
      /** About how many steps of the value axis. */
      steps: number;
      help?: string;
      fine?: Series;
    },
  ): Lane {
    const found = extent(options.fine ?? series, scale);
    const range = found && niceRange(found.low, found.high, options.steps);
    return {
      id,
      label,
      help: options.help,
      heightPx: options.heightPx,
      empty: range ? undefined : t('lanes.nothingHere'),
      axis: range && { low: format.number(range.low), high: format.number(range.high), unit: options.unit },
      read: number(series, options.unit, options.digits),
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

  function bandLane<T>(
    id: string,
    label: string,
    bands: readonly Band<T>[],
    heightPx: number,
    styleOf: (value: T) => { category: Category; level: number; label: string },
    gapWords?: (gap: Span) => { label: string; shortLabel: string },
  ): Lane {
    return {
      id,
      label,
      heightPx,
      empty: bands.length > 0 ? undefined : t('lanes.nothingHere'),
      read: (ms) => {
        const band = bandAt(bands, ms);
        return band ? styleOf(band.value).label : missing(ms);
      },
      draw(context, laneScale, height, colors) {
        drawGaps(context, data.gaps, laneScale, height, colors, gapWords);
        drawBands(context, bands, styleOf, laneScale, height, colors);
      },
    };
  }

  /** Nothing noted takes no room in the drawing; the list of the page says that there is nothing. */
  function markLane(id: 'marks' | 'faults', shown: readonly DayMark[]): Lane[] {
    if (shown.length === 0) return [];
    const reachMs = (view.stopMs - view.startMs) * MARK_REACH;
    const rows = markRows(shown, reachMs * 2, MOST_MARK_ROWS);
    return [
      {
        id,
        label: t(LANE_LABELS[id]),
        heightPx: Math.max(LEAST_LANE_PX, rows.length * MARK_ROW_PX + 4),
        read: (ms) => {
          const here = marksAt(shown, ms, reachMs);
          return here.length > 0 ? format.list(here.map((mark) => mark.name)) : t('lanes.noMarks');
        },
        draw(context, laneScale, _height, colors) {
          drawMarks(context, rows, (mark) => ({ ...MARK_STYLES[mark.kind], label: mark.name }), laneScale, colors);
        },
      },
    ];
  }

  const minutes = stepBinMinutes(view, COMMON_WIDTH_PX);
  const stepsUnit = t('lanes.units.stepsPer', { minutes });
  const steps = sumBins(data.steps, data.window.startMs, minutes * 60_000);
  const highest = niceRange(0, extent(steps, scale)?.high ?? 1, 2).high;

  return [
    bandLane(
      'wear',
      t('lanes.wear'),
      data.wear,
      34,
      (value) => ({ category: WEAR_CATEGORIES[value], level: 1, label: t(`wear.${value}`) }),
      (gap) => {
        const shortLabel = format.duration((gap.stopMs - gap.startMs) / 1000);
        return { label: t('wear.gapLength', { duration: shortLabel }), shortLabel };
      },
    ),
    bandLane('activity', t('lanes.activity'), data.activity, 60, (value) => ({
      ...ACTIVITY_STYLES[value],
      label: t(`activity.${value}`),
    })),
    {
      ...bandLane('posture', t('lanes.posture'), data.posture, 44, (value) => ({
        ...POSTURE_STYLES[postureParts(value)[0]],
        label: postureText(value, t),
      })),
      note: t('lanes.postureNote'),
    },
    lineLane('heartRate', t('lanes.heartRate'), data.heartRate, {
      unit: t('lanes.units.bpm'),
      digits: 0,
      color: 'heart-rate',
      heightPx: 92,
      steps: 6,
      help: t('lanes.heartRateHelp'),
      fine: data.heartRateFine,
    }),
    lineLane('variability', t('lanes.variability'), data.variability, {
      unit: t('lanes.units.milliseconds'),
      digits: 0,
      color: 'variability',
      heightPx: 52,
      steps: 3,
    }),
    {
      id: 'steps',
      label: t('lanes.steps'),
      help: t('lanes.stepsPer', { minutes }),
      heightPx: 48,
      empty: steps.times.length > 0 ? undefined : t('lanes.nothingHere'),
      axis: { low: '0', high: format.number(highest), unit: stepsUnit },
      read: number(steps, stepsUnit, 0),
      draw(context, laneScale, heightPx, colors) {
        drawGaps(context, data.gaps, laneScale, heightPx, colors);
        drawBars(context, steps, laneScale, highest, heightPx, colors('steps'));
      },
    },
    lineLane('respiration', t('lanes.respiration'), data.respiration, {
      unit: t('lanes.units.breaths'),
      digits: 1,
      color: 'respiration',
      heightPx: 44,
      steps: 3,
      help: t('lanes.respirationHelp'),
    }),
    ...markLane(
      'marks',
      marks.filter((mark) => mark.kind !== 'fault'),
    ),
    ...markLane(
      'faults',
      marks.filter((mark) => mark.kind === 'fault'),
    ),
  ];
}
