/** When a task was done, relative to the window in which the program recommends it. */
import { MINUTE_MS } from '../durations.ts';
import { type DayClock, localDateAt, localTimeOn, zoneAt } from './day-windows.ts';
import type { Program, ProgramHistory } from './program.ts';

/** By the start of the task, on its own local date. A task that was never begun is missed, and has no report. */
export type TaskTiming = 'EARLY' | 'IN_WINDOW' | 'LATE';

/** The instants of a window of local times on a date. The window includes its last minute; `stopMs` does not belong to it. */
export function windowOn(
  date: string,
  { start, end }: { start: string; end: string },
  timezone: string,
): { startMs: number; stopMs: number } {
  return { startMs: localTimeOn(date, start, timezone), stopMs: localTimeOn(date, end, timezone) + MINUTE_MS };
}

/** The program in force on a local date. */
function programOn(history: ProgramHistory, date: string, clock: DayClock): Program | null | undefined {
  return history.findLast(({ fromTs }, index) => index === 0 || localDateAt(fromTs, clock) <= date)?.program;
}

/** Undefined for a task without a window that day. */
export function taskTiming(
  { taskId, startTs }: { taskId: string; startTs: number },
  history: ProgramHistory,
  clock: DayClock,
): TaskTiming | undefined {
  const date = localDateAt(startTs, clock);
  const window = programOn(history, date, clock)?.tasks.find((task) => task.taskId === taskId)?.window;
  if (!window) return undefined;
  const { startMs, stopMs } = windowOn(date, window, zoneAt(startTs, clock));
  if (startTs < startMs) return 'EARLY';
  return startTs < stopMs ? 'IN_WINDOW' : 'LATE';
}
