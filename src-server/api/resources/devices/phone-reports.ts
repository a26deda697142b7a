/** Stores the reports of completed tasks that a phone sends, each in a transaction of its own. */
import type { AnnotationRecord, DeviceIdentity } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import type { Repositories, Store } from '../../../services/index.ts';
import { answersToKeep, isSameReport, type ReportedTimes, requireSoundReport } from '../../../study/task-reports.ts';
import type { PhoneReport } from '../../contract/resources/phone-items.ts';
import type { Outcome, Owner } from './phone-calls.ts';
import { type CallTimes, clockOfItem } from './phone-clocks.ts';

/** The times of a report by the phone's clock, moved by an offset. When the task was due is known from the site. */
function movedTimes<T extends ReportedTimes>(report: T, byMs: number): ReportedTimes {
  const { startTs, stopTs, intendedTs, openedTs, completedTs } = report;
  return {
    startTs: startTs + byMs,
    stopTs: stopTs + byMs,
    ...(intendedTs !== undefined && { intendedTs }),
    ...(openedTs !== undefined && { openedTs: openedTs + byMs }),
    ...(completedTs !== undefined && { completedTs: completedTs + byMs }),
  };
}

/** The answers of a stored report as the phone sent them; skipped questions come last. */
async function storedAnswers({ annotations }: Pick<Repositories, 'annotations'>, { id, skipped }: AnnotationRecord) {
  const given = (await annotations.answers(id)).map(({ event, value }) => ({
    questionId: event?.id ?? '',
    value: value ?? '',
  }));
  return [...given, ...(skipped ?? []).map(({ questionId }) => ({ questionId, skipped: true as const }))];
}

/**
 * Stores a report with its corrected times, or recognises it.
 * @throws CONFLICT when another report has the same id, NOT_FOUND for a task that the study lacks, INVALID_INPUT
 */
export async function storeReport(
  store: Store,
  device: DeviceIdentity,
  { study, subject, change }: Owner,
  report: PhoneReport,
  call: CallTimes,
): Promise<Outcome['state']> {
  const place = { studyId: study.id, subjectId: subject.id };
  return await store.transaction(async (repositories) => {
    const { annotations, studies } = repositories;
    const known = await annotations.get(report.id);
    const detail = await studies.requireDetail(study.id);
    const task = [...detail.activities, ...detail.diaries].find(({ id }) => id === report.taskId);
    if (known) {
      const offsetMs = known.phoneClock?.offsetMs ?? 0;
      const first = {
        ...movedTimes(known, -offsetMs),
        taskId: known.event?.id ?? '',
        answers: await storedAnswers(repositories, known),
      };
      if (known.subjectId === subject.id && isSameReport(first, report, task)) return 'KNOWN';
      throw new OutpostError(
        'CONFLICT',
        'A different report was stored under this id earlier. Send a changed report under a new id.',
      );
    }
    if (!task) throw new OutpostError('NOT_FOUND', 'The study has no such activity or diary.');
    const { id, taskId, answers, clock: claim } = report;
    const enrolledMs = subject.createdTs;
    const { startTs, stopTs, openedTs = startTs, completedTs = stopTs } = report;
    const times = [startTs, stopTs, openedTs, completedTs];
    const clock = claim && (await clockOfItem(repositories, device, { claim, times }, { ...call, enrolledMs }));
    const offsetMs = clock?.offsetMs ?? 0;
    const corrected = movedTimes(report, offsetMs);
    const marks = report.marks.map((mark) => ({
      ...mark,
      startTs: mark.startTs + offsetMs,
      stopTs: mark.stopTs + offsetMs,
    }));
    requireSoundReport(task, { ...corrected, answers, marks }, { nowMs: call.receivedTs, enrolledMs });
    await annotations.reportTask(
      {
        id,
        taskId,
        answers: answersToKeep(task, answers),
        ...corrected,
        ...place,
        ...(clock && { phoneClock: clock }),
      },
      change,
    );
    const labels = marks.map((mark) => ({ ...mark, ...place, type: 'subject' as const }));
    // The app sets these marks, not the subject.
    if (labels.length > 0) await annotations.addLabels(labels, { actor: { type: 'SYSTEM' } });
    return 'STORED';
  });
}
