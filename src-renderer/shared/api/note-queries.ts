/** Notes and calls of staff, their follow-ups, and the people of a study, as query options. Keys as in `queries.ts`. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { longListQuery } from './long-list.ts';

/** A subject, or without `subjectId` a study with all its subjects. */
export interface NotePlace {
  studyId: string;
  subjectId?: string;
}

export type NoteKind = 'NOTE' | 'CALL';

/** Newest first. */
export const notePagesQuery = ({ studyId, subjectId }: NotePlace, kind: NoteKind | undefined) =>
  longListQuery(['note', studyId, subjectId ?? 'study', kind ?? 'all'], (page, signal) => {
    const query = { ...page, newest: true, ...(kind && { kind }) };
    return subjectId === undefined
      ? client.call('listNotes', { params: { studyId }, query, signal })
      : client.call('listSubjectNotes', { params: { studyId, subjectId }, query, signal });
  });

const ofSubject = (subjectId: string | undefined) => (subjectId === undefined ? {} : { subjectId });

/** Those that are not done, the earliest first. */
export const followUpPagesQuery = ({ studyId, subjectId }: NotePlace) =>
  longListQuery(['note', studyId, subjectId ?? 'study', 'followUps'], (page, signal) =>
    client.call('listFollowUps', { params: { studyId }, query: { ...page, ...ofSubject(subjectId) }, signal }),
  );

export const followUpCountQuery = ({ studyId, subjectId }: NotePlace) =>
  queryOptions({
    queryKey: ['note', studyId, subjectId ?? 'study', 'count'],
    queryFn: ({ signal }) =>
      client.call('listFollowUps', { params: { studyId }, query: { limit: '1', ...ofSubject(subjectId) }, signal }),
    select: ({ openCount }) => openCount,
  });

/** A note with what edits replaced. */
export const noteQuery = (studyId: string, noteId: string) =>
  queryOptions({
    queryKey: ['note', studyId, 'one', noteId],
    queryFn: ({ signal }) => client.call('getNote', { params: { studyId, noteId }, signal }),
  });

/** Everybody who may see a study. */
export const peopleQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['membership', 'people', studyId],
    queryFn: ({ signal }) => client.call('listStudyPeople', { params: { studyId }, signal }),
  });
