/** A week as rows of numbers: what the strips draw, for whoever reads rows better than pictures. */
import { Link } from '@tanstack/react-router';
import type { SubjectDetail } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Faint } from '../../../shared/kit/data-table.tsx';
import { noteClass, panelClass } from '../../../shared/kit/page.tsx';
import table from '../../../shared/kit/table.module.css';
import { headerText, metricText, type SingleName } from '../../metrics/metric.ts';
import { useOutsideWords } from './outside.ts';
import styles from './week.module.css';
import { ACTIVITIES, activitySeconds, type WeekRow } from './week-rows.ts';

const METRICS: readonly SingleName[] = ['SENSOR_WEAR_DURATION', 'SLEEPING_DURATION', 'RESTING_AVG_HR', 'MOVING_STEPS'];

const DAY_SECONDS = 86_400;

export function WeekTable({ subject, rows, caption }: { subject: SubjectDetail; rows: WeekRow[]; caption: string }) {
  const { t, format } = useWords();
  const { studyId, id: subjectId, timezones } = subject;
  const activities = ACTIVITIES.filter((activity) => rows.some((row) => (activitySeconds(row, activity) ?? 0) > 0));
  const outside = useOutsideWords(subject);
  const isUneven = rows.some(({ lengthSeconds }) => lengthSeconds !== DAY_SECONDS);
  const number = table.number;
  return (
    <div className={`${panelClass} ${styles.tablePanel}`}>
      <p className={noteClass}>{t('week.tableNote')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={table.frame} aria-label={caption} tabIndex={0}>
        <table className={`${table.table} ${styles.numbers}`}>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{t('metrics.date')}</th>
              {METRICS.map((name) => (
                <th key={name} scope="col" className={number}>
                  {headerText(name, t)}
                </th>
              ))}
              <th scope="col" className={number}>
                {t('table.withNote', { name: t('lanes.heartRate'), aside: t('lanes.units.bpm') })}
                <small>{t('week.heart')}</small>
              </th>
              {activities.map((activity) => (
                <th key={activity} scope="col" className={number}>
                  {t(`activity.${activity}`)}
                </th>
              ))}
              <th scope="col" className={number}>
                {t('wear.gap')}
              </th>
              {isUneven && (
                <th scope="col" className={number}>
                  {t('week.length')}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const { date, canOpen, hasRecording, totals, metrics } = row;
              const none = <Faint>{t(hasRecording ? 'days.noValue' : 'wear.gap')}</Faint>;
              if (!canOpen)
                return (
                  <tr key={date}>
                    <td>{format.shortDate(date)}</td>
                    <td colSpan={METRICS.length + activities.length + (isUneven ? 3 : 2)}>
                      <Faint>{outside(date)}</Faint>
                    </td>
                  </tr>
                );
              const heart = totals?.heartRate;
              return (
                <tr key={date}>
                  <td>
                    <Link
                      to="/studies/$studyId/subjects/$subjectId/days"
                      params={{ studyId, subjectId }}
                      search={{ date }}
                    >
                      {format.shortDate(date)}
                    </Link>
                  </td>
                  {METRICS.map((name) => (
                    <td key={name} className={number}>
                      {metrics?.[name] === undefined ? (
                        <Faint>{t(hasRecording ? 'metrics.notEnough' : 'wear.gap')}</Faint>
                      ) : (
                        metricText(name, metrics[name], format, timezones)
                      )}
                    </td>
                  ))}
                  <td className={number}>
                    {heart ? (
                      <>
                        {format.number(heart.mean)}{' '}
                        <Faint>
                          ({t('table.range', { low: format.number(heart.low), high: format.number(heart.high) })})
                        </Faint>
                      </>
                    ) : (
                      none
                    )}
                  </td>
                  {activities.map((activity) => {
                    const seconds = activitySeconds(row, activity);
                    return (
                      <td key={activity} className={number}>
                        {seconds === undefined ? none : format.duration(seconds)}
                      </td>
                    );
                  })}
                  <td className={number}>{format.duration(totals ? totals.gapSeconds : row.lengthSeconds)}</td>
                  {isUneven && <td className={number}>{format.duration(row.lengthSeconds)}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </div>
  );
}
