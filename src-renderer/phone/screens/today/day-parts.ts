/** The parts of a day: what to do now, later, what is done, what was missed. Pure. */
import type { Draft, DueTask, PhoneDay } from '../../model.ts';

export interface DayParts {
  now: readonly DueTask[];
  later: readonly DueTask[];
  done: readonly DueTask[];
  missed: readonly DueTask[];
}

export function partsOf(tasks: readonly DueTask[]): DayParts {
  const inState = (...states: DueTask['state'][]) => tasks.filter(({ state }) => states.includes(state));
  return {
    now: [...inState('STARTED'), ...inState('DUE')],
    later: inState('LATER'),
    done: inState('DONE', 'WAITING_TO_SEND'),
    missed: inState('MISSED'),
  };
}

/** Drafts that no card of this day shows: of an earlier day, or of a task that has left the program. */
export function otherDrafts(drafts: Readonly<Record<string, Draft>>, tasks: readonly DueTask[]): Draft[] {
  const shown = new Set(tasks.map(({ draftId }) => draftId));
  return Object.values(drafts)
    .filter(({ id }) => !shown.has(id))
    .sort((a, b) => b.openedTs - a.openedTs);
}

/** The next days with tasks, after a date. */
export const nextDay = (days: readonly PhoneDay[], after: string): PhoneDay | undefined =>
  days.find(({ date, tasks }) => date > after && tasks.length > 0);

/** The part of the day by the local clock, for the greeting. */
export function partOfDay(clock: string): 'morning' | 'afternoon' | 'evening' {
  const hour = Number(clock.slice(0, 2));
  if (hour >= 4 && hour < 12) return 'morning';
  return hour >= 12 && hour < 18 ? 'afternoon' : 'evening';
}
