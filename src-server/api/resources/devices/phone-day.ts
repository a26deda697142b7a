/** The tasks of a subject's days, by the program and the subject's own zone. */

import type { StudyRecord, SubjectRecord } from '../../../db/index.ts';
import type { Store } from '../../../services/index.ts';
import { addDays, localDateAt, midnightWindow, zoneAt } from '../../../study/day-windows.ts';
import { adherenceOf, dueUntil, type Program } from '../../../study/program.ts';
import { windowOn } from '../../../study/task-timing.ts';
import type { Routes } from '../../contract/index.ts';
import type { ResponseOf } from '../../contract/route.ts';
import { unreadFromTeam } from './phone-calls.ts';

type PhoneToday = ResponseOf<Routes['getPhoneToday']>;
type PhoneProgram = ResponseOf<Routes['getPhoneProgram']>;
type PhoneDay = PhoneProgram['days'][number];

export async function phoneDay(
  store: Store,
  study: StudyRecord,
  subject: SubjectRecord,
  nowMs: number,
): Promise<PhoneToday> {
  const zones = await store.subjects.zones(subject.id);
  const date = localDateAt(nowMs, zones);
  const { days, program } = await daysOf(store, study, subject, nowMs, { fromDate: date, toDate: date });
  const [today] = days;
  return {
    ...facts(study, subject, zoneAt(nowMs, zones), nowMs),
    date,
    ...(today?.dayNumber !== undefined && { dayNumber: today.dayNumber }),
    ...(program && { countDays: program.days }),
    tasks: today?.tasks ?? [],
    unreadMessages: await unreadFromTeam(store, subject.id),
  };
}

/** The days that a phone keeps for use without a network; default: from yesterday on. */
export async function phoneProgram(
  store: Store,
  study: StudyRecord,
  subject: SubjectRecord,
  nowMs: number,
  { from, days: count }: { from?: string | undefined; days: number },
): Promise<Omit<PhoneProgram, 'siteName'>> {
  const zones = await store.subjects.zones(subject.id);
  const fromDate = from ?? addDays(localDateAt(nowMs, zones), -1);
  const { days } = await daysOf(store, study, subject, nowMs, { fromDate, toDate: addDays(fromDate, count - 1) });
  return { ...facts(study, subject, zoneAt(nowMs, zones), nowMs), days };
}

function facts(study: StudyRecord, subject: SubjectRecord, timezone: string, nowMs: number) {
  return {
    serverTs: nowMs,
    // A study without a title for participants has an empty one.
    studyName: study.title || study.displayName,
    subjectName: subject.displayName,
    timezone,
    isRunning: study.lifecycleState === 'IN_PROGRESS',
  };
}

/** Every date of the span, also those outside the program, which have no tasks. */
async function daysOf(
  store: Store,
  study: StudyRecord,
  subject: SubjectRecord,
  nowMs: number,
  span: { fromDate: string; toDate: string },
): Promise<{ days: PhoneDay[]; program: Program | null | undefined }> {
  const zones = await store.subjects.zones(subject.id);
  const history = await store.studies.programHistory(study);
  const done = await store.taskDays.months([study.id], { ...span, subjectIds: [subject.id] });
  const fromTs = midnightWindow(span.fromDate, zones).startMs;
  const toTs = midnightWindow(span.toDate, zones).stopMs - 1;
  const completions = await store.annotations.completions(subject.id, { fromTs, toTs });
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  // Days to come are due as the program stands now.
  const untilMs = dueUntil(subject, Math.max(nowMs, toTs));
  const due = isRunning ? adherenceOf(history, subject.programStartTs, done, zones, untilMs, span) : [];
  const byDate = new Map(due.map((day) => [day.date, day]));
  const program = history.at(-1)?.program;
  const names = await store.studies.taskNames(study.id);
  const days: PhoneDay[] = [];
  for (let date = span.fromDate; date <= span.toDate; date = addDays(date, 1)) {
    const day = byDate.get(date);
    const { startMs, stopMs } = midnightWindow(date, zones);
    const timezone = zoneAt(date === localDateAt(nowMs, zones) ? nowMs : startMs, zones);
    const tasks = (day?.tasks ?? []).map(({ taskId, type, completed }): PhoneDay['tasks'][number] => {
      const window = program?.tasks.find((task) => task.taskId === taskId)?.window;
      const times = completions
        .filter((one) => one.taskId === taskId && one.startTs >= startMs && one.startTs < stopMs)
        .map(({ completedTs }) => completedTs);
      return {
        taskId,
        type,
        displayName: names.get(taskId) ?? '',
        ...(window && {
          window: {
            ...window,
            startTs: windowOn(date, window, timezone).startMs,
            stopTs: windowOn(date, window, timezone).stopMs,
          },
        }),
        completed,
        ...(times.length > 0 && { completedTs: Math.max(...times) }),
      };
    });
    days.push({ date, ...(day && { dayNumber: day.dayNumber }), tasks });
  }
  return { days, program };
}
