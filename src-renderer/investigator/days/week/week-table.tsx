/** A week as rows of numbers: the same values as the strips, for readers who prefer a table. */
import { Link } from '@tanstack/react-router';
import { DAY_MS } from '../../../../src-server/durations.ts';
import type { DeskSubject } from '../../../shared/api/queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Faint, TableFrame } from '../../../shared/kit/data-table.tsx';
import { noteClass, panelClass } from '../../../shared/kit/page.tsx';
import table from '../../../shared/kit/table.module.css';
import { headerText, metricText } from '../../metrics/metric.ts';
import type { Activity } from '../lanes/day-data.ts';
import { useUnavailableText } from './use-week.ts';
import styles from './week.module.css';
import { WEEK_METRICS } from './week-metrics.ts';
import { ACTIVITIES, activitySeconds, type WeekRow } from './week-rows.ts';

const number = table.number;

interface Columns {
  activities: readonly (Activity | 'unknown')[];
  /** Adds the length of each day, where not all days have 24 hours. */
  showsLength: boolean;
}

function HeadRow({ activities, showsLength }: Columns) {
  const { t } = useWords();
  return (
    <tr>
      <th scope="col">{t('metrics.date')}</th>
      {WEEK_METRICS.map((name) => (
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
      {showsLength && (
        <th scope="col" className={number}>
          {t('week.length')}
        </th>
      )}
    </tr>
  );
}

function DayRow({ subject, row, activities, showsLength }: { subject: DeskSubject; row: WeekRow } & Columns) {
  const { t, format } = useWords();
  const { studyId, id: subjectId, timezones } = subject;
  const { date, hasRecording, totals, metrics } = row;
  const none = <Faint>{t(hasRecording ? 'days.noValue' : 'wear.gap')}</Faint>;
  const heart = totals?.heartRate;
  return (
    <tr>
      <td>
        <Link to="/studies/$studyId/subjects/$subjectId/days" params={{ studyId, subjectId }} search={{ date }}>
          {format.shortDate(date)}
        </Link>
      </td>
      {WEEK_METRICS.map((name) => (
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
            <Faint>({t('table.range', { low: format.number(heart.low), high: format.number(heart.high) })})</Faint>
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
      <td className={number}>{format.duration(totals ? totals.gapSeconds : row.passedSeconds)}</td>
      {showsLength && <td className={number}>{format.duration(row.lengthSeconds)}</td>}
    </tr>
  );
}

export function WeekTable({ subject, rows, caption }: { subject: DeskSubject; rows: WeekRow[]; caption: string }) {
  const { t, format } = useWords();
  const unavailableText = useUnavailableText(subject);
  const columns: Columns = {
    activities: ACTIVITIES.filter((activity) => rows.some((row) => (activitySeconds(row, activity) ?? 0) > 0)),
    showsLength: rows.some(({ lengthSeconds }) => lengthSeconds * 1000 !== DAY_MS),
  };
  const columnCount = WEEK_METRICS.length + columns.activities.length + (columns.showsLength ? 3 : 2);
  return (
    <div className={`${panelClass} ${styles.tablePanel}`}>
      <p className={noteClass}>{t('week.tableNote')}</p>
      <TableFrame caption={caption} tableClassName={styles.numbers}>
        <thead>
          <HeadRow {...columns} />
        </thead>
        <tbody>
          {rows.map((row) =>
            row.canOpen ? (
              <DayRow key={row.date} subject={subject} row={row} {...columns} />
            ) : (
              <tr key={row.date}>
                <td>{format.shortDate(row.date)}</td>
                <td colSpan={columnCount}>
                  <Faint>{unavailableText(row.date)}</Faint>
                </td>
              </tr>
            ),
          )}
        </tbody>
      </TableFrame>
    </div>
  );
}
