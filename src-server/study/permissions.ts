/** Who may do what: the one table of role x operation. */
import { ROLES } from '../api/contract/vocabulary/study.ts';

export { ROLES };
export type Role = (typeof ROLES)[number];

const ALL: readonly Role[] = ROLES;
const ADMIN: readonly Role[] = ['ADMIN'];
const STAFF: readonly Role[] = ['ADMIN', 'COORDINATOR'];
const EXPORTERS: readonly Role[] = ['ADMIN', 'COORDINATOR', 'ANALYST'];

/**
 * `scope` says which role counts: the one in the account, or the one in the study at hand; at a `place`, the one in the study
 * that the thing belongs to, and the one in the account for what belongs to no study. ANALYST reads and exports, MONITOR reads
 * and takes nothing away, COORDINATOR runs studies, ADMIN does everything.
 */
export const PERMISSIONS = Object.freeze({
  'user.read': { scope: 'account', roles: ALL },
  'user.create': { scope: 'account', roles: ADMIN },
  'user.update': { scope: 'account', roles: ADMIN },
  'user.disable': { scope: 'account', roles: ADMIN },
  'user.enable': { scope: 'account', roles: ADMIN },
  'user.role': { scope: 'account', roles: ADMIN },
  'user.reset-password': { scope: 'account', roles: ADMIN },
  'site.manage': { scope: 'account', roles: ADMIN },
  'backup.manage': { scope: 'account', roles: ADMIN },
  'webhook.manage': { scope: 'account', roles: ADMIN },
  // Mails to oneself; those to others only for an ADMIN.
  'outbox.read': { scope: 'account', roles: ALL },
  'study.create': { scope: 'account', roles: STAFF },
  'equipment.manage': { scope: 'place', roles: STAFF },
  'device.pair': { scope: 'place', roles: STAFF },
  'attention.snooze': { scope: 'place', roles: STAFF },
  'upload.read': { scope: 'place', roles: STAFF },
  'upload.decide': { scope: 'place', roles: STAFF },
  'study.read': { scope: 'study', roles: ALL },
  'study.update': { scope: 'study', roles: STAFF },
  'study.start': { scope: 'study', roles: STAFF },
  'study.stop': { scope: 'study', roles: STAFF },
  'study.reopen': { scope: 'study', roles: ADMIN },
  'study.archive': { scope: 'study', roles: ADMIN },
  'study.members': { scope: 'study', roles: ADMIN },
  'study.export': { scope: 'study', roles: EXPORTERS },
  'subject.read': { scope: 'study', roles: ALL },
  'subject.create': { scope: 'study', roles: STAFF },
  'subject.update': { scope: 'study', roles: STAFF },
  'subject.token': { scope: 'study', roles: STAFF },
  'adherence.read': { scope: 'study', roles: ALL },
  'equipment.read': { scope: 'study', roles: ALL },
  'equipment.assign': { scope: 'study', roles: STAFF },
  'message.read': { scope: 'study', roles: ALL },
  'message.send': { scope: 'study', roles: STAFF },
  'message.mark-read': { scope: 'study', roles: STAFF },
  'recording.read': { scope: 'study', roles: ALL },
  'recording.import': { scope: 'study', roles: STAFF },
  'recording.export': { scope: 'study', roles: EXPORTERS },
  'annotation.read': { scope: 'study', roles: ALL },
  'annotation.write': { scope: 'study', roles: EXPORTERS },
  'annotation.export': { scope: 'study', roles: EXPORTERS },
  'analytics.read': { scope: 'study', roles: ALL },
  'analytics.export': { scope: 'study', roles: EXPORTERS },
  'event.read': { scope: 'study', roles: ALL },
  'audit.read': { scope: 'study', roles: ALL },
  'job.read': { scope: 'study', roles: ALL },
  'job.cancel': { scope: 'study', roles: STAFF },
  'job.retry': { scope: 'study', roles: STAFF },
} satisfies Record<string, { scope: 'account' | 'study' | 'place'; roles: readonly Role[] }>);

export type Operation = keyof typeof PERMISSIONS;

/**
 * The role that counts in a study: an account's ADMIN is ADMIN in every study of the account; everyone else has the role
 * of their membership, and none without one.
 */
export function roleInStudy(accountRole: Role, membershipRole: Role | null | undefined): Role | null {
  if (accountRole === 'ADMIN') return 'ADMIN';
  return membershipRole ?? null;
}

/** True when the table lets the role do it. `null` is nobody. */
export function isAllowed(role: Role | null, operation: Operation): boolean {
  return role !== null && PERMISSIONS[operation].roles.includes(role);
}
