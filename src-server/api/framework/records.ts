/** The records of the store that handlers see, under one roof. */
export type { AccountRecord } from '../../db/repositories/access/accounts.ts';
export type { UserRecord } from '../../db/repositories/access/users.ts';
export type { AnnotationRecord } from '../../db/repositories/study/annotations.ts';
export type { EquipmentRecord } from '../../db/repositories/study/equipment.ts';
export type { EventRecord } from '../../db/repositories/study/events.ts';
export type { FaultRecord } from '../../db/repositories/study/faults.ts';
export type {
  DeviceConfigRecord,
  StudyDetailRecord,
  StudyRecord,
  TaskRecord,
} from '../../db/repositories/study/studies.ts';
export type { SubjectRecord } from '../../db/repositories/study/subjects.ts';
