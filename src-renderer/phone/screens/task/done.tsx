/** After a task: whether its answers have reached the study team, or wait on this phone. */
import { ButtonLink } from '../../kit/button.tsx';
import { Emblem } from '../../kit/emblem.tsx';
import { Page } from '../../kit/page.tsx';
import { usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import { partsOf } from '../today/day-parts.ts';
import styles from './task.module.css';

export function DoneScreen({ date, taskId }: { date: string; taskId: string }) {
  const { t } = useWords();
  const { days, tasks, today } = usePhone();
  const due = days.find((day) => day.date === date)?.tasks.find((task) => task.taskId === taskId);
  const isSent = due?.state === 'DONE';
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
        <Emblem icon={isSent ? 'check' : 'waiting'} tone={isSent ? 'good' : 'warn'} />
        <div role="status">
          <h2>{t(isSent ? 'task.sentTitle' : 'task.keptTitle')}</h2>
          <p className={styles.doneText}>{t(isSent ? 'task.sentText' : 'task.keptText')}</p>
        </div>
        {left > 0 && <p className={styles.muted}>{t('task.left', { count: left })}</p>}
      </div>
    </Page>
  );
}
