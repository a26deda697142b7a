/** The tasks of a subject as their phone shows them, and the reports that it sends about them. */
import type { StudyRecord } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import type { Store } from '../../../services/index.ts';
import { isSameReport, requireSoundReport } from '../../../study/task-reports.ts';
import type { phoneRoutes } from '../../contract/resources/phone.ts';
import type { BodyOf } from '../../contract/route.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type Outcome, type Owner, outcomeOf, ownerOf } from './phone-calls.ts';
import { phoneDay } from './phone-day.ts';

type Report = BodyOf<(typeof phoneRoutes)['sendTaskReports']>['reports'][number];
type TaskRoute = 'getPhoneToday' | 'listPhoneTasks' | 'sendTaskReports';

export function phoneTaskHandlers(deps: ApiDeps): Pick<Handlers<typeof phoneRoutes>, TaskRoute> {
  const { store, clock } = deps;
  return {
    getPhoneToday: async ({ device }) => {
      const { study, subject } = await ownerOf(store, device);
      return await phoneDay(store, study, subject, clock());
    },
    listPhoneTasks: async ({ device }) => {
      const { study } = await ownerOf(store, device);
      const detail = await store.studies.getDetail(study.id);
      const items = [
        ...(detail?.activities ?? []).map(({ id, displayName, durationSec, instructions, questions }) => ({
          ...{ id, type: 'activity' as const, displayName, durationSec, instructions },
          questions,
        })),
        ...(detail?.diaries ?? []).map(({ id, displayName, questions }) => ({
          ...{ id, type: 'diary' as const, displayName },
          questions,
        })),
      ].map((task) => ({
        ...task,
        questions: task.questions.map(({ id, text, type, values }) => ({ id, text, type, values })),
      }));
      return { items, size: items.length };
    },
    sendTaskReports: async ({ device, body }) => {
      const owner = await ownerOf(store, device);
      const outcomes: Outcome[] = [];
      for (const report of body.reports) {
        outcomes.push(await outcomeOf(report.id, () => storeReport(deps, owner, report)));
      }
      return { serverTs: clock(), outcomes };
    },
  };
}

async function tasksOf(store: Store, study: StudyRecord) {
  const detail = await store.studies.getDetail(study.id);
  return [...(detail?.activities ?? []), ...(detail?.diaries ?? [])];
}

/** @throws CONFLICT when another report has the same id, NOT_FOUND for a task that the study lacks */
async function storeReport({ store, clock }: ApiDeps, owner: Owner, report: Report): Promise<Outcome['state']> {
  const { study, subject, change } = owner;
  const { marks, ...facts } = report;
  const place = { studyId: study.id, subjectId: subject.id };
  const known = await store.annotations.get(report.id);
  if (known) {
    const answers = (await store.annotations.answers(known.id)).map(({ event, value }) => ({
      questionId: event?.id ?? '',
      value: value ?? '',
    }));
    const first = { ...known, taskId: known.event?.id ?? '', answers };
    if (known.subjectId === subject.id && isSameReport(first, facts)) return 'KNOWN';
    throw new OutpostError(
      'CONFLICT',
      'A different report was stored under this id earlier. Send a changed report under a new id.',
    );
  }
  const task = (await tasksOf(store, study)).find(({ id }) => id === report.taskId);
  if (!task) throw new OutpostError('NOT_FOUND', 'The study has no such activity or diary.');
  requireSoundReport(task, report, { nowMs: clock(), enrolledMs: subject.createdTs });
  await store.transaction(async ({ annotations }) => {
    await annotations.reportTask({ ...facts, ...place }, change);
    const labels = marks.map((mark) => ({ ...mark, ...place, type: 'subject' as const }));
    // The app sets these marks, not the subject.
    if (labels.length > 0) await annotations.addLabels(labels, { actor: { type: 'SYSTEM' } });
  });
  return 'STORED';
}
