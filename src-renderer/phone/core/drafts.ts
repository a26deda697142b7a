/** What happens to a draft, as pure steps: each gets the draft as it is stored now, and the moment. */

import { askedQuestions } from '../../../src-server/phone-protocol/branching.ts';
import type { Stamp } from '../clock/epochs.ts';
import type { PhoneClock } from '../clock/phone-clock.ts';
import type { Draft, DraftAnswer } from '../model.ts';
import type { DayRecord, DraftRecord, OutboxRecord, ReportContent, TaskRecord } from '../store/records.ts';

/** A timer that is said to have run longer while the page was closed was forgotten, or the clock is wrong. */
const LONGEST_UNSEEN_RUN_MS = 12 * 3_600_000;

export function newDraft(
  id: string,
  place: { taskId: string; date: string; day?: DayRecord },
  opened: Stamp,
): DraftRecord {
  const { taskId, date, day } = place;
  const intendedTs = day?.tasks.find((task) => task.taskId === taskId)?.window?.startTs;
  return {
    id,
    taskId,
    date,
    ...(intendedTs !== undefined && { intendedTs }),
    opened,
    elapsedMs: 0,
    answers: {},
    position: 0,
    marks: [],
  };
}

export const answered =
  (questionId: string, answer: DraftAnswer, position: number, now: Stamp) =>
  (draft: DraftRecord): DraftRecord => ({
    ...draft,
    started: draft.started ?? now,
    answers: { ...draft.answers, [questionId]: answer },
    position,
  });

export const timerStarted =
  (now: Stamp) =>
  (draft: DraftRecord): DraftRecord => {
    if (draft.running) return draft;
    const { stopped: _again, ...rest } = draft;
    // The first run is the start of the activity, also after a question that was answered before.
    return { ...rest, started: draft.elapsedMs > 0 ? (draft.started ?? now) : now, running: now };
  };

export const timerPaused =
  (now: Stamp, clock: PhoneClock) =>
  (draft: DraftRecord): DraftRecord => {
    if (!draft.running) return draft;
    const { running, ...rest } = draft;
    return { ...rest, elapsedMs: draft.elapsedMs + Math.max(0, clock.siteTime(now) - clock.siteTime(running)) };
  };

export const timerStopped =
  (now: Stamp, clock: PhoneClock) =>
  (draft: DraftRecord): DraftRecord => ({ ...timerPaused(now, clock)(draft), stopped: draft.stopped ?? now });

/** A timer that ran on while the page was closed: continues if that is plausible, else it pauses where it was last known. */
export const timerAfterRestart =
  (now: Stamp, clock: PhoneClock) =>
  (draft: DraftRecord): DraftRecord => {
    if (!draft.running || draft.running.epoch === now.epoch) return draft;
    const ranMs = clock.siteTime(now) - clock.siteTime(draft.running);
    if (ranMs >= 0 && ranMs <= LONGEST_UNSEEN_RUN_MS) return draft;
    const { running: _unknown, ...rest } = draft;
    return rest;
  };

/** A draft as screens see it, in the site's time. */
export function draftSeen(draft: DraftRecord, clock: PhoneClock): Draft {
  const { id, taskId, date, opened, started, stopped, running, elapsedMs, answers, position, marks } = draft;
  return {
    id,
    taskId,
    date,
    openedTs: clock.siteTime(opened),
    ...(started && { startedTs: clock.siteTime(started) }),
    ...(stopped && { stoppedTs: clock.siteTime(stopped) }),
    elapsedMs,
    ...(running && { runningSinceTs: clock.siteTime(running) }),
    answers,
    position,
    marks: marks.map(({ id: markId, displayName, start, stop }) => ({
      id: markId,
      displayName,
      startTs: clock.siteTime(start),
      stopTs: clock.siteTime(stop),
    })),
  };
}

/** Answers in the order of the questions. What the subject left empty counts as skipped: the task is complete. */
function answersOf({ answers }: DraftRecord, task: TaskRecord | undefined): ReportContent['answers'] {
  const valuesOf = (id: string): readonly string[] => {
    const answer = answers[id];
    return answer && 'values' in answer ? answer.values : [];
  };
  // A question that was not asked is neither answered nor skipped, also if it was answered before its condition changed.
  const questionIds = task ? askedQuestions(task.questions, valuesOf).map(({ id }) => id) : Object.keys(answers);
  return questionIds.flatMap((questionId): ReportContent['answers'] => {
    const values = valuesOf(questionId).filter((value) => value !== '');
    return values.length === 0 ? [{ questionId, skipped: true }] : values.map((value) => ({ questionId, value }));
  });
}

/** The report of a completed draft, ready to be queued. */
export const reportOf =
  (task: TaskRecord | undefined, completed: Stamp) =>
  (draft: DraftRecord): OutboxRecord => {
    const { taskId, date, intendedTs, opened, started = opened, stopped = completed, marks } = draft;
    return {
      kind: 'REPORT',
      // The draft's own id: a draft that is completed twice is one report.
      id: draft.id,
      title: task?.displayName ?? '',
      created: completed,
      report: {
        taskId,
        date,
        ...(intendedTs !== undefined && { intendedTs }),
        opened,
        started,
        stopped,
        completed,
        answers: answersOf(draft, task),
        marks,
      },
    };
  };
