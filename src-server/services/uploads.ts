/** Uploads: announcing them and moving them between their states, with the audit of each step. */
import { type Change, type DeviceIdentity, type UploadColumns, UploadQueries, type UploadRecord } from '../db/index.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import type { UploadState } from '../study/uploads.ts';

export type NewUpload = Pick<
  UploadRecord,
  | 'id'
  | 'accountId'
  | 'deviceId'
  | 'recordingId'
  | 'sensorId'
  | 'sizeBytes'
  | 'sha256'
  | 'formatVersion'
  | 'startUs'
  | 'syncPoints'
> &
  Partial<
    Pick<
      UploadRecord,
      'credentialId' | 'userId' | 'state' | 'code' | 'message' | 'storedRecordingId' | 'studyId' | 'subjectId'
    >
  >;

/** A change of an upload; null clears a member. */
export type UploadPatch = Pick<
  UploadColumns,
  | 'credentialId'
  | 'state'
  | 'code'
  | 'message'
  | 'facts'
  | 'studyId'
  | 'subjectId'
  | 'decidedBy'
  | 'decisionReason'
  | 'storedRecordingId'
  | 'hashFailures'
  | 'syncPoints'
>;

/** A signed-in user who sends recordings of one subject. */
interface UploadingUser {
  kind: 'USER';
  accountId: string;
  userId: string;
  studyId: string;
  subjectId: string;
  /**
   * Checks sign-in, role and subject as they are now: each may change during a request.
   * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, SUBJECT_ERASED
   */
  requireAllowed(): Promise<void>;
}

/** Who sends a file: a device, or a user at a desk. */
export type UploadSender = DeviceIdentity | UploadingUser;

/** Attributes a change to the sender of an upload: a device, or a user at a desk. */
export function senderChange({ credentialId, userId }: Pick<UploadRecord, 'credentialId' | 'userId'>): Change {
  if (userId !== undefined) return { actor: { type: 'USER', id: userId } };
  if (credentialId !== undefined) return { actor: { type: 'DEVICE', id: credentialId } };
  throw new TypeError('An upload belongs to a device or to a user.');
}

export class Uploads extends UploadQueries {
  async add(input: NewUpload, change: Change): Promise<UploadRecord> {
    return await this.session.write(async (session) => {
      const uploads = new Uploads(session);
      const now = session.clock();
      const state = input.state ?? 'RECEIVING';
      await uploads.insert({ ...input, state, createdTs: now, modifiedTs: now });
      const { syncPoints: _points, credentialId: _credential, userId: _user, ...facts } = input;
      await session.audit(change, {
        action: state === 'RECEIVING' ? 'upload.begin' : `upload.${state.toLowerCase()}`,
        entityType: 'upload',
        entityId: input.id,
        ...(input.studyId && { studyId: input.studyId }),
        ...(input.subjectId && { subjectId: input.subjectId }),
        changes: changesFromNothing({ ...facts, state }),
      });
      return await uploads.require(input.id);
    });
  }

  /**
   * Changes an upload if it is still in one of the states `from`; returns undefined, and changes nothing, when it is not.
   * @throws NOT_FOUND
   */
  async move(
    id: string,
    from: readonly UploadState[],
    patch: UploadPatch,
    change: Change,
  ): Promise<UploadRecord | undefined> {
    return await this.session.write(async (session) => {
      const uploads = new Uploads(session);
      const old = await uploads.require(id);
      if (!from.includes(old.state)) return undefined;
      const { syncPoints: _points, ...audited } = patch;
      const changes = changesBetween({ ...old }, { ...audited });
      await uploads.patch(id, { ...patch, modifiedTs: session.clock() });
      const upload = await uploads.require(id);
      if (Object.keys(changes).length > 0) {
        await session.audit(change, {
          action: `upload.${(patch.state ?? 'change').toLowerCase()}`,
          entityType: 'upload',
          entityId: id,
          ...(upload.studyId && { studyId: upload.studyId }),
          ...(upload.subjectId && { subjectId: upload.subjectId }),
          changes,
        });
      }
      return upload;
    });
  }

  /** Stores how many bytes were received. Routine, so there is no audit row. */
  async setProgress(id: string, receivedBytes: number): Promise<void> {
    await this.session.write(async (session) => {
      if (!(await new Uploads(session).patchReceived(id, receivedBytes))) return;
      session.announce({ action: 'upload.progress', entityType: 'upload', entityId: id });
    });
  }
}
