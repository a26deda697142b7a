/** Annotations: completed activities and surveys, and labels on a recording. */
import { z } from 'zod';
import { created, id, idParams, instantParameter, listOf, nameText, repeatedParameter, timestamp } from '../common.ts';
import { newestFirst, pageOf, pageQuery, startAt } from '../paging.ts';
import { defineRoutes } from '../route.ts';

const ANNOTATION_TYPES = ['activity', 'diary', 'question', 'recording', 'subject'] as const;
const annotationType = z.enum(ANNOTATION_TYPES);

const annotation = z
  .strictObject({
    id,
    studyId: id,
    subjectId: id,
    authorId: id.optional().meta({ description: 'Absent only on labels created by the system.' }),
    createdTs: timestamp,
    displayName: z.string(),
    startTs: timestamp,
    stopTs: timestamp,
    value: z.string().optional().meta({ description: 'The answer to a question, or the code of an imported label.' }),
    unit: z.string().optional().meta({ description: 'Of an answer that is a number.' }),
    event: z
      .strictObject({
        displayName: z.string(),
        id,
        type: z.enum(['activity', 'diary', 'question']),
        relationship: z.strictObject({ id }).optional(),
      })
      .optional()
      .meta({ description: 'Absent on labels.' }),
    skipped: z
      .array(z.strictObject({ questionId: id, text: z.string() }))
      .optional()
      .meta({ description: 'Questions of a task that the subject chose to skip; they have no annotation.' }),
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
    unit: z.string().optional(),
  })
  .meta({ id: 'Answer' });
export type Answer = z.infer<typeof answer>;

const oneAnnotation = z.object({ studyId: id, subjectId: id, annotationId: id });
/** From 1970 to the last instant that a JavaScript date can hold. */
const instant = z.int().min(0).max(8.64e15).meta({ description: 'Epoch milliseconds, UTC.' });
const labelInput = {
  displayName: nameText(200),
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
    description: '`from` and `to` apply to startTs, `endFrom` to stopTs, all inclusive. Labels have no `event`.',
    order: 'startTs, then id; the answers of a task directly after it, in the order of Get the questions and answers',
    params: idParams.subject,
    query: z.object({
      from: instantParameter.optional(),
      to: instantParameter.optional(),
      endFrom: instantParameter.optional().meta({
        description: 'Only annotations that end at or after this instant; with `to`, those that overlap a span.',
      }),
      type: repeatedParameter(annotationType).optional(),
      ...pageQuery,
      newest: newestFirst,
      at: startAt,
    }),
    status: 200,
    response: pageOf(annotation),
  },
  getAnnotation: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/annotations/{annotationId}',
    access: 'user',
    operation: 'annotation.read',
    tag: 'Annotations',
    summary: 'Get an annotation',
    description: 'The item as in List annotations.',
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
    description:
      'One item per answer, so a question with several answers has several items. Empty when the task has no questions.',
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
      'The file holds every annotation; of a subject who withdrew, only those that may be used, and 409 where none may. AnnotationId is `<Kind>:<name>`, where the kind is Activity, ActivityQuestion, Diary or DiaryQuestion for what subjects completed, and Recording or Subject for labels by staff and the system; EventType is the name alone. A text that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line break and is not a number) is prefixed with an apostrophe.',
    order: 'that of List annotations',
    params: idParams.subject,
    errorStatuses: [409],
    status: 200,
    media: 'text/csv',
  },
  createLabel: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/annotations',
    access: 'user',
    operation: 'annotation.write',
    tag: 'Annotations',
    summary: 'Label a point or a span in the recordings of a subject',
    description:
      'Creates an annotation of type `recording` with the caller as author. Without `stopTs` the label is a point. A complete study requires a `reason`, which is kept in the audit log (409 STUDY_STATE without one).',
    params: idParams.subject,
    body: z.object({
      displayName: labelInput.displayName,
      startTs: labelInput.startTs,
      stopTs: labelInput.stopTs.optional(),
      value: labelInput.value.optional(),
      recordingId: id.optional().meta({ description: 'The recording in which it was found.' }),
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
      'Absent members stay unchanged. Reports of subjects cannot be changed (400). A complete study requires a `reason` (409 STUDY_STATE without one).',
    params: oneAnnotation,
    body: z.object({
      displayName: labelInput.displayName.optional(),
      startTs: labelInput.startTs.optional(),
      stopTs: labelInput.stopTs.optional(),
      value: labelInput.value.nullish().meta({ description: 'null removes it.' }),
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
      'The audit log keeps its content. Reports of subjects cannot be deleted (400). A complete study requires a `reason` (409 STUDY_STATE without one).',
    params: oneAnnotation,
    query: z.object({ reason }),
    status: 204,
  },
});
