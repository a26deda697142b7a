/** After a task: whether its answers have reached the study team, wait on this phone, or were refused. */
import { ButtonLink } from '../../kit/button.tsx';
import { Emblem } from '../../kit/emblem.tsx';
import { Page } from '../../kit/page.tsx';
import { usePhone } from '../../kit/use-phone.ts';
import type { PhoneSnapshot } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { partsOf } from '../today/day-parts.ts';
import styles from './task.module.css';

type Outcome = 'sent' | 'kept' | 'refused';

/** By what waits: the program of the phone knows neither a day long past nor a report that the site refused. */
function outcomeOf({ waiting, days }: PhoneSnapshot, place: DonePlace): Outcome {
  const { date, taskId, reportId } = place;
  if (reportId !== undefined) {
    const item = waiting.find(({ id }) => id === reportId);
    if (!item) return 'sent';
    return item.state === 'REFUSED' ? 'refused' : 'kept';
  }
  const due = days.find((day) => day.date === date)?.tasks.find((task) => task.taskId === taskId);
  return due?.state === 'DONE' ? 'sent' : 'kept';
}

interface DonePlace {
  date: string;
  taskId: string;
  reportId: string | undefined;
}

const LOOKS = {
  sent: { icon: 'check', tone: 'good' },
  kept: { icon: 'waiting', tone: 'warn' },
  refused: { icon: 'warn', tone: 'warn' },
} as const;

export function DoneScreen(place: DonePlace) {
  const { t } = useWords();
  const phone = usePhone();
  const { days, tasks, today } = phone;
  const { taskId } = place;
  const outcome = outcomeOf(phone, place);
  const left = partsOf(days.find((day) => day.date === today)?.tasks ?? []).now.length;
  return (
    <Page
      title={tasks[taskId]?.displayName ?? t('task.doneTitle')}
      actions={
        <ButtonLink look="primary" to="/today">
          {t('frame.toToday')}
        </ButtonLink>
      }
    >
      <div className={styles.done}>
        <Emblem {...LOOKS[outcome]} />
        <div role="status">
          <h2>{t(`task.${outcome}Title`)}</h2>
          <p className={styles.doneText}>{t(`task.${outcome}Text`)}</p>
        </div>
        {left > 0 && <p className={styles.muted}>{t('task.left', { count: left })}</p>}
      </div>
    </Page>
  );
}
