/** Who sends an upload: a device across the credentials that it has had, or a user at a desk for one subject. */
import type { Change, UploadRecord } from '../../db/index.ts';
import { type Store, senderChange, type UploadSender } from '../../services/index.ts';

/** Attributes a change to its sender. */
export function changeOf(sender: UploadSender): Change {
  return senderChange(originOf(sender));
}

/**
 * Returns the id that uploads belong to: the equipment, the `phoneId` of a subject's own phone, or the user. A credential ends when
 * its device is paired again; the uploads it began do not.
 */
export function deviceIdOf(sender: UploadSender): string {
  return sender.kind === 'USER' ? sender.userId : (sender.equipmentId ?? sender.serial);
}

/** The members of an upload's row that say where it comes from. */
export function originOf(
  sender: UploadSender,
): Pick<UploadRecord, 'credentialId' | 'userId' | 'studyId' | 'subjectId'> {
  if (sender.kind !== 'USER') return { credentialId: sender.credentialId };
  const { userId, studyId, subjectId } = sender;
  return { userId, studyId, subjectId };
}

/** @throws as {@link UploadSender}; a device was checked at the beginning of its request */
export async function requireAllowed(sender: UploadSender): Promise<void> {
  if (sender.kind === 'USER') await sender.requireAllowed();
}

/** Whether the sender may see an upload of its account. Once a file is stored, everybody may who could have sent it. */
export function maySee(sender: UploadSender, upload: UploadRecord): boolean {
  return isOfSubject(sender, upload) && (isOwn(sender, upload) || !isOpen(upload));
}

/** Whether a file, or a recording, is of the subject that the sender names; a device names none. */
export function isOfSubject(
  sender: UploadSender,
  { studyId, subjectId }: { studyId?: string; subjectId?: string },
): boolean {
  return sender.kind !== 'USER' || (studyId === sender.studyId && subjectId === sender.subjectId);
}

export function isOpen({ state }: UploadRecord): boolean {
  return state === 'RECEIVING' || state === 'RECEIVED';
}

function isOwn(sender: UploadSender, { deviceId }: UploadRecord): boolean {
  return deviceId === deviceIdOf(sender);
}

/** Moves an open upload of a device that was paired again to its new credential, which the audit then names. */
export async function adopt(store: Store, sender: UploadSender, upload: UploadRecord): Promise<UploadRecord> {
  if (sender.kind === 'USER') return upload;
  const { credentialId } = sender;
  if (upload.credentialId === credentialId || !isOpen(upload) || !isOwn(sender, upload)) return upload;
  const moved = await store.uploads.move(upload.id, [upload.state], { credentialId }, changeOf(sender));
  return moved ?? (await store.uploads.require(upload.id));
}
