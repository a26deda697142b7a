/** What arrived in a study, counted from its events. */
import type { StudyEvent } from '../../../src-server/api/contract/resources/events.ts';

export interface ArrivalCounts {
  recordings: number;
  tasks: number;
  messages: number;
  analyses: number;
}

/** Counts what came from subjects, and the days that were analysed: messages of staff, and reminders that the site sends for them, did not arrive. */
export function arrivalCounts(events: readonly Pick<StudyEvent, 'action' | 'author'>[]): ArrivalCounts {
  const count = (...actions: StudyEvent['action'][]) => events.filter(({ action }) => actions.includes(action)).length;
  const ofStaff = events.filter(
    ({ action, author }) => action === 'MESSAGE_POSTED' && author?.principalType !== 'SUBJECT',
  ).length;
  return {
    recordings: count('RECORDING_UPLOADED'),
    tasks: count('ACTIVITY_COMPLETED', 'DIARY_COMPLETED'),
    messages: count('MESSAGE_POSTED') - ofStaff,
    analyses: count('METRICS_PROCESSED'),
  };
}
