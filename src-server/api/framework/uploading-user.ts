/** A signed-in user as the sender of uploads, which use tus: no route of the contract describes and authorizes them. */
import type { Request } from 'express';
import { OutpostError } from '../../errors.ts';
import type { UploadSender } from '../../services/index.ts';
import type { ApiDeps } from '../deps.ts';
import { authenticate } from './authenticate.ts';
import { requireInStudy } from './authorize.ts';
import { notFound } from './errors.ts';

/**
 * Returns the user of a request below `/studies/{studyId}/subjects/{subjectId}/uploads`.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, SUBJECT_ERASED
 */
export async function uploadingUser(
  deps: ApiDeps,
  request: Request<{ studyId?: string; subjectId?: string }>,
): Promise<Extract<UploadSender, { kind: 'USER' }>> {
  const { studyId = '', subjectId = '' } = request.params;
  const requireCaller = async () => {
    // Bypasses the cache of callers: a request may outlast the right that it began with.
    const caller = await authenticate(deps, request);
    await requireInStudy(deps, caller, studyId, 'recording.import');
    const subject = await deps.store.subjects.get(subjectId);
    if (subject?.studyId === studyId) return caller;
    if (subject || !(await deps.store.erasures.ofSubject(subjectId))) throw notFound('subject');
    throw new OutpostError(
      'SUBJECT_ERASED',
      'The person of this recording was erased at this site, so it accepts nothing of them any more. Delete the recording.',
      { details: { permanent: true } },
    );
  };
  const { user } = await requireCaller();
  return {
    kind: 'USER',
    accountId: user.accountId,
    userId: user.id,
    studyId,
    subjectId,
    requireAllowed: async () => {
      await requireCaller();
    },
  };
}
