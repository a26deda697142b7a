/** Annotations: completed tasks with their answers, and labels. */
import type { AnnotationRecord, Key, Keyset } from '../../../db/index.ts';
import type { Annotation, Answer } from '../../contract/index.ts';
import type { annotationRoutes } from '../../contract/resources/annotations.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { invalidField, notFound } from '../../framework/errors.ts';
import { type Handlers, SENT } from '../../framework/mount.ts';
import { type PagedList, readListPage } from '../../framework/paging.ts';
import { TextStream } from '../../framework/stream.ts';
import { dataUseOf } from '../data-use.ts';
import { ANNOTATIONS_HEADER, AnnotationLines } from './csv.ts';

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
    ...(annotation.unit === undefined ? {} : { unit: annotation.unit }),
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
    ...(annotation.skipped && { skipped: annotation.skipped }),
  };
}

function toAnswer(annotation: AnnotationRecord): Answer {
  return {
    id: annotation.id,
    createdTs: annotation.createdTs,
    question: annotation.displayName,
    answer: annotation.value ?? '',
    type: annotation.questionType ?? '',
    ...(annotation.unit === undefined ? {} : { unit: annotation.unit }),
  };
}

/** Start, the task that it belongs to, whether it is an answer of it, position, id. */
const pagesOf = (newest: boolean | undefined): PagedList<{ key?: Key; record: AnnotationRecord }> => ({
  name: newest ? 'annotations-newest' : 'annotations',
  key: ['number', 'string', 'number', 'number', 'string'],
  keyOf: ({ key = [] }) => key,
});

export function annotationHandlers(deps: ApiDeps): Handlers<typeof annotationRoutes> {
  const { annotations, recordings } = deps.store;
  const annotationOf = async (params: { subjectId: string; annotationId: string }): Promise<AnnotationRecord> => {
    const annotation = await annotations.get(params.annotationId);
    if (annotation?.subjectId !== params.subjectId) throw notFound('annotation');
    return annotation;
  };
  return {
    listAnnotations: async ({ params, query, request }) => {
      const { from, to, endFrom, type, newest } = query;
      if (from !== undefined && to !== undefined && from > to) throw invalidField('from', 'must not be after `to`');
      const filter = {
        ...(from === undefined ? {} : { fromTs: from }),
        ...(to === undefined ? {} : { toTs: to }),
        ...(endFrom === undefined ? {} : await annotations.endingFrom(params.subjectId, endFrom, from)),
        ...(type ? { types: type } : {}),
      };
      const read = async (keyset: Keyset | undefined) => {
        if (keyset) return await annotations.page(params.subjectId, { ...filter, isNewestFirst: newest }, keyset);
        const all: { key?: Key; record: AnnotationRecord }[] = [];
        for await (const slice of annotations.slices(params.subjectId, filter))
          all.push(...slice.map((record) => ({ record })));
        return newest ? all.reverse() : all;
      };
      const { rows, links } = await readListPage(request, pagesOf(newest), query, read, (id) =>
        annotations.keyOf(params.subjectId, id),
      );
      return { items: rows.map(({ record }) => toAnnotation(record)), size: rows.length, ...links };
    },
    getAnnotation: async ({ params }) => toAnnotation(await annotationOf(params)),
    listAnswers: async ({ params }) => {
      const annotation = await annotations.get(params.annotationId);
      if (annotation?.studyId !== params.studyId) throw notFound('annotation');
      const items = (await annotations.answers(annotation.id)).map(toAnswer);
      return { items, size: items.length };
    },
    downloadAnnotationsCsv: async ({ params, response }) => {
      const use = await dataUseOf(deps.store, params.subjectId);
      response.status(200).type('text/csv').attachment('annotations.csv');
      const stream = new TextStream(response);
      stream.add(ANNOTATIONS_HEADER);
      const lines = new AnnotationLines();
      const filter = use && { toTs: use.untilMs - 1 };
      for await (const slice of annotations.slices(params.subjectId, filter)) {
        for (const annotation of slice) stream.add(lines.lineOf(annotation));
        await stream.flush();
      }
      await stream.end();
      return SENT;
    },
    createLabel: async ({ params, body, caller }) => {
      const { studyId, subjectId } = params;
      if (body.recordingId !== undefined && (await recordings.get(body.recordingId))?.subjectId !== subjectId) {
        throw invalidField('recordingId', 'is not a recording of this subject');
      }
      const { reason, ...fields } = body;
      const label = { ...fields, studyId, subjectId, type: 'recording' as const, stopTs: body.stopTs ?? body.startTs };
      const [stored] = await annotations.addLabels([label], changeBy(caller, reason));
      const id = stored!.id;
      return { id, links: [{ href: `/v1/studies/${studyId}/subjects/${subjectId}/annotations/${id}`, rel: 'self' }] };
    },
    updateLabel: async ({ params, body, caller }) => {
      const { reason, ...fields } = body;
      const { id } = await annotationOf(params);
      await annotations.updateLabel(id, fields, changeBy(caller, reason));
    },
    deleteLabel: async ({ params, query, caller }) => {
      const { id } = await annotationOf(params);
      await annotations.deleteLabel(id, changeBy(caller, query.reason));
    },
  };
}
