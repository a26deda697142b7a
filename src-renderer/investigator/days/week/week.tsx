/** A week of a subject: seven days under each other on one scale, with their main numbers and those of the whole study. */

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useMemo } from 'react';
import type { SubjectDetail } from '../../../../src-server/api/contract/index.ts';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import { metricsQuery } from '../../../shared/api/queries.ts';
import { toPx } from '../../../shared/charts/scale.ts';
import { axisOf } from '../../../shared/charts/timeline/ticks.ts';
import { useWidth } from '../../../shared/charts/use-width.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Faint } from '../../../shared/kit/data-table.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { fixedZone, localDate, localDay, zoneAt } from '../../../shared/time/local-day.ts';
import { metricText, quantile, type SingleName, unitBeside } from '../../metrics/metric.ts';
import { ActivityLegend } from '../day-parts.tsx';
import { totalsOf } from '../lanes/day-data.ts';
import { useOutsideWords } from './outside.ts';
import type { useWeek, WeekDay } from './use-week.ts';
import styles from './week.module.css';
import { HEART_PX, stripScale, WeekPlot } from './week-plot.tsx';

const COLUMNS: readonly SingleName[] = ['SENSOR_WEAR_DURATION', 'SLEEPING_DURATION', 'RESTING_AVG_HR', 'MOVING_STEPS'];
/** As on the page of the metrics: fewer days have no meaningful middle. */
const LEAST_DAYS = 5;

/** Ticks of an ordinary day; a day whose clock jumps says so in its own strip. */
const plainDay = localDay('2001-01-01', fixedZone('Etc/GMT'));

export function useMetricsByDate(subject: SubjectDetail) {
  const metrics = useQuery(metricsQuery(subject.studyId, subject.id));
  return useMemo(() => {
    const items = metrics.data?.items ?? [];
    const of = (name: SingleName) => items.flatMap((item) => item.metrics[name] ?? []).sort((a, b) => a - b);
    return {
      byDate: new Map(items.map((item) => [localDate(item.dayStartMsUtc, item.subjectTz), item.metrics])),
      sorted: new Map(COLUMNS.map((name) => [name, of(name)])),
      count: items.length,
      isKnown: metrics.data !== undefined,
      query: metrics,
    };
  }, [metrics]);
}

export function useWeekTitle(week: readonly WeekDay[]): string {
  const { t, format } = useWords();
  const { first, last } = format.span(week[0].date, week[week.length - 1].date);
  return t('week.title', { from: first, to: last });
}

/** Up and Down go from day to day, as in a list. */
function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('a[data-day]')];
  const next = links[links.indexOf(document.activeElement as HTMLAnchorElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

export function Week({
  subject,
  date,
  data: { week, heartRange, longestMs },
  metrics: { byDate, sorted, count, isKnown },
}: {
  subject: SubjectDetail;
  date: string;
  data: ReturnType<typeof useWeek>;
  metrics: ReturnType<typeof useMetricsByDate>;
}) {
  const { t, format } = useWords();
  const { timezones, studyId, id: subjectId } = subject;
  const [plot, widthPx] = useWidth();
  const navigate = useNavigate();
  const to = '/studies/$studyId/subjects/$subjectId/days';
  const params = { studyId, subjectId };
  const axisScale = {
    startMs: plainDay.midnightMs,
    stopMs: plainDay.nextMidnightMs,
    widthPx: Math.round((widthPx * 24 * HOUR_MS) / longestMs),
  };
  const axis = axisOf(axisScale, fixedZone('Etc/GMT'), []);
  const present = new Set(week.flatMap(({ data }) => data?.activity.map(({ value }) => value) ?? []));

  const cell = (name: SingleName, value: number | undefined) =>
    value === undefined ? <Faint>{t('metrics.notEnough')}</Faint> : metricText(name, value, format, timezones);
  const spoken = ({ data, hasRecording, canOpen }: WeekDay) => {
    if (!canOpen) return null;
    if (!hasRecording || !data) return t('wear.gap');
    const { heartRate, gapSeconds } = totalsOf(data, data.window);
    return t('week.spoken', {
      heart: heartRate
        ? t('days.summaryHeart', {
            low: format.number(heartRate.low),
            high: format.number(heartRate.high),
            mean: format.number(heartRate.mean),
          })
        : t('days.summaryNoHeart'),
      gap: format.duration(gapSeconds),
    });
  };
  const outside = useOutsideWords(subject);
  const title = useWeekTitle(week);

  return (
    <div className={`${panelClass} ${styles.week}`}>
      <table onKeyDown={onArrow}>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col" className={styles.dayHead}>
              <span className="visually-hidden">{t('metrics.date')}</span>
              {zoneAt(week[0].day.midnightMs, timezones)}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('week.plot')}</span>
              <div className={styles.axis} ref={plot}>
                {axis.labels.map((label) => (
                  <span key={label.ms} style={{ left: toPx(axisScale, label.ms) }}>
                    {label.clock}
                  </span>
                ))}
              </div>
            </th>
            {COLUMNS.map((name) => (
              <th key={name} scope="col" className={styles.number}>
                {t(`metrics.single.${name}`)} {unitBeside(name, t) && <small>{unitBeside(name, t)}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {week.map((one) => (
            <tr
              key={one.date}
              data-date={one.date}
              data-open={one.canOpen || undefined}
              data-current={one.date === date || undefined}
            >
              <th scope="row" className={styles.day}>
                {one.canOpen ? (
                  <Link
                    to={to}
                    params={params}
                    search={{ date: one.date }}
                    data-day
                    aria-current={one.date === date ? 'date' : undefined}
                    className={styles.open}
                    aria-label={t('week.open', { date: format.date(one.date) })}
                  >
                    <strong>{format.weekday(one.date)}</strong>
                    {format.dayOfMonth(one.date)}
                  </Link>
                ) : (
                  <span className={styles.faint}>
                    <strong>{format.weekday(one.date)}</strong> {format.dayOfMonth(one.date)}
                  </span>
                )}
                {heartRange && one.hasRecording && (
                  <span className={styles.scale} aria-hidden="true" style={{ height: HEART_PX }}>
                    <span>{format.number(heartRange.high)}</span>
                    <span>{format.number(heartRange.low)}</span>
                  </span>
                )}
              </th>
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link of the row is the way by keyboard */}
              <td
                onClick={() => one.canOpen && void navigate({ to, params, search: { date: one.date } })}
                className={styles.plot}
              >
                <span className="visually-hidden">{spoken(one)}</span>
                {widthPx > 0 && (
                  <WeekPlot
                    outside={outside(one.date)}
                    one={one}
                    scale={stripScale(one, longestMs, widthPx)}
                    heartRange={heartRange}
                    clock={timezones}
                  />
                )}
              </td>
              {COLUMNS.map((name) => (
                <td key={name} className={styles.number}>
                  {one.canOpen && isKnown && cell(name, byDate.get(one.date)?.[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={2}>
              {isKnown && (count >= LEAST_DAYS ? t('week.median', { count }) : t('week.medianFew'))}
            </th>
            {COLUMNS.map((name) => {
              const values = sorted.get(name) ?? [];
              return (
                <td key={name} className={styles.number}>
                  {values.length >= LEAST_DAYS && (
                    <>
                      {cell(name, quantile(values, 0.5))}
                      <small>
                        <span>{cell(name, quantile(values, 0.1))} –</span>{' '}
                        <span>{cell(name, quantile(values, 0.9))}</span>
                      </small>
                    </>
                  )}
                </td>
              );
            })}
          </tr>
        </tfoot>
      </table>
      <ActivityLegend present={present} note={heartRange && t('week.heartNote')} />
    </div>
  );
}
