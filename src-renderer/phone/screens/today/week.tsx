/** The days behind and ahead, as far as the phone knows them; each day is a list of its tasks. */
import { useEffect, useRef } from 'react';
import { Page, Stack } from '../../kit/page.tsx';
import { usePhone } from '../../kit/use-phone.ts';
import type { PhoneDay } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { TaskRow } from './task-row.tsx';
import styles from './week.module.css';

export function WeekScreen() {
  const { t } = useWords();
  const { days } = usePhone();
  return (
    <Page title={t('week.title')} screen="week" backTo="/today">
      {days.length === 0 ? (
        <p>{t('week.empty')}</p>
      ) : (
        <Stack>
          {days.map((day) => (
            <Day key={day.date} day={day} />
          ))}
        </Stack>
      )}
    </Page>
  );
}

function Day({ day }: { day: PhoneDay }) {
  const { t, format } = useWords();
  const { today } = usePhone();
  const card = useRef<HTMLElement>(null);
  const isToday = day.date === today;
  useEffect(() => {
    if (!isToday) return;
    // After the frame has scrolled the new screen to its top.
    const frame = requestAnimationFrame(() => card.current?.scrollIntoView({ block: 'nearest' }));
    return () => cancelAnimationFrame(frame);
  }, [isToday]);
  return (
    <section ref={card} className={isToday ? styles.today : styles.day} aria-current={isToday ? 'date' : undefined}>
      <h2 className={styles.date}>
        <span>{format.shortDate(day.date)}</span>
        {isToday && <span className={styles.badge}>{t('tabs.today')}</span>}
      </h2>
      {day.tasks.length === 0 ? (
        <p className={styles.none}>{t('week.none')}</p>
      ) : (
        <ul>
          {day.tasks.map((task) => (
            <li key={task.taskId}>
              <TaskRow
                task={task}
                date={day.date}
                opens={isToday && task.state !== 'DONE' && task.state !== 'WAITING_TO_SEND'}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
