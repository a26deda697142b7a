/** Handlers for the phones of subjects: sign-in, tasks, reports, messages. */
import type { Change, DeviceIdentity, StudyRecord, SubjectRecord } from '../../../db/index.ts';
import { diagnostic } from '../../../diagnostics.ts';
import { OutpostError, toOutpostError } from '../../../errors.ts';
import { isSameReport, requireSoundReport } from '../../../study/task-reports.ts';
import type { phoneRoutes } from '../../contract/resources/phone.ts';
import type { BodyOf, ResponseOf } from '../../contract/route.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf, changeByDevice } from '../../framework/authenticate.ts';
import type { Handlers } from '../../framework/mount.ts';
import { signedUrlOf } from '../../framework/signed-url.ts';
import { phoneDay } from './phone-day.ts';

type Report = BodyOf<(typeof phoneRoutes)['sendTaskReports']>['reports'][number];
type Outcome = ResponseOf<(typeof phoneRoutes)['sendTaskReports']>['outcomes'][number];

interface Owner {
  study: StudyRecord;
  subject: SubjectRecord;
  change: Change;
}

export function phoneHandlers(deps: ApiDeps): Handlers<typeof phoneRoutes> {
  const { lan, store, clock } = deps;

  /** @throws FORBIDDEN for a phone that nobody holds now, or whose subject is hidden */
  const ownerOf = async ({ studyId, subjectId }: DeviceIdentity): Promise<Owner> => {
    const subject = subjectId === null ? undefined : await store.subjects.get(subjectId);
    if (studyId === null || !subject || subject.isHidden) {
      throw new OutpostError(
        'FORBIDDEN',
        'This phone is not assigned to a subject in a study. Contact the study team.',
      );
    }
    const change: Change = { actor: { type: 'SUBJECT', id: subject.id } };
    return { study: await store.studies.require(studyId), subject, change };
  };

  const tasksOf = async (study: StudyRecord) => {
    const detail = await store.studies.getDetail(study.id);
    return [...(detail?.activities ?? []), ...(detail?.diaries ?? [])];
  };

  const storeReport = async (owner: Owner, report: Report): Promise<Outcome['state']> => {
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
    const task = (await tasksOf(study)).find(({ id }) => id === report.taskId);
    if (!task) throw new OutpostError('NOT_FOUND', 'The study has no such activity or diary.');
    requireSoundReport(task, report, { nowMs: clock(), enrolledMs: subject.createdTs });
    await store.transaction(async ({ annotations }) => {
      await annotations.reportTask({ ...facts, ...place }, change);
      const labels = marks.map((mark) => ({ ...mark, ...place, type: 'subject' as const }));
      // The app sets these marks, not the subject.
      if (labels.length > 0) await annotations.addLabels(labels, { actor: { type: 'SYSTEM' } });
    });
    return 'STORED';
  };

  return {
    signInPhone: async ({ body, request }) => {
      const { token, credentialId, subject } = await lan.phones.signIn(
        { token: body.token, serial: body.phoneId },
        addressOf(request),
      );
      const { pins, urls } = lan.network();
      return {
        token,
        credentialId,
        siteId: deps.siteId,
        siteName: (await store.settings.get('site.displayName')) ?? deps.siteName,
        studyId: subject.studyId,
        subjectId: subject.id,
        serverTs: clock(),
        ...(pins ? { pins } : {}),
        addresses: urls,
      };
    },
    signOutPhone: async ({ device }) => {
      await store.devices.revoke(device.credentialId, {
        ...changeByDevice(device),
        reason: diagnostic('PHONE_SIGNED_OUT').message,
      });
    },
    getPhoneToday: async ({ device }) => {
      const { study, subject } = await ownerOf(device);
      return await phoneDay(store, study, subject, clock());
    },
    listPhoneTasks: async ({ device }) => {
      const { study } = await ownerOf(device);
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
      const owner = await ownerOf(device);
      const outcomes: Outcome[] = [];
      for (const report of body.reports) outcomes.push(await outcomeOf(report.id, () => storeReport(owner, report)));
      return { serverTs: clock(), outcomes };
    },
    listPhoneMessages: async ({ device, request }) => {
      const { subject } = await ownerOf(device);
      const items = (await store.messages.list(subject.id)).map(({ author, image, ...message }) => ({
        id: message.id,
        from: author.principalType === 'SUBJECT' ? ('SUBJECT' as const) : ('TEAM' as const),
        authorName: author.displayName,
        body: message.body,
        createdTs: message.createdTs,
        isRead: message.isRead,
        ...(message.readTs === undefined ? {} : { readTs: message.readTs }),
        ...(image && {
          image: {
            ...signedUrlOf(deps, request, `/api/v1/files/messages/${message.id}/image`),
            mimeType: image.mimeType,
            sizeBytes: image.sizeBytes,
          },
        }),
      }));
      return { items, size: items.length };
    },
    sendPhoneMessages: async ({ device, body }) => {
      const { study, subject, change } = await ownerOf(device);
      const place = { studyId: study.id, subjectId: subject.id };
      const outcomes: Outcome[] = [];
      for (const { id, body: text } of body.messages) {
        const post = async (): Promise<Outcome['state']> => {
          const known = await store.messages.get(id);
          if (known?.subjectId === subject.id && known.body === text) return 'KNOWN';
          if (known) {
            throw new OutpostError(
              'CONFLICT',
              'A different message was stored under this id earlier. Send this one under a new id.',
            );
          }
          await store.messages.post({ id, ...place, body: text }, change);
          return 'STORED';
        };
        outcomes.push(await outcomeOf(id, post));
      }
      return { serverTs: clock(), outcomes };
    },
    markPhoneMessagesRead: async ({ device, body }) => {
      const { subject, change } = await ownerOf(device);
      for (const id of body.ids) {
        const message = await store.messages.get(id);
        if (message?.subjectId !== subject.id || message.author.principalType === 'SUBJECT') continue;
        await store.messages.markRead(id, change);
      }
    },
  };
}

/** Converts errors of one item to an outcome, so that it does not block later items; errors of the site fail the whole call. */
async function outcomeOf(id: string, work: () => Promise<Outcome['state']>): Promise<Outcome> {
  try {
    return { id, state: await work() };
  } catch (thrown) {
    const { code, kind, message } = toOutpostError(thrown);
    if (kind !== 'invalid' && kind !== 'conflict' && kind !== 'not-found') throw thrown;
    // Only the state of the study can change later: it can be reopened.
    return { id, state: 'REFUSED', code, message, permanent: code !== 'STUDY_STATE' };
  }
}
