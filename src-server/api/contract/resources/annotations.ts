/** Annotations: completed activities and surveys, and labels on a recording. */
import { z } from 'zod';
import { id, idParams, instantParameter, listOf, repeatedParameter, timestamp } from '../common.ts';
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

export const annotationRoutes = defineRoutes({
  listAnnotations: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/annotations',
    access: 'user',
    operation: 'annotation.read',
    tag: 'Annotations',
    summary: 'List annotations',
    description:
      'By startTs; the answers of a task directly after it, in their order; then by id. `from` and `to` go by startTs.',
    params: idParams.subject,
    query: z.object({
      from: instantParameter.optional(),
      to: instantParameter.optional(),
      type: repeatedParameter(annotationType).optional(),
    }),
    status: 200,
    response: listOf(annotation),
  },
});
