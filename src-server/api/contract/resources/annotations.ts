/** Annotations: completed activities and surveys, and labels on a recording. */
import { z } from 'zod';
import { created, id, idParams, instantParameter, listOf, repeatedParameter, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const ANNOTATION_TYPES = ['activity', 'diary', 'question', 'recording', 'subject'] as const;
const annotationType = z.enum(ANNOTATION_TYPES);

const annotation = z
  .strictObject({
    id,
    studyId: id,
    subjectId: id,
    authorId: id.optional().meta({ description: 'Absent only on labels that the system made.' }),
    createdTs: timestamp,
    displayName: z.string(),
    startTs: timestamp,
    stopTs: timestamp,
    value: z.string().optional().meta({ description: 'The answer on a question; the code of an imported label.' }),
    event: z
      .strictObject({
        displayName: z.string(),
        id,
        type: z.enum(['activity', 'diary', 'question']),
        relationship: z.strictObject({ id }).optional(),
      })
      .optional()
      .meta({ description: 'Absent on labels.' }),
  })
  .meta({ id: 'Annotation' });
export type Annotation = z.infer<typeof annotation>;

const answer = z
  .strictObject({
    id: id.meta({ description: 'The annotation of type `question` with this answer.' }),
    createdTs: timestamp,
    question: z.string(),
    answer: z.string(),
    type: z.string(),
  })
  .meta({ id: 'Answer' });
export type Answer = z.infer<typeof answer>;

const oneAnnotation = z.object({ studyId: id, subjectId: id, annotationId: id });
/** From 1970 to the last instant that a date can be. */
const instant = z.int().min(0).max(8.64e15).meta({ description: 'Epoch milliseconds, UTC.' });
const labelInput = {
  displayName: z.string().trim().min(1).max(200),
  startTs: instant,
  stopTs: instant,
  value: z.string().max(10_000),
};
const reason = z.string().max(1000).optional().meta({ description: 'Kept in the audit log.' });

export const annotationRoutes = defineRoutes({
  listAnnotations: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/annotations',
    access: 'user',
    operation: 'annotation.read',
    tag: 'Annotations',
    summary: 'List annotations',
    description: '`from` and `to` go by startTs, both inclusive. Labels have no `event`.',
    order: 'startTs, then id; the answers of a task directly after it, in the order of Get the questions and answers',
    params: idParams.subject,
    query: z.object({
      from: instantParameter.optional(),
      to: instantParameter.optional(),
      type: repeatedParameter(annotationType).optional(),
    }),
    status: 200,
    response: listOf(annotation),
  },
  getAnnotation: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/annotations/{annotationId}',
    access: 'user',
    operation: 'annotation.read',
    tag: 'Annotations',
    summary: 'Get an annotation',
    description: 'As in List annotations.',
    params: oneAnnotation,
    status: 200,
    response: annotation,
  },
  listAnswers: {
    method: 'GET',
    path: '/studies/{studyId}/annotations/{annotationId}/questions',
    access: 'user',
    operation: 'annotation.read',
    tag: 'Annotations',
    summary: 'Get the questions and answers of a completed activity or survey',
    description: 'Several answers to one question are several items. Empty for what asks nothing.',
    order: 'that of the questions',
    params: z.object({ studyId: id, annotationId: id }),
    status: 200,
    response: listOf(answer),
  },
  downloadAnnotationsCsv: {
    method: 'GET',
    path: '/archives/{studyId}/subjects/{subjectId}/annotations',
    access: 'user',
    operation: 'annotation.export',
    tag: 'Annotations',
    summary: 'Download annotations as CSV',
    description:
      'AnnotationId is `<Kind>:<name>` with the kinds Activity, ActivityQuestion, Diary, DiaryQuestion for what subjects completed, and Recording and Subject for labels of the staff and of the system, so that the file holds every annotation; EventType is the name alone. A text that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line break and is not a number) has an apostrophe in front.',
    order: 'that of List annotations',
    params: idParams.subject,
    status: 200,
    media: 'text/csv',
  },
  createLabel: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/annotations',
    access: 'user',
    operation: 'annotation.write',
    tag: 'Annotations',
    summary: 'Label a point or a span of the recordings of a subject',
    description:
      'Makes an annotation of type `recording` with the caller as author. Without `stopTs` it is a point. In a complete study it needs a `reason`, which the audit trail keeps (409 STUDY_STATE without).',
    params: idParams.subject,
    body: z.object({
      displayName: labelInput.displayName,
      startTs: labelInput.startTs,
      stopTs: labelInput.stopTs.optional(),
      value: labelInput.value.optional(),
      recordingId: id.optional().meta({ description: 'The recording that it was read on.' }),
      reason,
    }),
    status: 201,
    response: created,
  },
  updateLabel: {
    method: 'PUT',
    path: '/studies/{studyId}/subjects/{subjectId}/annotations/{annotationId}',
    access: 'user',
    operation: 'annotation.write',
    tag: 'Annotations',
    summary: 'Change a label',
    description:
      'Members that are absent stay as they are. What a subject reported is not changed (400). In a complete study it needs a `reason` (409 STUDY_STATE without).',
    params: oneAnnotation,
    body: z.object({
      displayName: labelInput.displayName.optional(),
      startTs: labelInput.startTs.optional(),
      stopTs: labelInput.stopTs.optional(),
      value: labelInput.value.nullish().meta({ description: 'null takes it away.' }),
      reason,
    }),
    status: 204,
  },
  deleteLabel: {
    method: 'DELETE',
    path: '/studies/{studyId}/subjects/{subjectId}/annotations/{annotationId}',
    access: 'user',
    operation: 'annotation.write',
    tag: 'Annotations',
    summary: 'Delete a label',
    description:
      'The audit log keeps what it said. What a subject reported is not deleted (400). In a complete study it needs a `reason` (409 STUDY_STATE without).',
    params: oneAnnotation,
    query: z.object({ reason }),
    status: 204,
  },
});
