/** The seven days of a week below one another, on one scale of time and of heart rate. */

import { HOUR_MS } from '../../../../src-server/durations.ts';
import type { Draw } from '../../../shared/charts/canvas.tsx';
import { CANVAS_FACES } from '../../../shared/charts/fonts.ts';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import { axisOf } from '../../../shared/charts/timeline/ticks.ts';
import { withUnit } from '../../../shared/i18n/format.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { clockChanges, fixedZone } from '../../../shared/time/local-day.ts';
import { WEEK_METRICS } from '../../days/week/week-metrics.ts';
import { ACTIVITY_PX, drawWeekDay, HEART_PX } from '../../days/week/week-plot.tsx';
import { metricText, unitText } from '../../metrics/metric.ts';
import { Picture } from '../drawing/picture.tsx';
import paper from '../paper.module.css';
import { PX_PER_MM } from '../papers.ts';
import type { WeekReport } from './load-week.ts';
import styles from './week.module.css';

/** A day of 25 hours fits on every paper. */
export const MM_PER_HOUR = 6;
const AXIS_PX = 16;
const DASH_PX = 3;
const HEIGHT_PX = ACTIVITY_PX + HEART_PX;

const widthPxOf = (lengthMs: number) => (lengthMs / HOUR_MS) * MM_PER_HOUR * PX_PER_MM;

/** Hours since midnight: a clock change moves the readings of its own day only. */
const drawAxis =
  (scale: TimeScale): Draw =>
  (context, _widthPx, heightPx, colors) => {
    const { labels, lines } = axisOf(scale, fixedZone('Etc/GMT'), []);
    context.font = `10px ${CANVAS_FACES}`;
    context.fillStyle = colors('text');
    for (const { ms, clock } of labels) context.fillText(clock, toPx(scale, ms) + 2, 5);
    for (const { ms } of lines) context.fillRect(toPx(scale, ms), heightPx - 5, 0.8, 5);
  };

/** The days whose clock changes: their hours after it stand beside the marks of the axis, which count from midnight. */
export function ClockNotes({ report: { week, subject } }: { report: WeekReport }) {
  const { t, format } = useWords();
  return week.flatMap(({ date, day }) =>
    clockChanges(day.midnightMs, day.nextMidnightMs, subject.timezones).map(({ atMs, ...change }) => (
      <p key={atMs}>
        {t('paper.week.clockChange', {
          day: format.date(date),
          length: format.duration((day.nextMidnightMs - day.midnightMs) / 1000),
          before: `${change.clockBefore} (UTC${change.before})`,
          after: `${change.clockAfter} (UTC${change.after})`,
        })}
      </p>
    )),
  );
}

/** A day, and a dashed line at each change of its clock. */
const drawWithChanges =
  (draw: Draw, scale: TimeScale, changes: readonly { atMs: number }[]): Draw =>
  (context, widthPx, heightPx, colors) => {
    draw(context, widthPx, heightPx, colors);
    for (const { atMs } of changes) {
      const x = toPx(scale, atMs);
      // White below the dashes: bands are dark too.
      context.fillStyle = colors('surface');
      context.fillRect(x - 1, 0, 2.6, heightPx);
      context.fillStyle = colors('text');
      for (let y = 0; y < heightPx; y += 2 * DASH_PX) context.fillRect(x, y, 0.8, DASH_PX);
    }
  };

export function WeekStrips({ report: { week, byDate, heartRange, longestMs, subject } }: { report: WeekReport }) {
  const { t, format } = useWords();
  // The first instant of 1970 is a midnight in UTC.
  const axis: TimeScale = { startMs: 0, stopMs: longestMs, widthPx: widthPxOf(longestMs) };
  return (
    <table className={`${paper.table} ${styles.strips}`}>
      <thead>
        <tr>
          <th scope="col">{t('metrics.date')}</th>
          <th scope="col" style={{ width: `${axis.widthPx + 12}px` }}>
            <span className="visually-hidden">{t('week.plot')}</span>
            <Picture draw={drawAxis(axis)} widthPx={axis.widthPx} heightPx={AXIS_PX} />
          </th>
          {WEEK_METRICS.map((name) => (
            <th key={name} scope="col" className={paper.number}>
              {t(`metrics.single.${name}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {week.map(({ date, day, data, hasRecording, canOpen }) => {
          const lengthMs = day.nextMidnightMs - day.midnightMs;
          const scale = { startMs: day.midnightMs, stopMs: day.nextMidnightMs, widthPx: widthPxOf(lengthMs) };
          const metrics = byDate.get(date);
          return (
            <tr key={date}>
              <th scope="row">
                <strong>{format.weekday(date)}</strong>
                <br />
                {format.dayOfMonth(date)}
                {heartRange && hasRecording && (
                  <small>
                    {withUnit(
                      `${format.number(heartRange.low)}–${format.number(heartRange.high)}`,
                      t('lanes.units.bpm'),
                    )}
                  </small>
                )}
              </th>
              <td>
                {!canOpen || !data ? (
                  <span className={paper.muted}>{t('paper.week.outside')}</span>
                ) : hasRecording ? (
                  <Picture
                    draw={drawWithChanges(
                      drawWeekDay(data, scale, heartRange, t),
                      scale,
                      clockChanges(day.midnightMs, day.nextMidnightMs, subject.timezones),
                    )}
                    widthPx={scale.widthPx}
                    heightPx={HEIGHT_PX}
                    label={format.date(date)}
                  />
                ) : (
                  <span className={paper.muted}>{t('wear.gap')}</span>
                )}
              </td>
              {WEEK_METRICS.map((name) => {
                const value = metrics?.[name];
                return (
                  <td key={name} className={paper.number}>
                    {value !== undefined ? (
                      withUnit(metricText(name, value, format, subject.timezones), unitText(name, t))
                    ) : canOpen ? (
                      <span className={paper.muted}>{t('metrics.notEnough')}</span>
                    ) : null}
                  </td>
                );
              })}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
