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
  const dates = datesFrom(firstDate, to);
  return Array.from({ length: to - from + 1 }, (_, i) => ({ dayNumber: from + i, date: dates[from + i]! }));
}

const KNOWN_FIRST_DATES = 500;
/** Dates by day number, by the date of day 0: the subjects of a study begin on few dates, and a list needs all their days. */
const knownDates = new Map<string, string[]>();

/** Returns the dates from day 0 to `last` at least. */
function datesFrom(firstDate: string, last: number): readonly string[] {
  const dates = knownDates.get(firstDate) ?? [];
  if (dates.length === 0) {
    if (knownDates.size >= KNOWN_FIRST_DATES) knownDates.clear();
    knownDates.set(firstDate, dates);
  }
  while (dates.length <= last) dates.push(addDays(firstDate, dates.length));
  return dates;
}

/** When the program of a subject begins, and when it ended early because the subject withdrew or completed. Epoch ms. */
export interface SubjectProgram {
  programStartTs?: number | undefined;
  programStopTs?: number | undefined;
}

/**
 * Returns the instant at which the program of a subject ends: the end of its last day, or earlier when the subject stopped. Undefined
 * without a program or a start, unless the subject stopped. Epoch ms.
 */
export function programEndMs(
  program: Program | null,
  { programStartTs, programStopTs }: SubjectProgram,
  clock: DayClock,
): number | undefined {
  if (!program || programStartTs === undefined) return programStopTs;
  const endMs = midnightWindow(addDays(localDateAt(programStartTs, clock), program.days), clock).startMs;
  return Math.min(endMs, programStopTs ?? endMs);
}

/**
 * The last instant at which something of a subject's program is due. A withdrawal on an earlier day stops the program at midnight, which
 * is the next date already. Epoch ms.
 */
export const dueUntil = ({ programStopTs }: SubjectProgram, nowTs: number): number =>
  programStopTs === undefined ? nowTs : Math.min(nowTs, programStopTs - 1);

/** Tasks due by day number, as far as they were asked for. A program that was read is not changed. */
const knownTasks = new WeakMap<Program, (readonly ProgramTask[])[]>();

/** Returns the tasks due on a day, in the order of the program, each once. */
function dueTasks(program: Program | null, { dayNumber }: ProgramDay): readonly ProgramTask[] {
  if (!program || dayNumber >= program.days) return [];
  const known = knownTasks.get(program) ?? [];
  if (known.length === 0) knownTasks.set(program, known);
  const found = known[dayNumber];
  if (found) return found;
  const due = program.tasks.filter((task) => task.days === 'daily' || task.days.includes(dayNumber));
  const tasks = [...new Map(due.map((task) => [task.taskId, task])).values()];
  known[dayNumber] = tasks;
  return tasks;
}

/** The local dates of a month on which a subject began a task at least once; `taskId` is the id of the activity or diary. */
export interface TaskMonth {
  taskId: string;
  /** YYYY-MM. */
  month: string;
  /** One bit for each date; the lowest is the first of the month. */
  days: number;
}

/** The month of a local date, and the bit of the date in {@link TaskMonth.days}. */
export function monthAndBit(date: string): { month: string; bit: number } {
  return { month: date.slice(0, 7), bit: 2 ** (Number(date.slice(8, 10)) - 1) };
}

/** For each task, 1 for the days of a program from the first to the last on which it was begun, else 0. */
function doneByDay(
  months: readonly TaskMonth[],
  { firstDate, from, to }: { firstDate: string; from: number; to: number },
): Map<string, Uint8Array> {
  const done = new Map<string, Uint8Array>();
  for (const { taskId, month, days } of months) {
    let ofTask = done.get(taskId);
    if (!ofTask) {
      ofTask = new Uint8Array(to - from + 1);
      done.set(taskId, ofTask);
    }
    const start = dayNumberOf(firstDate, `${month}-01`) - from;
    for (let bit = 0; bit < 31; bit++) {
      const index = start + bit;
      if (index >= 0 && index < ofTask.length && (days >>> bit) & 1) ofTask[index] = 1;
    }
  }
  return done;
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
 * @param done months of the span at least
 */
export function adherenceOf(
  history: ProgramHistory,
  programStartTs: number | undefined,
  done: readonly TaskMonth[],
  clock: DayClock,
  nowTs: number,
  span: DateSpan = {},
): DayAdherence[] {
  const numbers = dayNumbers(history, programStartTs, clock, nowTs, span);
  if (!numbers) return [];
  const doneOn = doneByDay(done, numbers);
  const versions = datedVersions(history, clock);
  return programDays(history, programStartTs, clock, nowTs, span).map((day, index) => {
    const version = versions.findLast(({ fromDate }) => fromDate <= day.date);
    const tasks = dueTasks(version?.program ?? null, day).map(({ taskId, type }) => ({
      taskId,
      type,
      completed: doneOn.get(taskId)?.[index] === 1,
    }));
    return {
      ...day,
      tasks,
      tasksAssigned: tasks.length,
      tasksCompleted: tasks.filter((task) => task.completed).length,
    };
  });
}

export interface AdherenceTotals {
  fromDate: string;
  toDate: string;
  tasksAssigned: number;
  tasksCompleted: number;
}

/** Day numbers on which each task of a program is due; a task that is listed twice is due once a day. */
function dueDays({ tasks }: Program): Map<string, 'daily' | ReadonlySet<number>> {
  const due = new Map<string, 'daily' | ReadonlySet<number>>();
  for (const { taskId, days } of tasks) {
    const known = due.get(taskId);
    if (days === 'daily' || known === 'daily') due.set(taskId, 'daily');
    else due.set(taskId, new Set([...(known ?? []), ...days]));
  }
  return due;
}

/**
 * Returns a function for the totals of {@link adherenceOf} over all days of a subject, without a record for each day: the list of
 * a study needs them for every subject. It returns undefined for a subject without days.
 */
export function adherenceTotals(
  history: ProgramHistory,
): (
  programStartTs: number | undefined,
  done: readonly TaskMonth[],
  clock: DayClock,
  nowTs: number,
) => AdherenceTotals | undefined {
  const dueOf = new Map(history.map(({ program }) => [program, program ? dueDays(program) : undefined]));
  return (programStartTs, done, clock, nowTs) => {
    const numbers = dayNumbers(history, programStartTs, clock, nowTs, {});
    if (!numbers) return undefined;
    const { firstDate, to } = numbers;
    const doneOn = doneByDay(done, numbers);
    let [tasksAssigned, tasksCompleted] = [0, 0];
    const count = (day: number, ofTask: Uint8Array | undefined) => {
      tasksAssigned += 1;
      tasksCompleted += ofTask?.[day] ?? 0;
    };
    // The last version that began on or before a date applies, even where a change of zone put an earlier one on a later date.
    let end = to + 1;
    for (const { fromDate, program } of datedVersions(history, clock).reverse()) {
      const first = fromDate === '' ? 0 : Math.max(0, dayNumberOf(firstDate, fromDate));
      const last = Math.min(end, program?.days ?? 0);
      for (const [taskId, days] of dueOf.get(program) ?? []) {
        const ofTask = doneOn.get(taskId);
        if (days === 'daily') for (let day = first; day < last; day++) count(day, ofTask);
        else for (const day of days) if (day >= first && day < last) count(day, ofTask);
      }
      end = Math.min(end, first);
    }
    return { fromDate: firstDate, toDate: addDays(firstDate, to), tasksAssigned, tasksCompleted };
  };
}
