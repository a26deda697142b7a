/** Annotations: completed tasks with their answers, and labels. */

import type { AnnotationRecord } from '../../db/index.ts';
import type { Annotation } from '../contract/index.ts';
import type { annotationRoutes } from '../contract/resources/annotations.ts';
import type { ApiDeps } from '../deps.ts';
import { invalidField } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';

function toAnnotation(annotation: AnnotationRecord): Annotation {
  const { event } = annotation;
  return {
    id: annotation.id,
    studyId: annotation.studyId,
    subjectId: annotation.subjectId,
    ...(annotation.authorId === undefined ? {} : { authorId: annotation.authorId }),
    createdTs: annotation.createdTs,
    displayName: annotation.displayName,
    startTs: annotation.startTs,
    stopTs: annotation.stopTs,
    ...(annotation.value === undefined ? {} : { value: annotation.value }),
    ...(event
      ? {
          event: {
            displayName: event.displayName,
            id: event.id,
            type: event.type,
            ...(event.relationshipId === undefined ? {} : { relationship: { id: event.relationshipId } }),
          },
        }
      : {}),
  };
}

export function annotationHandlers(deps: ApiDeps): Handlers<typeof annotationRoutes> {
  return {
    listAnnotations: async ({ params, query }) => {
      const { from, to, type } = query;
      if (from !== undefined && to !== undefined && from > to) throw invalidField('from', 'must not be after `to`');
      const filter = {
        ...(from === undefined ? {} : { fromTs: from }),
        ...(to === undefined ? {} : { toTs: to }),
        ...(type ? { types: type } : {}),
      };
      const items = (await deps.store.annotations.list(params.subjectId, filter)).map(toAnnotation);
      return { items, size: items.length };
    },
  };
}
