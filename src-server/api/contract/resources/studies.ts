/** Studies, their definition and lifecycle. */
import { z } from 'zod';
import { LIFECYCLE_STATES } from '../../../vocabulary/study.ts';
import { booleanParameter, count, created, id, idParams, nameText, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import {
  activity,
  definitionDocument,
  definitionInput,
  deviceConfig,
  diary,
  pipeline,
  program,
  subjectMetadataField,
} from './definition.ts';
import { subject } from './subjects.ts';

const studyMembers = {
  id,
  accountId: id,
  displayName: z.string(),
  title: z.string(),
  createdTs: timestamp,
  isArchived: z.boolean(),
  lifecycleState: z.enum(LIFECYCLE_STATES),
  stoppedTs: timestamp.optional().meta({ description: 'When it was completed. Absent while it is not.' }),
  lockedTs: timestamp
    .optional()
    .meta({ description: 'Since when it is locked against every change. Absent when it is not.' }),
  export: z.strictObject({ href: z.string(), requestedTs: timestamp, sizeBytes: count }).optional(),
  subjectMetadataFields: z.array(subjectMetadataField),
};
const study = z.strictObject(studyMembers).meta({ id: 'Study' });
export type Study = z.infer<typeof study>;

const studySummary = z
  .strictObject({
    countSubjects: count.meta({ description: 'Without hidden subjects.' }),
    countHiddenSubjects: count,
    countRecordings: count,
    sizeBytes: count.meta({ description: 'Of all signal files.' }),
    lastDataTs: timestamp
      .optional()
      .meta({ description: 'End of the recording that ends last. Absent without recordings.' }),
  })
  .meta({ id: 'StudySummary' });

const listedStudy = z
  .strictObject({
    ...studyMembers,
    summary: studySummary.optional().meta({ description: 'Only with `summary=true`.' }),
  })
  .meta({ id: 'ListedStudy' });
export type ListedStudy = z.infer<typeof listedStudy>;

const studyDetail = z
  .strictObject({
    ...studyMembers,
    activities: z.array(activity),
    diaries: z.array(diary),
    deviceConfigs: z.array(deviceConfig),
    pipelines: z.array(pipeline),
    program,
    subjects: z.array(subject),
  })
  .meta({ id: 'StudyDetail' });
export type StudyDetail = z.infer<typeof studyDetail>;

const displayName = nameText(200);
const title = z.string().trim().max(500);

export const studyRoutes = defineRoutes({
  listStudies: {
    method: 'GET',
    path: '/accounts/{accountId}/studies',
    access: 'user',
    operation: 'study.read',
    tag: 'Studies',
    summary: 'List studies',
    description: 'The studies that the caller may see, as a bare array.',
    order: ['createdTs', 'id'],
    params: idParams.account,
    query: z.object({
      summary: booleanParameter.optional().meta({ description: 'true: with `summary`. Default false.' }),
    }),
    status: 200,
    isStored: true,
    response: z.array(listedStudy),
  },
  getStudy: {
    method: 'GET',
    path: '/studies/{studyId}',
    aliases: [{ path: '/accounts/{accountId}/studies/{studyId}' }],
    access: 'user',
    operation: 'study.read',
    tag: 'Studies',
    summary: 'Get a study with its definition and subjects',
    description: 'Activities and diaries are ordered by `order`, deviceConfigs and subjects by createdTs, then id.',
    params: idParams.study,
    status: 200,
    isStored: true,
    response: studyDetail,
  },
  createStudy: {
    method: 'POST',
    path: '/accounts/{accountId}/studies',
    access: 'user',
    operation: 'study.create',
    tag: 'Studies',
    summary: 'Create a study',
    description:
      'The study is INITIALIZED: its definition can be changed freely until it is started. It can begin with the definition of another study or of a template; subjects and data are never copied.',
    params: idParams.account,
    body: z.object({
      displayName,
      title: title.optional(),
      from: z
        .union([
          z.strictObject({ studyId: id }),
          z.strictObject({ templateId: z.string().max(100), language: z.enum(['en', 'ja']).default('en') }),
        ])
        .optional()
        .meta({ description: 'Whose definition it begins with. Absent: it is empty.' }),
    }),
    status: 201,
    response: created,
  },
  updateStudy: {
    method: 'PUT',
    path: '/studies/{studyId}',
    access: 'user',
    operation: 'study.update',
    tag: 'Studies',
    summary: 'Rename a study',
    description: 'Absent members stay unchanged.',
    params: idParams.study,
    body: z.object({ displayName: displayName.optional(), title: title.optional() }),
    status: 204,
  },
  putDefinition: {
    method: 'PUT',
    path: '/studies/{studyId}/definition',
    access: 'user',
    operation: 'study.update',
    tag: 'Studies',
    summary: 'Set the definition of a study',
    description:
      'Each given part replaces the stored part; records sent with their id keep it. The definition of a running study can only be extended: nothing may be removed. Refused with the path of the field: a choice without options or with a duplicate one, a RANGE that is not two numbers in ascending order, two fields of the same name, a window that ends before it starts.',
    params: idParams.study,
    body: definitionInput,
    status: 204,
  },
  getDefinition: {
    method: 'GET',
    path: '/studies/{studyId}/definition',
    access: 'user',
    operation: 'study.read',
    tag: 'Studies',
    summary: 'Export the definition of a study',
    description:
      'One JSON document with metadata fields, activities, diaries, device configurations and program, in the order of Get study. Its JSON Schema is at /schemas/study-definition.json.',
    params: idParams.study,
    status: 200,
    isStored: true,
    response: definitionDocument,
  },
  importDefinition: {
    method: 'POST',
    path: '/studies/{studyId}/definition',
    access: 'user',
    operation: 'study.update',
    tag: 'Studies',
    summary: 'Import a definition into a study',
    description:
      'The document replaces the whole definition. Records of this study keep their ids; all others receive new ones, and the program is adjusted. The definition of a running study can only be extended: a document that lacks an existing part is refused. The rules of Set the definition apply.',
    params: idParams.study,
    body: definitionDocument,
    status: 204,
  },
  getDefinitionSchema: {
    method: 'GET',
    path: '/schemas/study-definition.json',
    access: 'public',
    tag: 'Studies',
    summary: 'Get the JSON Schema of an exported definition',
    description: 'JSON Schema, draft 2020-12. Needs no credentials.',
    status: 200,
    response: z.record(z.string(), z.unknown()),
  },
  startStudy: {
    method: 'POST',
    path: '/studies/{studyId}/start',
    access: 'user',
    operation: 'study.start',
    tag: 'Studies',
    summary: 'Start a study',
    description:
      'INITIALIZED becomes IN_PROGRESS, the program of every subject starts, and STUDY_STARTED is logged. Any other state is refused (409).',
    params: idParams.study,
    status: 204,
  },
  stopStudy: {
    method: 'POST',
    path: '/studies/{studyId}/stop',
    access: 'user',
    operation: 'study.stop',
    tag: 'Studies',
    summary: 'Stop a study and make it read-only',
    description: 'IN_PROGRESS becomes COMPLETE and STUDY_STOPPED is logged. Any other state is refused (409).',
    params: idParams.study,
    status: 204,
  },
  reopenStudy: {
    method: 'POST',
    path: '/studies/{studyId}/reopen',
    access: 'user',
    operation: 'study.reopen',
    tag: 'Studies',
    summary: 'Reopen a stopped study',
    description: 'COMPLETE becomes IN_PROGRESS. The reason is kept in the audit log.',
    params: idParams.study,
    body: z.object({ reason: z.string().trim().min(1).max(1000) }),
    status: 204,
  },
  lockStudy: {
    method: 'POST',
    path: '/studies/{studyId}/lock',
    access: 'user',
    operation: 'study.lock',
    tag: 'Studies',
    summary: 'Lock a study against every change, with a signature',
    description:
      'Recordings, labels, definition and subjects stay as they are (409 STUDY_LOCKED) until it is unlocked; what devices deliver is held. The password of the caller is asked again, and the lock is signed with it.',
    params: idParams.study,
    body: z.object({ reason: z.string().trim().min(1).max(1000), password: z.string().min(1).max(64) }),
    errorStatuses: [429],
    status: 204,
  },
  unlockStudy: {
    method: 'POST',
    path: '/studies/{studyId}/unlock',
    access: 'user',
    operation: 'study.lock',
    tag: 'Studies',
    summary: 'Unlock a study',
    description: 'The reason is kept in the audit log. The password of the caller is asked again.',
    params: idParams.study,
    body: z.object({ reason: z.string().trim().min(1).max(1000), password: z.string().min(1).max(64) }),
    errorStatuses: [429],
    status: 204,
  },
  archiveStudy: {
    method: 'POST',
    path: '/studies/{studyId}/archive',
    access: 'user',
    operation: 'study.archive',
    tag: 'Studies',
    summary: 'Archive a study',
    description:
      '`isArchived` becomes true; the study cannot be started, stopped or reopened until it is unarchived. A running study must be stopped first (409).',
    params: idParams.study,
    status: 204,
  },
  unarchiveStudy: {
    method: 'POST',
    path: '/studies/{studyId}/unarchive',
    access: 'user',
    operation: 'study.archive',
    tag: 'Studies',
    summary: 'Unarchive a study',
    description: '`isArchived` becomes false; the lifecycle state is unchanged.',
    params: idParams.study,
    status: 204,
  },
});
