/** A week of a subject: seven day strips on one scale, with the main metrics of each day and of the whole study. */
import { type KeyboardEvent, useMemo } from 'react';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import type { DeskSubject } from '../../../shared/api/queries.ts';
import { toPx } from '../../../shared/charts/scale.ts';
import { axisOf } from '../../../shared/charts/timeline/ticks.ts';
import { useWidth } from '../../../shared/charts/use-width.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { panelClass } from '../../../shared/kit/page.tsx';
import { fixedZone, localDay, zoneAt } from '../../../shared/time/local-day.ts';
import { unitBeside } from '../../metrics/metric.ts';
import { ActivityLegend } from '../day-parts.tsx';
import { MedianRow } from './metric-value.tsx';
import { type useWeek, useWeekTitle } from './use-week.ts';
import styles from './week.module.css';
import { WeekDayRow } from './week-day-row.tsx';
import { WEEK_METRICS, type WeekMetrics } from './week-metrics.ts';

/** A day of 24 hours, for the common axis; a day with a clock change is marked in its own strip. */
const plainDay = localDay('2001-01-01', fixedZone('Etc/GMT'));

/** Moves the focus from day to day with Up and Down, as in a list. */
function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('a[data-day]')];
  const next = links[links.indexOf(document.activeElement as HTMLAnchorElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Clock labels of a plain day, on the scale of the longest day of the week. */
function AxisLabels({ widthPx, longestMs }: { widthPx: number; longestMs: number }) {
  const { scale, labels } = useMemo(() => {
    const scale = {
      startMs: plainDay.midnightMs,
      stopMs: plainDay.nextMidnightMs,
      widthPx: Math.round((widthPx * 24 * HOUR_MS) / longestMs),
    };
    return { scale, labels: axisOf(scale, fixedZone('Etc/GMT'), []).labels };
  }, [widthPx, longestMs]);
  return labels.map((label) => (
    <span key={label.ms} style={{ left: toPx(scale, label.ms) }}>
      {label.clock}
    </span>
  ));
}

export function Week({
  subject,
  date,
  data: { week, heartRange, longestMs },
  metrics,
}: {
  subject: DeskSubject;
  date: string;
  data: ReturnType<typeof useWeek>;
  metrics: WeekMetrics;
}) {
  const { t } = useWords();
  const { timezones } = subject;
  const [plot, widthPx] = useWidth();
  const title = useWeekTitle(week);
  const present = new Set(week.flatMap(({ data }) => data?.activity.map(({ value }) => value) ?? []));
  return (
    <div className={`${panelClass} ${styles.week}`}>
      <table onKeyDown={onArrow}>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col" className={styles.dayHead}>
              <span className="visually-hidden">{t('metrics.date')}</span>
              {week[0] && zoneAt(week[0].day.midnightMs, timezones)}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('week.plot')}</span>
              <div className={styles.axis} ref={plot}>
                <AxisLabels widthPx={widthPx} longestMs={longestMs} />
              </div>
            </th>
            {WEEK_METRICS.map((name) => (
              <th key={name} scope="col" className={styles.number}>
                {t(`metrics.single.${name}`)} {unitBeside(name, t) && <small>{unitBeside(name, t)}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {week.map((day) => (
            <WeekDayRow
              key={day.date}
              subject={subject}
              day={day}
              isCurrent={day.date === date}
              widthPx={widthPx}
              scale={{ heartRange, longestMs }}
              metrics={metrics}
            />
          ))}
        </tbody>
        <tfoot>
          <MedianRow metrics={metrics} clock={timezones} />
        </tfoot>
      </table>
      <ActivityLegend present={present} note={heartRange && t('week.heartNote')} />
    </div>
  );
}
