/** Studies, their definition and lifecycle. */
import { z } from 'zod';
import { count, created, id, idParams, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { LIFECYCLE_STATES } from '../vocabulary/study.ts';
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
  export: z.strictObject({ href: z.string(), requestedTs: timestamp, sizeBytes: count }).optional(),
  subjectMetadataFields: z.array(subjectMetadataField),
};
const study = z.strictObject(studyMembers).meta({ id: 'Study' });
export type Study = z.infer<typeof study>;

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

const displayName = z.string().trim().min(1).max(200);
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
    status: 200,
    isStored: true,
    response: z.array(study),
  },
  getStudy: {
    method: 'GET',
    path: '/studies/{studyId}',
    aliases: [{ path: '/accounts/{accountId}/studies/{studyId}' }],
    access: 'user',
    operation: 'study.read',
    tag: 'Studies',
    summary: 'Get a study with its definition and subjects',
    description: 'Activities and diaries by `order`; deviceConfigs and subjects by createdTs, then id.',
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
    description: 'The study is INITIALIZED: its definition can be set freely until it is started.',
    params: idParams.account,
    body: z.object({ displayName, title: title.optional() }),
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
    description: 'Members that are absent stay as they are.',
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
      'Each part that is given replaces that part; records keep their id when it is given. While a study runs its definition only grows: nothing may be taken away. Refused with its place: a choice without options or with one twice, a RANGE that is not two numbers in ascending order, two fields of one name, a window that ends before it starts.',
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
      'The document becomes the whole definition. Records of this study keep their ids; all others get new ones, and the program follows. While a study runs its definition only grows: a document that lacks something is refused, and so is what the definition itself may not hold.',
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
    description: 'JSON Schema, draft 2020-12. Answers without credentials.',
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
      'INITIALIZED becomes IN_PROGRESS, the program of every subject begins, and STUDY_STARTED is logged. Any other state is refused (409).',
    params: idParams.study,
    status: 204,
  },
  stopStudy: {
    method: 'POST',
    path: '/studies/{studyId}/stop',
    access: 'user',
    operation: 'study.stop',
    tag: 'Studies',
    summary: 'Stop a study: it becomes read-only',
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
    description: 'The study runs again. The reason is kept in the audit log.',
    params: idParams.study,
    body: z.object({ reason: z.string().trim().min(1).max(1000) }),
    status: 204,
  },
  archiveStudy: {
    method: 'POST',
    path: '/studies/{studyId}/archive',
    access: 'user',
    operation: 'study.archive',
    tag: 'Studies',
    summary: 'Put a study away',
    description:
      'It stays as it is, with `isArchived` true, and cannot be started, stopped or reopened until it is brought back. A running study has to be stopped first (409).',
    params: idParams.study,
    status: 204,
  },
  unarchiveStudy: {
    method: 'POST',
    path: '/studies/{studyId}/unarchive',
    access: 'user',
    operation: 'study.archive',
    tag: 'Studies',
    summary: 'Bring an archived study back',
    description: '`isArchived` becomes false; the state is the one it had.',
    params: idParams.study,
    status: 204,
  },
});
