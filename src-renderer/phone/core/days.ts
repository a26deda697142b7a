/** The days of the subject as screens show them: what the site said, and what was done on this phone since. */
import type { PhoneClock } from '../clock/phone-clock.ts';
import type { DueTask, PhoneDay } from '../model.ts';
import type { DayRecord, DraftRecord, OutboxRecord } from '../store/records.ts';

interface Facts {
  today: string;
  /** Site's clock. */
  nowTs: number;
  drafts: readonly DraftRecord[];
  outbox: readonly OutboxRecord[];
  clock: PhoneClock;
}

export function daysSeen(days: readonly DayRecord[], facts: Facts): PhoneDay[] {
  return days
    .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    .map(({ date, dayNumber, tasks }) => ({
      date,
      ...(dayNumber !== undefined && { dayNumber }),
      tasks: tasks.map((task) => taskSeen(task, date, facts)),
    }));
}

function taskSeen(task: DayRecord['tasks'][number], date: string, facts: Facts): DueTask {
  const { taskId, type, displayName, window } = task;
  const draft = facts.drafts.find((one) => one.taskId === taskId && one.date === date);
  const waiting = facts.outbox.findLast(
    (one) => one.kind === 'REPORT' && !one.refused && one.report.taskId === taskId && one.report.date === date,
  );
  const completedTs = waiting?.kind === 'REPORT' ? facts.clock.siteTime(waiting.report.completed) : task.completedTs;
  return {
    taskId,
    type,
    displayName,
    ...(window && { window }),
    state: stateOf(task, { date, isWaiting: waiting !== undefined, hasDraft: draft !== undefined }, facts),
    ...(completedTs !== undefined && { completedTs }),
    ...(draft && { draftId: draft.id }),
  };
}

function stateOf(
  { completed, window }: DayRecord['tasks'][number],
  { date, isWaiting, hasDraft }: { date: string; isWaiting: boolean; hasDraft: boolean },
  { today, nowTs }: Facts,
): DueTask['state'] {
  if (hasDraft) return 'STARTED';
  if (isWaiting) return 'WAITING_TO_SEND';
  if (completed) return 'DONE';
  if (date !== today) return date < today ? 'MISSED' : 'LATER';
  // A window is a recommendation: after it, the task may still be done on its day.
  return window && nowTs < window.startTs ? 'LATER' : 'DUE';
}
