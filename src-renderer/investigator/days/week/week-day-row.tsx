/** One day of the week as a table row: link, strip, and its main metrics. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { DeskSubject } from '../../../shared/api/queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { heartSummary } from '../day-below.tsx';
import { totalsOf } from '../lanes/day-data.ts';
import { MetricValue } from './metric-value.tsx';
import { useUnavailableText, type useWeek, type WeekDay } from './use-week.ts';
import styles from './week.module.css';
import { WEEK_METRICS, type WeekMetrics } from './week-metrics.ts';
import { HEART_PX, stripScale, WeekPlot } from './week-plot.tsx';

const DAYS_PAGE = '/studies/$studyId/subjects/$subjectId/days';

/** The strip of a day in words, for readers who do not see it; null where there is no such day. */
function useSpokenDay({ data, hasRecording, canOpen }: WeekDay): string | null {
  const { t, format } = useWords();
  if (!canOpen) return null;
  if (!hasRecording || !data) return t('wear.gap');
  const { heartRate, gapSeconds } = totalsOf(data, data.window);
  return t('week.spoken', { heart: heartSummary(heartRate, t, format), gap: format.duration(gapSeconds) });
}

function DayLink({ day, params, isCurrent }: { day: WeekDay; params: DayParams; isCurrent: boolean }) {
  const { t, format } = useWords();
  if (!day.canOpen)
    return (
      <span className={styles.faint}>
        <strong>{format.weekday(day.date)}</strong> {format.dayOfMonth(day.date)}
      </span>
    );
  return (
    <Link
      to={DAYS_PAGE}
      params={params}
      search={{ date: day.date }}
      data-day
      aria-current={isCurrent ? 'date' : undefined}
      className={styles.open}
      aria-label={t('week.open', { date: format.date(day.date) })}
    >
      <strong>{format.weekday(day.date)}</strong>
      {format.dayOfMonth(day.date)}
    </Link>
  );
}

interface DayParams {
  studyId: string;
  subjectId: string;
}

export function WeekDayRow({
  subject,
  day,
  isCurrent,
  widthPx,
  scale: { heartRange, longestMs },
  metrics: { byDate, isKnown },
}: {
  subject: DeskSubject;
  day: WeekDay;
  isCurrent: boolean;
  /** Width of the longest day; 0 before the page is laid out. */
  widthPx: number;
  scale: Pick<ReturnType<typeof useWeek>, 'heartRange' | 'longestMs'>;
  metrics: WeekMetrics;
}) {
  const { format } = useWords();
  const navigate = useNavigate();
  const unavailableText = useUnavailableText(subject);
  const spoken = useSpokenDay(day);
  const params: DayParams = { studyId: subject.studyId, subjectId: subject.id };
  return (
    <tr data-date={day.date} data-open={day.canOpen || undefined} data-current={isCurrent || undefined}>
      <th scope="row" className={styles.day}>
        <DayLink day={day} params={params} isCurrent={isCurrent} />
        {heartRange && day.hasRecording && (
          <span className={styles.scale} aria-hidden="true" style={{ height: HEART_PX }}>
            <span>{format.number(heartRange.high)}</span>
            <span>{format.number(heartRange.low)}</span>
          </span>
        )}
      </th>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keyboard users open the day by the link of the row */}
      <td
        onClick={() => day.canOpen && void navigate({ to: DAYS_PAGE, params, search: { date: day.date } })}
        className={styles.plot}
      >
        <span className="visually-hidden">{spoken}</span>
        {widthPx > 0 && (
          <WeekPlot
            outside={unavailableText(day.date)}
            one={day}
            scale={stripScale(day, longestMs, widthPx)}
            heartRange={heartRange}
            clock={subject.timezones}
          />
        )}
      </td>
      {WEEK_METRICS.map((name) => (
        <td key={name} className={styles.number}>
          {day.canOpen && isKnown && (
            <MetricValue name={name} value={byDate.get(day.date)?.[name]} clock={subject.timezones} />
          )}
        </td>
      ))}
    </tr>
  );
}
