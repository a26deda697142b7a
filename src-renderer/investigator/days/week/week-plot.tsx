/** One day of a week as a strip: its activity as a profile, and under it the heart rate on the scale of the week. */
import { useMemo } from 'react';
import { Canvas, type Draw } from '../../../shared/charts/canvas.tsx';
import { drawBands, drawGaps, drawGrid, drawLine } from '../../../shared/charts/draw.ts';
import { type niceRange, type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Delayed, Skeleton } from '../../../shared/kit/state.tsx';
import { type ClockChange, clockChanges, type DayClock } from '../../../shared/time/local-day.ts';
import { ACTIVITY_STYLES } from '../lanes/lane-styles.ts';
import type { WeekDay } from './use-week.ts';
import styles from './week.module.css';

export const ACTIVITY_PX = 26;
export const HEART_PX = 40;
/** Words of a jump stand on its left where the strip ends soon. */
const JUMP_WORDS_PX = 130;

/** The scale of a strip: as long as the day is, on the common length of the week. */
export function stripScale({ day }: Pick<WeekDay, 'day'>, longestMs: number, widthPx: number): TimeScale {
  const lengthMs = day.nextMidnightMs - day.midnightMs;
  return {
    startMs: day.midnightMs,
    stopMs: day.nextMidnightMs,
    widthPx: Math.round((widthPx * lengthMs) / longestMs),
  };
}

function Jumps({ changes, scale }: { changes: readonly ClockChange[]; scale: TimeScale }) {
  return changes.map(({ atMs, clockBefore, clockAfter, before, after }) => {
    const left = toPx(scale, atMs);
    return (
      <span
        key={atMs}
        className={styles.jump}
        data-flip={left > scale.widthPx - JUMP_WORDS_PX || undefined}
        style={{ left }}
      >
        <span>
          {clockBefore} {before} → {clockAfter} {after}
        </span>
      </span>
    );
  });
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
  /** Why there is no such day of the subject. */
  outside: string;
}) {
  const { t } = useWords();
  const { data, canOpen } = one;
  const draw = useMemo(
    (): Draw | undefined =>
      data &&
      ((context, widthPx, _heightPx, colors) => {
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
      }),
    [data, scale, heartRange, t],
  );
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
      {data && !one.hasRecording && <span className={styles.none}>{t('wear.gap')}</span>}
      <Jumps changes={changes} scale={scale} />
    </div>
  );
}
