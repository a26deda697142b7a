/** The tasks of a subject's day, by the program and the subject's own zone. */

import type { StudyRecord, SubjectRecord } from '../../../db/index.ts';
import { MINUTE_MS } from '../../../durations.ts';
import type { Store } from '../../../services/index.ts';
import { localDateAt, localTimeOn, midnightWindow, zoneAt } from '../../../study/day-windows.ts';
import { adherenceOf } from '../../../study/program.ts';
import type { Routes } from '../../contract/index.ts';
import type { ResponseOf } from '../../contract/route.ts';

type PhoneToday = ResponseOf<Routes['getPhoneToday']>;

export async function phoneDay(
  store: Store,
  study: StudyRecord,
  subject: SubjectRecord,
  nowMs: number,
): Promise<PhoneToday> {
  const zones = await store.subjects.zones(subject.id);
  const date = localDateAt(nowMs, zones);
  const history = await store.studies.programHistory(study);
  const dates = { fromDate: date, toDate: date };
  const doneToday = await store.taskDays.months([study.id], { ...dates, subjectIds: [subject.id] });
  const { startMs, stopMs } = midnightWindow(date, zones);
  const completions = await store.annotations.completions(subject.id, { fromTs: startMs, toTs: stopMs - 1 });
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  const days = isRunning ? adherenceOf(history, subject.programStartTs, doneToday, zones, nowMs, dates) : [];
  const today = days.findLast((day) => day.date === date);
  const program = history.at(-1)?.program;
  const names = await store.studies.taskNames(study.id);
  const timezone = zoneAt(nowMs, zones);
  const tasks = (today?.tasks ?? []).map(({ taskId, type, completed }): PhoneToday['tasks'][number] => {
    const window = program?.tasks.find((task) => task.taskId === taskId)?.window;
    const done = completions.filter((one) => one.taskId === taskId);
    return {
      taskId,
      type,
      displayName: names.get(taskId) ?? '',
      ...(window && {
        window: {
          ...window,
          startTs: localTimeOn(date, window.start, timezone),
          // The window includes its last minute.
          stopTs: localTimeOn(date, window.end, timezone) + MINUTE_MS,
        },
      }),
      completed,
      ...(done.length > 0 && { completedTs: Math.max(...done.map(({ startTs }) => startTs)) }),
    };
  });
  const messages = await store.messages.list(subject.id);
  return {
    serverTs: nowMs,
    studyName: study.title ?? study.displayName,
    subjectName: subject.displayName,
    timezone,
    date,
    isRunning,
    ...(today && { dayNumber: today.dayNumber }),
    ...(program && { countDays: program.days }),
    tasks,
    unreadMessages: messages.filter(({ isRead, author }) => !isRead && author.principalType !== 'SUBJECT').length,
  };
}
