/** The tasks and the wear time of a subject's day. They are separate measures: neither is derived from the other. */
import type { Subject, SubjectAdherence } from '../../../src-server/api/contract/index.ts';
import { DAY_MS } from '../../../src-server/durations.ts';
import { addDays, localDate } from '../../shared/time/local-day.ts';

export type AdherenceDay = SubjectAdherence['days'][number];

/** `open`: today or later, so no task is missed yet. `none`: no task is due. `over`: the program or the study has ended. */
export type TaskState = 'completed' | 'partly' | 'missed' | 'open' | 'none' | 'before' | 'over';

/** The part of a study's program that screens read. */
export interface ProgramShape {
  days: number;
  tasks: readonly { taskId: string; days: 'daily' | readonly number[] }[];
}

/** Everything that the state of a subject's day depends on. Dates are local to the subject. */
export interface SubjectDays {
  today: string;
  /** Day 0 of the program; undefined before the start of the study. */
  firstDate: string | undefined;
  byDate: ReadonlyMap<string, AdherenceDay>;
  program: ProgramShape;
  isRunning: boolean;
}

export function subjectDays(
  subject: Pick<Subject, 'timezone' | 'programStartTs'>,
  days: readonly AdherenceDay[],
  program: ProgramShape,
  isRunning: boolean,
  nowMs: number,
): SubjectDays {
  const { timezone, programStartTs } = subject;
  return {
    today: localDate(nowMs, timezone),
    firstDate: programStartTs === undefined ? undefined : localDate(programStartTs, timezone),
    byDate: new Map(days.map((day) => [day.date, day])),
    program,
    isRunning,
  };
}

function dayNumber(firstDate: string, date: string): number {
  return Math.round((Date.parse(`${date}T00:00:00Z`) - Date.parse(`${firstDate}T00:00:00Z`)) / DAY_MS);
}

/** Returns the ids of the tasks planned for a future day; undefined outside the program. */
export function plannedTasks(calendar: SubjectDays, date: string): string[] | undefined {
  if (calendar.firstDate === undefined || !calendar.isRunning) return undefined;
  const day = dayNumber(calendar.firstDate, date);
  if (day < 0 || day >= calendar.program.days) return undefined;
  const due = calendar.program.tasks.filter(({ days }) => days === 'daily' || days.includes(day));
  return [...new Set(due.map(({ taskId }) => taskId))];
}

export interface DayFacts {
  date: string;
  state: TaskState;
  assigned: number;
  completed: number;
  /** Undefined while the day has not been analysed, which is not the same as 0 h. */
  wearSeconds: number | undefined;
  isToday: boolean;
  isFuture: boolean;
}

export function dayFacts(calendar: SubjectDays, date: string): DayFacts {
  const day = calendar.byDate.get(date);
  const planned = date > calendar.today ? plannedTasks(calendar, date)?.length : undefined;
  const assigned = day?.tasksAssigned ?? planned ?? 0;
  const completed = day?.tasksCompleted ?? 0;
  const isKnown = day?.tasksAssigned !== undefined || planned !== undefined;
  const facts = {
    date,
    assigned,
    completed,
    wearSeconds: day?.wearSeconds,
    isToday: date === calendar.today,
    isFuture: date > calendar.today,
  };
  return { ...facts, state: stateOf(calendar, facts, isKnown) };
}

function stateOf(calendar: SubjectDays, day: Omit<DayFacts, 'state'>, isKnown: boolean): TaskState {
  if (calendar.firstDate === undefined || day.date < calendar.firstDate) return 'before';
  if (!isKnown) return 'over';
  if (day.assigned === 0) return 'none';
  if (day.completed >= day.assigned) return 'completed';
  if (day.date >= calendar.today) return 'open';
  return day.completed > 0 ? 'partly' : 'missed';
}

/** Returns the shade of a share, 1 to 5; 0 only for a share of zero. */
export function step(share: number): 0 | 1 | 2 | 3 | 4 | 5 {
  return Math.max(0, Math.min(5, Math.ceil(share * 5))) as 0 | 1 | 2 | 3 | 4 | 5;
}

/** Returns the dates of the `count` days that end with `last`. */
export function datesUpTo(last: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(last, index - count + 1));
}

/** Returns the Monday on or before a date. */
export function mondayOf(date: string): string {
  const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
  return addDays(date, -weekday);
}
