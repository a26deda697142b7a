/** The program of a study: which tasks are due on which day of a subject, and the subject's adherence. */
import { addDays, type DayClock, localDateAt, midnightWindow } from './day-windows.ts';

export type TaskType = 'activity' | 'diary';

export interface ProgramTask {
  taskId: string;
  type: TaskType;
  /** Day numbers from 0, or every day. */
  days: 'daily' | number[];
  /** Local times of day, hh:mm. */
  window?: { start: string; end: string };
}

export interface Program {
  id: string;
  days: number;
  tasks: ProgramTask[];
}

/** The program in force from an instant on. Epoch ms. */
export interface ProgramVersion {
  fromTs: number;
  program: Program | null;
}

/**
 * Versions of a program, oldest first. The first applies from the beginning of time; a later one from the subject's local date of its
 * instant, so that tasks added while the study runs are not counted as missed on earlier days.
 */
export type ProgramHistory = readonly ProgramVersion[];

export interface ProgramDay {
  dayNumber: number;
  date: string;
}

/**
 * The days of a subject's program so far: consecutive local dates from that of `programStartTs` (day 0) to today or the
 * end of the program as it is now, ascending. Empty before the start or without a program.
 */
export function programDays(
  history: ProgramHistory,
  programStartTs: number | undefined,
  clock: DayClock,
  nowTs: number,
): ProgramDay[] {
  const program = history.at(-1)?.program;
  if (!program || programStartTs === undefined || nowTs < programStartTs) return [];
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

/** Returns the instant at which the last day of the program ends; undefined without a program or a start. Epoch ms. */
export function programEndMs(
  program: Program | null,
  programStartTs: number | undefined,
  clock: DayClock,
): number | undefined {
  if (!program || programStartTs === undefined) return undefined;
  return midnightWindow(addDays(localDateAt(programStartTs, clock), program.days), clock).startMs;
}

/** Returns the tasks due on a day, in the order of the program, each once. */
function dueTasks(program: Program | null, { dayNumber }: ProgramDay): ProgramTask[] {
  if (!program || dayNumber >= program.days) return [];
  const due = program.tasks.filter((task) => task.days === 'daily' || task.days.includes(dayNumber));
  return [...new Map(due.map((task) => [task.taskId, task])).values()];
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
 * Returns each day with the tasks due by the program of that day. A task is completed when it was started at least once on that local
 * date, at any time of day. A day without tasks has 0 of 0, which is not 100 %.
 */
export function adherenceOf(
  history: ProgramHistory,
  programStartTs: number | undefined,
  completions: readonly Completion[],
  clock: DayClock,
  nowTs: number,
): DayAdherence[] {
  const done = new Set(
    completions.map((completion) => `${completion.taskId} ${localDateAt(completion.startTs, clock)}`),
  );
  const versions = history.map(({ fromTs, program }, index) => ({
    fromDate: index === 0 ? '' : localDateAt(fromTs, clock),
    program,
  }));
  return programDays(history, programStartTs, clock, nowTs).map((day) => {
    const version = versions.findLast(({ fromDate }) => fromDate <= day.date);
    const tasks = dueTasks(version?.program ?? null, day).map(({ taskId, type }) => ({
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
