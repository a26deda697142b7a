/** The marks of a day: number, shade and shape, with a full sentence for screen readers. */
import { useCallback } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import styles from './adherence.module.css';
import { type DayFacts, step, type TaskState } from './day-state.ts';

const SHAPES: Record<TaskState, string> = {
  completed: 'M2.500 6.300 5 8.800 9.500 3.500',
  partly: 'M6 1.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9Z',
  missed: 'M3 3l6 6M9 3 3 9',
  open: 'M6 1.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9Z',
  none: 'M6 2.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7ZM3.200 8.800 8.800 3.200',
  before: 'M2 6h7M6.500 3.500 9 6 6.500 8.500',
  over: 'M3.500 3.500h5v5h-5Z',
};

/** The shape of a state, readable without colour. */
export function StateShape({ state }: { state: TaskState }) {
  return (
    <svg className={styles.shape} data-state={state} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
      <path d={SHAPES[state]} fill="none" />
      {state === 'partly' && <path d="M6 1.500a4.500 4.500 0 0 0 0 9Z" fill="currentColor" />}
    </svg>
  );
}

const DAY_SECONDS = 86_400;

/** Returns a function that describes a day in one sentence: its tasks, then its wear time. */
export function useDaySentence(): (day: DayFacts) => string {
  const { t, format } = useWords();
  return useCallback(
    (day) => {
      const { state, assigned, completed } = day;
      const tasks = t(`adherence.sentence.${state}`, { assigned, completed, count: assigned });
      const wear =
        day.wearSeconds === undefined
          ? t(
              day.isFuture
                ? 'adherence.sentence.toCome'
                : day.isToday
                  ? 'adherence.sentence.noWearYet'
                  : 'adherence.sentence.noWear',
            )
          : t('adherence.sentence.wear', { duration: format.duration(day.wearSeconds) });
      return t(day.isToday ? 'adherence.sentence.today' : 'adherence.sentence.day', {
        date: format.date(day.date),
        tasks,
        wear,
      });
    },
    [t, format],
  );
}

/** The tasks of a day, as `3/5` with the shape of its state. */
export function TaskMark({ day }: { day: DayFacts }) {
  const share = day.assigned > 0 ? day.completed / day.assigned : 0;
  return (
    <span className={styles.mark} data-measure="tasks" data-state={day.state} data-step={step(share)}>
      <StateShape state={day.state} />
      {day.assigned > 0 && `${day.completed}/${day.assigned}`}
    </span>
  );
}

/** `unknown` for a past day of the program without wear data; `idle` for future days and days outside the program. */
const wearState = ({ wearSeconds, state, isFuture }: DayFacts) =>
  wearSeconds !== undefined ? undefined : isFuture || state === 'before' || state === 'over' ? 'idle' : 'unknown';

/** The hours worn on a day. With `isAlone`, nothing else marks the day, so days outside the program get their shape here. */
export function WearMark({ day, isAlone }: { day: DayFacts; isAlone?: boolean }) {
  const { t, format } = useWords();
  if (day.wearSeconds === undefined)
    return (
      <span className={styles.mark} data-measure="wear" data-state={wearState(day)}>
        {isAlone && (day.state === 'before' || day.state === 'over') && <StateShape state={day.state} />}
      </span>
    );
  return (
    <span className={styles.mark} data-measure="wear" data-step={step(day.wearSeconds / DAY_SECONDS)}>
      {t('adherence.hours', { value: format.number(day.wearSeconds / 3600) })}
    </span>
  );
}

/** A compact strip of days for one row of a list: tasks above, wear time below. */
export function DayStrip({ days, label }: { days: readonly DayFacts[]; label: string }) {
  return (
    <span className={styles.strip} role="img" aria-label={label} title={label}>
      {days.map((day) => (
        <span key={day.date}>
          <span
            className={styles.mark}
            data-measure="tasks"
            data-state={day.state}
            data-step={step(day.assigned > 0 ? day.completed / day.assigned : 0)}
          >
            <StateShape state={day.state} />
          </span>
          <span
            className={styles.mark}
            data-measure="wear"
            data-state={wearState(day)}
            data-step={step((day.wearSeconds ?? 0) / DAY_SECONDS)}
          />
        </span>
      ))}
    </span>
  );
}

const SHADES = [1, 2, 3, 4, 5] as const;

const LEGEND: TaskState[] = ['completed', 'partly', 'missed', 'open', 'none', 'before', 'over'];

/** States that say something of a day's wear too. */
const LEGEND_OF_WEAR: TaskState[] = ['before', 'over'];

/** Explains the marks of one measure; without it, those of both. */
export function Legend({ measure }: { measure?: 'tasks' | 'wear' }) {
  const { t } = useWords();
  return (
    <ul className={styles.legend} aria-label={t('adherence.legend')}>
      {measure === 'wear' && (
        <li>
          <span className={styles.scale} aria-hidden="true">
            {SHADES.map((shade) => (
              <span key={shade} className={styles.mark} data-measure="wear" data-step={shade} />
            ))}
          </span>{' '}
          {t('adherence.shades')}
        </li>
      )}
      {(measure === 'wear' ? LEGEND_OF_WEAR : LEGEND).map((state) => (
        <li key={state}>
          <StateShape state={state} /> {t(`adherence.state.${state}`)}
        </li>
      ))}
      {measure !== 'tasks' && (
        <li>
          <span className={styles.mark} data-measure="wear" data-state="unknown" /> {t('adherence.noData')}
        </li>
      )}
    </ul>
  );
}
