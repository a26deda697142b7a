/** The strip of one day: activity bands, and below them the heart rate on the scale of the whole week. */
import { useMemo } from 'react';
import { Canvas, type Draw } from '../../../shared/charts/canvas.tsx';
import { drawBands, drawGaps, drawGrid, drawLine, drawNotYet } from '../../../shared/charts/draw.ts';
import { type niceRange, type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import { type Translate, useWords } from '../../../shared/i18n/i18n.ts';
import { Delayed, Skeleton } from '../../../shared/kit/state.tsx';
import { type ClockChange, clockChanges, type DayClock } from '../../../shared/time/local-day.ts';
import type { DayData } from '../lanes/day-data.ts';
import { ACTIVITY_STYLES } from '../lanes/lane-styles.ts';
import type { WeekDay } from './use-week.ts';
import styles from './week.module.css';

export const ACTIVITY_PX = 26;
export const HEART_PX = 40;
/** Width of the label of a clock change, which moves to the left side where the right has less room. */
const CHANGE_LABEL_PX = 130;

/** The scale of a strip. A day shorter than the longest of the week has a proportionally narrower strip. */
export function stripScale({ day }: Pick<WeekDay, 'day'>, longestMs: number, widthPx: number): TimeScale {
  const lengthMs = day.nextMidnightMs - day.midnightMs;
  return {
    startMs: day.midnightMs,
    stopMs: day.nextMidnightMs,
    widthPx: Math.round((widthPx * lengthMs) / longestMs),
  };
}

function ClockChanges({ changes, scale }: { changes: readonly ClockChange[]; scale: TimeScale }) {
  return changes.map(({ atMs, clockBefore, clockAfter, before, after }) => {
    const left = toPx(scale, atMs);
    return (
      <span
        key={atMs}
        className={styles.jump}
        data-flip={left > scale.widthPx - CHANGE_LABEL_PX || undefined}
        style={{ left }}
      >
        <span>
          {clockBefore} {before} → {clockAfter} {after}
        </span>
      </span>
    );
  });
}

/** Activity bands, and below them the heart rate. */
export function drawWeekDay(
  data: DayData,
  scale: TimeScale,
  heartRange: ReturnType<typeof niceRange> | undefined,
  t: Translate,
): Draw {
  return (context, widthPx, _heightPx, colors) => {
    drawNotYet(context, data.untilMs, scale, ACTIVITY_PX + HEART_PX, colors);
    drawGaps(context, data.gaps, scale, ACTIVITY_PX, colors);
    drawBands(
      context,
      data.activity,
      (value) => ({ ...ACTIVITY_STYLES[value], label: t(`activity.${value}`) }),
      scale,
      ACTIVITY_PX,
      colors,
    );
    context.translate(0, ACTIVITY_PX);
    if (heartRange) drawGrid(context, { ...heartRange, step: 2 * heartRange.step }, widthPx, HEART_PX, colors);
    drawGaps(context, data.gaps, scale, HEART_PX, colors);
    if (heartRange) drawLine(context, data.heartRate, scale, heartRange, HEART_PX, colors('heart-rate'));
  };
}

export function WeekPlot({
  one,
  scale,
  heartRange,
  clock,
  outside,
}: {
  one: WeekDay;
  scale: TimeScale;
  heartRange: ReturnType<typeof niceRange> | undefined;
  clock: DayClock;
  /** Shown instead of a strip where the day cannot be opened. */
  outside: string;
}) {
  const { t } = useWords();
  const { data, canOpen } = one;
  const draw = useMemo(() => data && drawWeekDay(data, scale, heartRange, t), [data, scale, heartRange, t]);
  const changes = clockChanges(scale.startMs, scale.stopMs, clock);
  if (!canOpen) return <span className={styles.outside}>{outside}</span>;
  return (
    <div className={styles.strip} style={{ width: scale.widthPx, height: ACTIVITY_PX + HEART_PX }}>
      {draw ? (
        <Canvas draw={draw} widthPx={scale.widthPx} heightPx={ACTIVITY_PX + HEART_PX} />
      ) : (
        <Delayed>
          <Skeleton height={`${ACTIVITY_PX + HEART_PX}px`} />
        </Delayed>
      )}
      {data && !one.hasRecording && data.untilMs > scale.startMs && (
        <span className={styles.none}>{t('wear.gap')}</span>
      )}
      <ClockChanges changes={changes} scale={scale} />
    </div>
  );
}
