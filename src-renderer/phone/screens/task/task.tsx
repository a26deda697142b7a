/** A task before it is opened, from the list of what comes later or was missed: it may be done all the same. */
import { Button } from '../../kit/button.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { Card, Page } from '../../kit/page.tsx';
import { navigate, pathOf } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import styles from './task.module.css';

export function TaskScreen({ date, taskId }: { date: string; taskId: string }) {
  const { t } = useWords();
  const { days, tasks, today } = usePhone();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const task = tasks[taskId];
  const due = days.find((day) => day.date === date)?.tasks.find((item) => item.taskId === taskId);
  if (!task || !due) return <GoneTask />;
  const begin = () => run(async () => navigate(pathOf('draft', await actions.open(taskId, date)), { replaces: true }));
  return (
    <Page
      title={task.displayName}
      backTo="/today"
      actions={
        date === today && (
          <Button look="primary" aria-disabled={isBusy} onClick={begin}>
            {t('task.beginAnyway')}
          </Button>
        )
      }
    >
      {due.window && (
        <Notice icon="clock">
          {t(due.state === 'MISSED' ? 'task.wasPlanned' : 'task.isPlanned', {
            start: due.window.start,
            end: due.window.end,
          })}
        </Notice>
      )}
      {task.instructions && (
        <Card>
          <p className={styles.instructions}>{task.instructions}</p>
        </Card>
      )}
      <Failure text={failure} />
    </Page>
  );
}

/** The study team took a task out of the program, or the address is old. */
export function GoneTask() {
  const { t } = useWords();
  return (
    <Page
      title={t('task.goneTitle')}
      backTo="/today"
      actions={
        <Button look="primary" onClick={() => navigate('/today', { replaces: true })}>
          {t('frame.toToday')}
        </Button>
      }
    >
      <p>{t('task.goneText')}</p>
    </Page>
  );
}
