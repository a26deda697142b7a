/** What all calls of a subject's phone share: the subject who holds it, and the outcome of each item that it sends. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, DeviceIdentity, StudyRecord, SubjectRecord } from '../../../db/index.ts';
import { OutpostError, toOutpostError } from '../../../errors.ts';
import type { Store } from '../../../services/index.ts';
import type { phoneRoutes } from '../../contract/resources/phone.ts';
import type { ResponseOf } from '../../contract/route.ts';

export type Outcome = ResponseOf<(typeof phoneRoutes)['sendTaskReports']>['outcomes'][number];

/** The subject who holds a phone, with their study; `change` names the subject as the author. */
export interface Owner {
  study: StudyRecord;
  subject: SubjectRecord;
  change: Change;
}

/** @throws FORBIDDEN for a phone that nobody holds now, or whose subject is hidden */
export async function ownerOf(store: Store, { studyId, subjectId }: DeviceIdentity): Promise<Owner> {
  const subject = subjectId === null ? undefined : await store.subjects.get(subjectId);
  if (studyId === null || !subject || subject.isHidden) {
    throw new OutpostError('FORBIDDEN', 'This phone is not assigned to a subject in a study. Contact the study team.');
  }
  const change: Change = { actor: { type: 'SUBJECT', id: subject.id } };
  return { study: await store.studies.require(studyId), subject, change };
}

/** Messages of the study team that the subject has not read. */
export async function unreadFromTeam(store: Store, subjectId: string): Promise<number> {
  const messages = await store.messages.list(subjectId);
  return messages.filter(({ isRead, author }) => !isRead && author.principalType !== 'SUBJECT').length;
}

/** Converts errors of one item to an outcome, so that it does not block later items; errors of the site fail the whole call. */
export async function outcomeOf(id: string, work: () => Promise<Outcome['state']>): Promise<Outcome> {
  // The database answers without a turn of the event loop: 200 items in a row would make everyone else wait for seconds.
  await nextTurn();
  try {
    return { id, state: await work() };
  } catch (thrown) {
    const { code, kind, message } = toOutpostError(thrown);
    const isQuota = code === 'THROTTLED';
    if (kind !== 'invalid' && kind !== 'conflict' && kind !== 'not-found' && !isQuota) throw thrown;
    // The study can be reopened or unlocked, and a quota ends with its day: the phone keeps the item until then.
    return {
      id,
      state: 'REFUSED',
      code,
      message,
      permanent: code !== 'STUDY_STATE' && code !== 'STUDY_LOCKED' && !isQuota,
    };
  }
}
