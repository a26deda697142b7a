/** What the rest of the server sees of the database: the store, its records, credentials, and the words of a change. */

export type { DeviceConfigRecord, TaskRecord } from '../study/definition-input.ts';
export type { CallingDevice, DeviceIdentity, DeviceKind } from '../study/equipment.ts';
export { ArrayPool, encodeArrays } from './array-codec.ts';
export { type DatabaseCheck, isUnchecked, readDatabaseCheck, writeDatabaseCheck } from './check-record.ts';
export {
  ACCESS_TOKEN_LIFETIME_MS,
  hashPassword,
  hashToken,
  isPasswordLengthAllowed,
  LONGEST_ACCESS_MS,
  newAccessToken,
  newReadableSecret,
  verifyPassword,
} from './credentials.ts';
export { databaseFileProblems, hasOldSchema, isSmallDatabase } from './database.ts';
export { type HeldLock, type LockOwner, lookAtFileLock, takeFileLock } from './file-lock.ts';
export { overwriteDeletedIn } from './maintenance.ts';
export { latestSchemaVersion } from './migrate.ts';
export { holdPages, type PageSnapshot } from './page-snapshot.ts';
export type { AccessFilter, AccessRecord, NewAccessEntry } from './queries/access/access-log.ts';
export { AccountQueries, type AccountRecord } from './queries/access/accounts.ts';
export { SavedFilterQueries, type SavedFilterRecord } from './queries/access/saved-filters.ts';
export { SecondFactorQueries } from './queries/access/second-factors.ts';
export { PASSWORD_CODE_LIFETIME_MS, TokenQueries } from './queries/access/tokens.ts';
export { UserQueries, type UserRecord } from './queries/access/users.ts';
export { AnalysisRunQueries, type AnalysisRunRecord, type RunSubjectRecord } from './queries/data/analysis-runs.ts';
export {
  AnalyticsQueries,
  type DayRecord,
  decodeSecondColumns,
  describeSecondColumns,
  type RunWindowContent,
  type WindowContent,
  type WindowRecord,
} from './queries/data/analytics.ts';
export { JobQueries } from './queries/data/jobs.ts';
export type { SubjectSummaryRecord } from './queries/data/recording-summaries.ts';
export {
  type FileFacts,
  type RecordingFilter,
  type RecordingPatch,
  RecordingQueries,
  type RecordingRecord,
  type RecordingTime,
  type ShownRecording,
} from './queries/data/recordings.ts';
export { type NewStudyExport, StudyExportQueries, type StudyExportRecord } from './queries/data/study-exports.ts';
export { SummaryQueries } from './queries/data/summaries.ts';
export {
  ErasureQueries,
  type ErasureRecord,
  type ErasureTraces,
  subjectHash,
} from './queries/erasure/erasures.ts';
export type { SubjectRow } from './queries/erasure/subject-data.ts';
export type {
  AfterAttempt,
  AttemptRecord,
  DeliveryRecord,
} from './queries/integrations/webhook-deliveries.ts';
export { WebhookQueries, type WebhookRecord } from './queries/integrations/webhooks.ts';
export type { Key, Keyset } from './queries/keyset.ts';
export { DeviceQueries, type DeviceRecord, deviceRevoked } from './queries/lan/devices.ts';
export type { HeldRecording } from './queries/lan/held-recordings.ts';
export { PairingQueries, type PairingRecord } from './queries/lan/pairings.ts';
export { type PasswordAsked, type RefusalFacts, type RefusalKind, refusalKey } from './queries/lan/refusals.ts';
export { type TransferColumns, TransferQueries, type TransferRecord } from './queries/lan/transfers.ts';
export { type UploadColumns, UploadQueries, type UploadRecord, type UploadStep } from './queries/lan/uploads.ts';
export { notFound } from './queries/shared.ts';
export type { AuditFilter } from './queries/site/audit-filter.ts';
export { type AuditNames, entityKey } from './queries/site/audit-names.ts';
export type { AuditRecord } from './queries/site/audit-record.ts';
export { DigestQueries } from './queries/site/digests.ts';
export type { MailRecord, NewMail } from './queries/site/outbox.ts';
export type { FoundRow } from './queries/site/search.ts';
export {
  type LanListenerSetting,
  type MailServer,
  SETTING_TABLE,
  type SettingKey,
  type SettingValue,
} from './queries/site/setting-table.ts';
export { SettingQueries } from './queries/site/settings.ts';
export { AnnotationQueries, type AnnotationRecord, type NewAnnotation } from './queries/study/annotations.ts';
export { AttentionQueries } from './queries/study/attention.ts';
export { BoardQueries } from './queries/study/boards.ts';
export { CorrectionQueries, type CorrectionRecord, correctionOfAudit } from './queries/study/corrections.ts';
export {
  DataQueries,
  type DataQueryRecord,
  type DataQueryStepRecord,
} from './queries/study/data-queries.ts';
export { type DeviceContact, EquipmentQueries, type EquipmentRecord } from './queries/study/equipment.ts';
export type { EventRecord } from './queries/study/events.ts';
export { type FaultCount, FaultQueries, type FaultRecord, isFaultOf } from './queries/study/faults.ts';
export { MessageTemplateQueries } from './queries/study/message-templates.ts';
export {
  type ConversationRecord,
  MessageQueries,
  type MessageRecord,
  type ReportedProblem,
} from './queries/study/messages.ts';
export {
  NoteQueries,
  type NoteRecord,
  type NoteVersionRecord,
} from './queries/study/notes.ts';
export {
  ParticipationQueries,
  type ParticipationRecord,
  type ParticipationStepRecord,
  type VisitRecord,
} from './queries/study/participation.ts';
export {
  isAddress,
  isSameAddress,
  sensorOfRecording,
  serialOfAddress,
  serialsByAddress,
  tieRecordings,
  UNKNOWN_ADDRESS,
} from './queries/study/sensor-match.ts';
export { type ShownSignature, SignatureQueries, type SignatureRecord } from './queries/study/signatures.ts';
export { type StudyDetailRecord, type StudyPatch, StudyQueries, type StudyRecord } from './queries/study/studies.ts';
export { StudyDefinitions } from './queries/study/study-definitions.ts';
export {
  revokeSubjectTokens,
  SubjectQueries,
  type SubjectRecord,
  SubjectTokenQueries,
} from './queries/study/subjects.ts';
export type { ReadPlace } from './read-tracking.ts';
export { authorOf, type Change, type CommittedChange, SYSTEM } from './session.ts';
export type { SlowQuery, StoreOptions } from './site-database.ts';
export {
  createStore,
  newId,
  openDatabase,
  openReadStore,
  QUERIES,
  type ReadStore,
  type RepositoriesOf,
  type StoreOf,
} from './store.ts';
