/** What the rest of the server sees of the database: the store, its records, credentials, and the words of a change. */

export { decodeArrays, encodeArrays } from './array-codec.ts';
export {
  ACCESS_TOKEN_LIFETIME_MS,
  hashPassword,
  hashToken,
  isPasswordLengthAllowed,
  sameHash,
  verifyPassword,
} from './credentials.ts';
export type { AccountRecord } from './repositories/access/accounts.ts';
export type { NewUser, UserRecord } from './repositories/access/users.ts';
export {
  type AnalyticsResult,
  type DayRecord,
  decodeRecordingFeatures,
  decodeSecondColumns,
  encodeRecordingFeatures,
  encodeSecondColumns,
  type WindowRecord,
} from './repositories/data/analytics.ts';
export type { DataState, FileState, NewRecording, RecordingRecord } from './repositories/data/recordings.ts';
export type { AuditProblem, AuditRecord } from './repositories/site/audit.ts';
export type { MailRecord } from './repositories/site/outbox.ts';
export type { AnnotationRecord, AnnotationType, NewLabel, TaskReport } from './repositories/study/annotations.ts';
export type { AuthorRecord } from './repositories/study/authors.ts';
export type {
  EquipmentHistoryItem,
  EquipmentRecord,
  EquipmentState,
  EquipmentType,
} from './repositories/study/equipment.ts';
export type { EventRecord } from './repositories/study/events.ts';
export { type FaultRecord, isFaultOf, type NewFault } from './repositories/study/faults.ts';
export type { MessageRecord, NewMessage } from './repositories/study/messages.ts';
export type {
  DefinitionInput,
  DeviceConfigRecord,
  QuestionRecord,
  StudyDetailRecord,
  StudyRecord,
  TaskRecord,
} from './repositories/study/studies.ts';
export type { NewSubject, SubjectRecord, SubjectUpdate } from './repositories/study/subjects.ts';
export {
  type Actor,
  type Change,
  type CommittedChange,
  canonicalJson,
  type EntityType,
  type EventAction,
  SYSTEM,
} from './session.ts';
export { newId, openDatabase, type Repositories, type SlowQuery, Store, type StoreOptions } from './store.ts';
export { foldText } from './text.ts';
