/** The program of a study: which tasks are due on which day of a subject, and the subject's adherence. */
import { DAY_MS } from '../durations.ts';
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

/** Local dates, both inclusive; an absent bound is none. */
export interface DateSpan {
  fromDate?: string | undefined;
  toDate?: string | undefined;
}

const dayNumberOf = (first: string, date: string): number =>
  Math.round((Date.parse(`${date}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_MS);

/** First and last day number of a subject's program so far within dates; undefined when there is none. */
function dayNumbers(
  history: ProgramHistory,
  programStartTs: number | undefined,
  clock: DayClock,
  nowTs: number,
  { fromDate, toDate }: DateSpan,
): { firstDate: string; from: number; to: number } | undefined {
  const program = history.at(-1)?.program;
  if (!program || programStartTs === undefined || nowTs < programStartTs) return undefined;
  const firstDate = localDateAt(programStartTs, clock);
  const today = localDateAt(nowTs, clock);
  const lastDate = toDate !== undefined && toDate < today ? toDate : today;
  const from = fromDate === undefined ? 0 : Math.max(0, dayNumberOf(firstDate, fromDate));
  const to = Math.min(program.days - 1, dayNumberOf(firstDate, lastDate));
  return from > to ? undefined : { firstDate, from, to };
}

/**
 * The days of a subject's program so far: consecutive local dates from that of `programStartTs` (day 0) to today or the
 * end of the program as it is now, ascending; with a span only those within it. Empty before the start or without a program.
 */
export function programDays(
  history: ProgramHistory,
  programStartTs: number | undefined,
  clock: DayClock,
  nowTs: number,
  span: DateSpan = {},
): ProgramDay[] {
  const numbers = dayNumbers(history, programStartTs, clock, nowTs, span);
  if (!numbers) return [];
  const { firstDate, from, to } = numbers;
  return Array.from({ length: to - from + 1 }, (_, i) => ({
    dayNumber: from + i,
    date: addDays(firstDate, from + i),
  }));
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

/** A task that a subject began at least once on a local date; `taskId` is the id of the activity or diary. */
export interface DoneTask {
  taskId: string;
  date: string;
}

export interface DayAdherence extends ProgramDay {
  tasks: { taskId: string; type: TaskType; completed: boolean }[];
  tasksAssigned: number;
  tasksCompleted: number;
}

function datedVersions(history: ProgramHistory, clock: DayClock): { fromDate: string; program: Program | null }[] {
  return history.map(({ fromTs, program }, index) => ({
    fromDate: index === 0 ? '' : localDateAt(fromTs, clock),
    program,
  }));
}

/**
 * Returns each day with the tasks due by the program of that day. A task is completed when it was started at least once on that local
 * date, at any time of day. A day without tasks has 0 of 0, which is not 100 %.
 * @param done within the span at least
 */
export function adherenceOf(
  history: ProgramHistory,
  programStartTs: number | undefined,
  done: readonly DoneTask[],
  clock: DayClock,
  nowTs: number,
  span: DateSpan = {},
): DayAdherence[] {
  const doneOn = new Map<string, string[]>();
  for (const { date, taskId } of done) {
    const known = doneOn.get(date);
    if (known) known.push(taskId);
    else doneOn.set(date, [taskId]);
  }
  const versions = datedVersions(history, clock);
  return programDays(history, programStartTs, clock, nowTs, span).map((day) => {
    const version = versions.findLast(({ fromDate }) => fromDate <= day.date);
    const ofDay = doneOn.get(day.date);
    const tasks = dueTasks(version?.program ?? null, day).map(({ taskId, type }) => ({
      taskId,
      type,
      completed: ofDay?.includes(taskId) ?? false,
    }));
    return {
      ...day,
      tasks,
      tasksAssigned: tasks.length,
      tasksCompleted: tasks.filter((task) => task.completed).length,
    };
  });
}

/** On how many dates a subject did a task, and the first and last of them. */
export interface DoneCount {
  taskId: string;
  days: number;
  firstDate: string;
  lastDate: string;
}

export interface AdherenceTotals {
  fromDate: string;
  toDate: string;
  tasksAssigned: number;
  tasksCompleted: number;
}

/**
 * Returns the totals of {@link adherenceOf} over all days, from counts where they decide them: every task is due on each day of
 * the program, and was done on no other day. Returns `unknown` where only the single days decide, and undefined without days.
 */
export function totalsFromCounts(
  history: ProgramHistory,
  programStartTs: number | undefined,
  counts: readonly DoneCount[],
  clock: DayClock,
  nowTs: number,
): AdherenceTotals | 'unknown' | undefined {
  const numbers = dayNumbers(history, programStartTs, clock, nowTs, {});
  if (!numbers) return undefined;
  const [only, ...others] = history;
  const tasks = only?.program?.tasks ?? [];
  if (others.length > 0 || tasks.some(({ days }) => days !== 'daily')) return 'unknown';
  const fromDate = numbers.firstDate;
  const toDate = addDays(fromDate, numbers.to);
  const due = new Set(tasks.map(({ taskId }) => taskId));
  const done = counts.filter(({ taskId }) => due.has(taskId));
  if (done.some(({ firstDate, lastDate }) => firstDate < fromDate || lastDate > toDate)) return 'unknown';
  return {
    fromDate,
    toDate,
    tasksAssigned: due.size * (numbers.to + 1),
    tasksCompleted: done.reduce((sum, { days }) => sum + days, 0),
  };
}
