/** The program of a study: which tasks are due on which day of a subject, and how many of them were done. */
import { addDays, type DayClock, localDateAt } from './day-windows.ts';
import type { TaskType } from './definition.ts';

export interface ProgramTask {
  taskId: string;
  type: TaskType;
  /** Day numbers from 0, or every day. */
  days: 'daily' | number[];
  /** Local times of day, hh:mm. */
  window?: { start: string; end: string };
  /** Set on a task that was added while the study ran: it is due from the local date of this instant on. Epoch ms. */
  addedTs?: number;
}

export interface Program {
  id: string;
  days: number;
  tasks: ProgramTask[];
}

export interface ProgramDay {
  dayNumber: number;
  date: string;
}

/**
 * The days of a subject's program so far: consecutive local dates from that of `programStartTs` (day 0) to today or the
 * program's end, ascending. Empty before the start or without a program.
 */
export function programDays(
  program: Program | null,
  programStartTs: number | null,
  clock: DayClock,
  nowTs: number,
): ProgramDay[] {
  if (!program || programStartTs === null || nowTs < programStartTs) return [];
  const first = localDateAt(programStartTs, clock);
  const today = localDateAt(nowTs, clock);
  const days: ProgramDay[] = [];
  for (let dayNumber = 0; dayNumber < program.days; dayNumber++) {
    const date = addDays(first, dayNumber);
    if (date > today) break;
    days.push({ dayNumber, date });
  }
  return days;
}

/** Tasks due on a day, in the program's order, each once. A task added later is due from its day on. */
export function dueTasks(program: Program, day: ProgramDay, clock: DayClock): ProgramTask[] {
  const seen = new Set<string>();
  return program.tasks.filter((task) => {
    if (task.days !== 'daily' && !task.days.includes(day.dayNumber)) return false;
    if (task.addedTs !== undefined && day.date < localDateAt(task.addedTs, clock)) return false;
    if (seen.has(task.taskId)) return false;
    seen.add(task.taskId);
    return true;
  });
}

/** A task performed: `taskId` is the id of the activity or diary, `startTs` when it was begun. */
export interface Completion {
  taskId: string;
  startTs: number;
}

export interface DayAdherence extends ProgramDay {
  tasks: { taskId: string; type: TaskType; completed: boolean }[];
  tasksAssigned: number;
  tasksCompleted: number;
}

/**
 * Each day with its due tasks. A task is completed when it was started at least once on that local date, at any time of
 * day. A day without tasks has 0 of 0: none due, which is not 100 %.
 */
export function adherenceOf(
  program: Program | null,
  programStartTs: number | null,
  completions: readonly Completion[],
  clock: DayClock,
  nowTs: number,
): DayAdherence[] {
  if (!program) return [];
  const done = new Set(
    completions.map((completion) => `${completion.taskId} ${localDateAt(completion.startTs, clock)}`),
  );
  return programDays(program, programStartTs, clock, nowTs).map((day) => {
    const tasks = dueTasks(program, day, clock).map(({ taskId, type }) => ({
      taskId,
      type,
      completed: done.has(`${taskId} ${day.date}`),
    }));
    return {
      ...day,
      tasks,
      tasksAssigned: tasks.length,
      tasksCompleted: tasks.filter((task) => task.completed).length,
    };
  });
}

/** Share of due tasks that were done, or null when none was due. */
export function adherenceShare(tasksAssigned: number, tasksCompleted: number): number | null {
  return tasksAssigned === 0 ? null : tasksCompleted / tasksAssigned;
}
