/** The page of a week: tools, the day picker strip, and the seven days as strips or as a table. */

import { useNavigate, useSearch } from '@tanstack/react-router';
import { fileName } from '../../../shared/api/download.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import type { DeskSubject } from '../../../shared/api/queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { CsvButton, IconButton } from '../../../shared/kit/controls.tsx';
import { ReadError } from '../../../shared/kit/state.tsx';
import { useCommands } from '../../commands/commands.ts';
import { type DayOption, weekFrom } from '../day-options.ts';
import styles from '../days.module.css';
import { DayStrip } from '../picker/day-strip.tsx';
import { DayTools } from '../tools.tsx';
import { useWeek, useWeekTitle } from './use-week.ts';
import { Week } from './week.tsx';
import { useMetricsByDate } from './week-metrics.ts';
import { weekCsv, weekRows } from './week-rows.ts';
import { WeekTable } from './week-table.tsx';

export function WeekView({ subject, days, date }: { subject: DeskSubject; days: DayOption[]; date: string }) {
  const { t } = useWords();
  const navigate = useNavigate({ from: '/studies/$studyId/subjects/$subjectId/days' });
  const goTo = (next: string) => void navigate({ search: (old) => ({ ...old, date: next }), replace: true });
  const step = (direction: -1 | 1) => {
    const next = weekFrom(days, date, direction);
    if (next !== undefined) goTo(next);
  };
  const print = () => void navigate({ to: '/print/studies/$studyId/subjects/$subjectId/week', search: { date } });
  const { view } = useSearch({ from: '/desk/studies/$studyId/subjects/$subjectId/days' });
  const isTable = view === 'week-table';
  const mayExport = usePermissions()('analytics.export', subject.studyId);
  const data = useWeek(subject, days, date);
  const metrics = useMetricsByDate(subject);
  const failed = data.failed ?? (metrics.query.error ? metrics.query : undefined);
  const rows = weekRows(data.week, metrics.byDate);
  const title = useWeekTitle(data.week);
  useCommands([
    { id: 'day.previous', label: t('days.previousWeek'), keys: [','], scope: 'page', run: () => step(-1) },
    { id: 'day.next', label: t('days.nextWeek'), keys: ['.'], scope: 'page', run: () => step(1) },
    { id: 'week.print', label: t('week.print'), keys: ['p'], scope: 'page', run: print },
    {
      id: 'day.week',
      label: t('commands.toggleWeek'),
      keys: ['w'],
      scope: 'page',
      run: () => void navigate({ search: (old) => ({ ...old, view: undefined }), replace: true }),
    },
    {
      id: 'day.table',
      label: t('commands.toggleTable'),
      keys: ['t'],
      scope: 'page',
      run: () => void navigate({ search: (old) => ({ ...old, view: isTable ? 'week' : 'week-table' }), replace: true }),
    },
  ]);
  return (
    <div className={styles.page}>
      <DayTools subject={subject} days={days} date={date} onDate={goTo} onStep={step} hasRecording={false}>
        <IconButton kind="quiet" icon="page" label={t('week.print')} onPress={print} />
        {mayExport && (
          <CsvButton
            label={t('week.csv')}
            fileName={fileName(subject.displayName, data.week[0]?.date ?? date, 'week.csv')}
            text={() => weekCsv(rows)}
          />
        )}
      </DayTools>
      {days.length > 1 && <DayStrip date={date} days={days} onDate={goTo} />}
      {failed?.error && (
        <ReadError
          error={failed.error}
          onRetry={() => void failed.refetch()}
          asOf={failed.data === undefined ? undefined : failed.dataUpdatedAt}
        />
      )}
      {isTable ? (
        <WeekTable subject={subject} rows={rows} caption={title} />
      ) : (
        <Week subject={subject} date={date} data={data} metrics={metrics} />
      )}
    </div>
  );
}
