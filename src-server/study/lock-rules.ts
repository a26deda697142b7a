/**
 * The lock of a study: which entries of the audit trail may still be written while it is locked. Every change writes an entry in its
 * own transaction, so this list decides about all of them, and a new kind of change is refused unless it is added here. Pure.
 */
import { OutpostError } from '../errors.ts';
import type { FieldChanges } from './changes.ts';

/** By action, why each is no change of the study's record. */
const ALLOWED: Readonly<Record<string, true>> = {
  // The lock and the signatures over it.
  'study.lock': true,
  'study.unlock': true,
  'signature.sign': true,
  // Ordered only while the study is unlocked; a restored backup can be of a time when it was locked.
  'subject.erase': true,
  // Reading: exports and the jobs that make them. A study archive is remembered in the row of the study.
  'audit.export': true,
  'export.request': true,
  'export.finish': true,
  'export.remove': true,
  'study.export': true,
  'job.retry': true,
  // Results beside those in use. Adopting them changes the record.
  'analysis-run.create': true,
  'analysis-run.cancel': true,
  'analysis-run.delete': true,
  'analysis-run.refresh': true,
  'analysis-run.store': true,
  // What its people look at together.
  'study.board': true,
  'saved-filter.put': true,
  'saved-filter.delete': true,
  // Who may see it. People leave while a study is locked.
  'study.member': true,
  'message.read': true,
  'attention.snooze': true,
  'attention.wake': true,
  // Facts about files, not their content: damage has to be recorded.
  'recording.file-state': true,
  // Uploads wait in the inbox until the study is unlocked.
  'upload.begin': true,
  'upload.change': true,
  'upload.ended': true,
  'upload.expired': true,
  'upload.progress': true,
  'upload.quarantined': true,
  'upload.received': true,
  'upload.receiving': true,
  'upload.refused': true,
  'upload.rejected': true,
  'upload.stored': true,
  // Recordings wait on their device; that a stored one was seen to be whole changes nothing of it.
  'transfer.fail': true,
  'transfer.dismiss': true,
  'transfer.store': true,
  'transfer.confirm': true,
  // Equipment comes back and devices are lost while a study is locked; what they report is about themselves.
  'equipment.unassign': true,
  'equipment.contact': true,
  'equipment.manifest': true,
  'equipment.update': true,
  'device.revoke': true,
  'device.contact': true,
  'device.first-use': true,
  'fault.add': true,
  'pairing.cancel': true,
  'pairing.expire': true,
};

/** Refused attempts of devices are recorded in every state of a study. */
const isRefusal = (action: string): boolean => action.startsWith('refusal.');

/** Jobs that read or check. An analysis may be asked for, but fails: see its handler. */
const ALLOWED_JOBS: ReadonlySet<unknown> = new Set([
  'analyse',
  'export',
  'archive',
  'backup',
  'verify',
  'restore',
  'receive',
]);

/** Whether the entry may be written for a locked study. */
export function isAllowedInLock({ action, changes }: { action: string; changes?: FieldChanges }): boolean {
  if (action === 'job.add') return ALLOWED_JOBS.has(changes?.kind?.new);
  return ALLOWED[action] === true || isRefusal(action);
}

export function studyLocked(): OutpostError {
  return new OutpostError(
    'STUDY_LOCKED',
    'The study is locked, so nothing in it can change. An administrator can unlock it with a reason.',
  );
}
