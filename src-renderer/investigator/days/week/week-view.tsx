/** The page of a week: its tools, the strip of days, and the seven days. */
import { useNavigate } from '@tanstack/react-router';
import type { SubjectDetail } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { useCommands } from '../../commands/commands.ts';
import { type DayOption, weekFrom } from '../day-options.ts';
import { DayStrip } from '../day-picker.tsx';
import styles from '../days.module.css';
import { DayTools } from '../tools.tsx';
import { Week } from './week.tsx';

export function WeekView({ subject, days, date }: { subject: SubjectDetail; days: DayOption[]; date: string }) {
  const { t } = useWords();
  const navigate = useNavigate({ from: '/studies/$studyId/subjects/$subjectId/days' });
  const goTo = (next: string) => void navigate({ search: (old) => ({ ...old, date: next }), replace: true });
  const step = (direction: -1 | 1) => {
    const next = weekFrom(days, date, direction);
    if (next !== undefined) goTo(next);
  };
  useCommands([
    { id: 'day.previous', label: t('days.previousWeek'), keys: [','], scope: 'page', run: () => step(-1) },
    { id: 'day.next', label: t('days.nextWeek'), keys: ['.'], scope: 'page', run: () => step(1) },
    {
      id: 'day.week',
      label: t('commands.toggleWeek'),
      keys: ['w'],
      scope: 'page',
      run: () => void navigate({ search: (old) => ({ ...old, view: undefined }), replace: true }),
    },
  ]);
  return (
    <div className={styles.page}>
      <DayTools subject={subject} days={days} date={date} onDate={goTo} onStep={step} hasRecording={false} />
      {days.length > 1 && <DayStrip date={date} days={days} onDate={goTo} />}
      <Week subject={subject} days={days} date={date} />
    </div>
  );
}
