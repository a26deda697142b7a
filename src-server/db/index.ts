/** What the rest of the server sees of the database: the store, its records, credentials, and the words of a change. */

export { ArrayPool } from './array-codec.ts';
export { hashPassword, isPasswordLengthAllowed, LONGEST_ACCESS_MS, verifyPassword } from './credentials.ts';
export { type HeldLock, takeFileLock } from './file-lock.ts';
export { latestSchemaVersion } from './migrate.ts';
export type { AccountRecord } from './repositories/access/accounts.ts';
export type { UserRecord } from './repositories/access/users.ts';
export { type DayRecord, decodeSecondColumns, type WindowRecord } from './repositories/data/analytics.ts';
export type { RecordingRecord } from './repositories/data/recordings.ts';
export type { NewStudyExport, StudyExportRecord } from './repositories/data/study-exports.ts';
export type {
  AfterAttempt,
  AttemptRecord,
  DeliveryRecord,
} from './repositories/integrations/webhook-deliveries.ts';
export type { WebhookRecord } from './repositories/integrations/webhooks.ts';
export { type DeviceRecord, deviceRevoked } from './repositories/lan/devices.ts';
export type { HeldRecording } from './repositories/lan/held-recordings.ts';
export type { CallingDevice, PairingRecord } from './repositories/lan/pairings.ts';
export { type RefusalFacts, type RefusalKind, refusalKey } from './repositories/lan/refusals.ts';
export type { UploadRecord, UploadStep } from './repositories/lan/uploads.ts';
export type { AuditFilter, AuditRecord } from './repositories/site/audit.ts';
export { type AuditNames, entityKey } from './repositories/site/audit-names.ts';
export type { MailRecord, NewMail } from './repositories/site/outbox.ts';
export type { LanListenerSetting, MailServer } from './repositories/site/setting-table.ts';
export type { AnnotationRecord } from './repositories/study/annotations.ts';
export type { EquipmentRecord } from './repositories/study/equipment.ts';
export type { EventRecord } from './repositories/study/events.ts';
export { type FaultRecord, isFaultOf } from './repositories/study/faults.ts';
export type { MessageRecord } from './repositories/study/messages.ts';
export { isAddress, isSameAddress, serialsByAddress, UNKNOWN_ADDRESS } from './repositories/study/sensor-match.ts';
export type { StudyDetailRecord, StudyRecord } from './repositories/study/studies.ts';
export type { DefinitionInput, DeviceConfigRecord, TaskRecord } from './repositories/study/study-definitions.ts';
export type { SubjectRecord } from './repositories/study/subjects.ts';
export { type Actor, type Change, type CommittedChange, SYSTEM } from './session.ts';
export { newId, openDatabase, type Repositories, type SlowQuery, Store } from './store.ts';
