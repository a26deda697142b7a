/** Authorization: the one table of roles and operations. */
import { ROLES } from '../vocabulary/study.ts';

export { ROLES };
export type Role = (typeof ROLES)[number];

const ALL: readonly Role[] = ROLES;
const ADMIN: readonly Role[] = ['ADMIN'];
const STAFF: readonly Role[] = ['ADMIN', 'COORDINATOR'];
const EXPORTERS: readonly Role[] = ['ADMIN', 'COORDINATOR', 'ANALYST'];
const VERIFIERS: readonly Role[] = ['ADMIN', 'COORDINATOR', 'MONITOR'];
const REVIEWERS: readonly Role[] = ['ADMIN', 'MONITOR'];

/**
 * `scope` selects the role that is checked: `account` the role in the account, `study` the role in the study, `place` the role in the
 * study that the object belongs to, or in the account when it belongs to none. ANALYST reads and exports, MONITOR reads without
 * exporting, COORDINATOR runs studies, ADMIN does everything.
 */
export const PERMISSIONS = Object.freeze({
  'user.read': { scope: 'account', roles: ALL },
  'user.create': { scope: 'account', roles: ADMIN },
  'user.update': { scope: 'account', roles: ADMIN },
  'user.disable': { scope: 'account', roles: ADMIN },
  'user.enable': { scope: 'account', roles: ADMIN },
  'user.role': { scope: 'account', roles: ADMIN },
  'user.sessions': { scope: 'account', roles: ADMIN },
  'user.second-factor': { scope: 'account', roles: ADMIN },
  'user.reset-password': { scope: 'account', roles: ADMIN },
  'site.manage': { scope: 'account', roles: ADMIN },
  'backup.manage': { scope: 'account', roles: ADMIN },
  'webhook.manage': { scope: 'account', roles: ADMIN },
  // One's own mails; those of others only for an ADMIN.
  'outbox.read': { scope: 'account', roles: ALL },
  'study.create': { scope: 'account', roles: STAFF },
  'equipment.manage': { scope: 'place', roles: STAFF },
  'device.pair': { scope: 'place', roles: STAFF },
  'attention.snooze': { scope: 'place', roles: STAFF },
  'upload.read': { scope: 'place', roles: STAFF },
  'upload.decide': { scope: 'place', roles: STAFF },
  // Recordings on docked recorders and in watched folders; taking one imports it.
  'transfer.read': { scope: 'place', roles: STAFF },
  'transfer.decide': { scope: 'place', roles: STAFF },
  'study.read': { scope: 'study', roles: ALL },
  'study.update': { scope: 'study', roles: STAFF },
  'study.start': { scope: 'study', roles: STAFF },
  'study.stop': { scope: 'study', roles: STAFF },
  'study.reopen': { scope: 'study', roles: ADMIN },
  'study.archive': { scope: 'study', roles: ADMIN },
  'study.lock': { scope: 'study', roles: ADMIN },
  // A signature changes nothing: it is a statement of the person. Monitors sign what they reviewed.
  'record.sign': { scope: 'study', roles: ALL },
  'study.members': { scope: 'study', roles: ADMIN },
  'study.export': { scope: 'study', roles: EXPORTERS },
  'subject.read': { scope: 'study', roles: ALL },
  'subject.create': { scope: 'study', roles: STAFF },
  'subject.update': { scope: 'study', roles: STAFF },
  // Everything about one person, messages and history included: for those who run the study.
  'subject.copy': { scope: 'study', roles: STAFF },
  'subject.erase': { scope: 'study', roles: ADMIN },
  'subject.token': { scope: 'study', roles: STAFF },
  'adherence.read': { scope: 'study', roles: ALL },
  'equipment.read': { scope: 'study', roles: ALL },
  'equipment.assign': { scope: 'study', roles: STAFF },
  'message.read': { scope: 'study', roles: ALL },
  'message.send': { scope: 'study', roles: STAFF },
  'message.mark-read': { scope: 'study', roles: STAFF },
  // Notes and calls of staff. A follow-up may also be completed by the person it is assigned to, see the handler.
  'note.read': { scope: 'study', roles: ALL },
  'note.write': { scope: 'study', roles: EXPORTERS },
  'note.follow-up': { scope: 'study', roles: ALL },
  'note.administer': { scope: 'study', roles: ADMIN },
  // A query changes no data: monitors ask about what they review. Steps are checked one by one, see study/queries.ts.
  'query.read': { scope: 'study', roles: ALL },
  'query.open': { scope: 'study', roles: ALL },
  'query.step': { scope: 'study', roles: ALL },
  'query.answer': { scope: 'study', roles: EXPORTERS },
  'query.resolve': { scope: 'study', roles: REVIEWERS },
  // Status, consent, group and visits. The document of a consent names the person: for those who enrol, and who verify it.
  'participation.read': { scope: 'study', roles: ALL },
  'participation.write': { scope: 'study', roles: STAFF },
  'participation.document': { scope: 'study', roles: VERIFIERS },
  'recording.read': { scope: 'study', roles: ALL },
  // Files that are chosen, and uploads of what was recorded at a desk.
  'recording.import': { scope: 'study', roles: STAFF },
  'recording.export': { scope: 'study', roles: EXPORTERS },
  'annotation.read': { scope: 'study', roles: ALL },
  'annotation.write': { scope: 'study', roles: EXPORTERS },
  'annotation.export': { scope: 'study', roles: EXPORTERS },
  // Of beats, sleep and wear: by those who answer for the figures.
  'correction.read': { scope: 'study', roles: ALL },
  'correction.write': { scope: 'study', roles: EXPORTERS },
  'analytics.read': { scope: 'study', roles: ALL },
  'analytics.export': { scope: 'study', roles: EXPORTERS },
  'analysis.read': { scope: 'study', roles: ALL },
  // Results beside those in use.
  'analysis.run': { scope: 'study', roles: EXPORTERS },
  // Exchanges the results in use, and decides by which version new data is analysed.
  'analysis.adopt': { scope: 'study', roles: STAFF },
  'analysis.delete': { scope: 'study', roles: STAFF },
  // What everybody in the study sees first on its board.
  'board.save': { scope: 'study', roles: EXPORTERS },
  'event.read': { scope: 'study', roles: ALL },
  'audit.read': { scope: 'study', roles: ALL },
  'audit.export': { scope: 'study', roles: EXPORTERS },
  'job.read': { scope: 'study', roles: ALL },
  'job.cancel': { scope: 'study', roles: STAFF },
  'job.retry': { scope: 'study', roles: STAFF },
} satisfies Record<string, { scope: 'account' | 'study' | 'place'; roles: readonly Role[] }>);

export type Operation = keyof typeof PERMISSIONS;

/**
 * Returns the effective role in a study: an ADMIN of the account is ADMIN in each of its studies; everyone else has the role of their
 * membership, or none.
 */
export function roleInStudy(accountRole: Role, membershipRole: Role | null | undefined): Role | null {
  if (accountRole === 'ADMIN') return 'ADMIN';
  return membershipRole ?? null;
}

/** True when the role may perform the operation; `null` (no role) may nothing. */
export function isAllowed(role: Role | null, operation: Operation): boolean {
  return role !== null && PERMISSIONS[operation].roles.includes(role);
}
