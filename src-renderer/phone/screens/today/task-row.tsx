/** One task of a day as a line: its time, its name, its state in words and by an icon. */
import { Icon, type IconName } from '../../kit/icon.tsx';
import { hrefOf, pathOf } from '../../kit/route.ts';
import { usePhone } from '../../kit/use-phone.ts';
import type { DueTask } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import styles from './task-row.module.css';

const ICONS: Record<DueTask['state'], IconName> = {
  DUE: 'forward',
  STARTED: 'forward',
  LATER: 'clock',
  WAITING_TO_SEND: 'waiting',
  DONE: 'check',
  MISSED: 'minus',
};

export function TaskRow({ task, date, opens }: { task: DueTask; date: string; opens: boolean }) {
  const { t, format } = useWords();
  const { timeZone } = usePhone();
  const { window, state, completedTs } = task;
  const time = window ? t('today.window', { start: window.start, end: window.end }) : t('today.anyTime');
  const note =
    completedTs !== undefined && (state === 'DONE' || state === 'WAITING_TO_SEND')
      ? t(`today.completed.${state}`, { time: format.clock(completedTs, timeZone) })
      : time;
  const content = (
    <>
      <span className={`${styles.state} ${styles[state]}`}>
        <Icon name={ICONS[state]} size={20} />
      </span>
      <span className={styles.text}>
        <span className={styles.name}>{task.displayName}</span>
        <span className={styles.note}>
          <span className="visually-hidden">{t(`today.states.${state}`)}: </span>
          {note}
        </span>
      </span>
      {opens && <Icon name="forward" size={20} />}
    </>
  );
  return opens ? (
    <a className={styles.row} href={hrefOf(pathOf('task', date, task.taskId))}>
      {content}
    </a>
  ) : (
    <div className={styles.row}>{content}</div>
  );
}
