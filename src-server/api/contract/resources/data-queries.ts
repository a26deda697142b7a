/** Data queries: questions about data, answered and resolved step by step. */
import { z } from 'zod';
import { LONGEST_QUERY_TEXT, QUERY_STATES, QUERY_STEPS, QUERY_TARGETS } from '../../../vocabulary/queries.ts';
import { count, created, date, id, idParams, timestamp } from '../common.ts';
import { newestFirst, pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';
import { person } from './notes.ts';

const state = z.enum(QUERY_STATES);
const target = z.enum(QUERY_TARGETS).meta({
  description: 'ANSWER: a completed task or one of its answers. DAY: a local day, with `metric` one metric of it.',
});
const text = z.string().max(LONGEST_QUERY_TEXT);

const step = z.strictObject({
  id,
  kind: z.enum(QUERY_STEPS),
  state: state.meta({ description: 'After the step.' }),
  text: z.string(),
  author: person,
  createdTs: timestamp,
  assignee: person.optional().meta({ description: 'Of OPEN and ASSIGN; absent: nobody.' }),
});

const dataQuery = z
  .strictObject({
    id,
    studyId: id,
    subjectId: id,
    subjectName: z.string(),
    target,
    targetId: id.optional().meta({ description: 'The recording or annotation; absent for a day.' }),
    date: date.optional(),
    metric: z.string().optional(),
    targetName: z.string().optional().meta({ description: 'Name of the label, task or question when it was asked.' }),
    targetTs: timestamp.optional().meta({ description: 'When the target begins.' }),
    state,
    stateTs: timestamp.meta({ description: 'Since when it is in this state.' }),
    assignee: person.optional(),
    openedBy: person,
    openedTs: timestamp,
    steps: z.array(step).meta({ description: 'Oldest first; the first is the question.' }),
  })
  .meta({ id: 'DataQuery' });
export type DataQuery = z.infer<typeof dataQuery>;

const newId = z.uuid().optional().meta({
  description: 'Made by the client: the same request repeated changes nothing; with another content, 409 CONFLICT.',
});
const listQuery = {
  ...pageQuery,
  newest: newestFirst,
  state: state.optional(),
  assigneeId: id.optional().meta({ description: 'Only those assigned to this user.' }),
};
const oneQuery = z.object({ studyId: id, queryId: id });

const counts = z.strictObject({
  subjectId: id,
  subjectName: z.string(),
  openCount: count,
  answeredCount: count,
  oldestTs: timestamp.meta({ description: 'When the oldest that is not resolved was opened.' }),
});

export const dataQueryRoutes = defineRoutes({
  listQueries: {
    method: 'GET',
    path: '/studies/{studyId}/queries',
    access: 'user',
    operation: 'query.read',
    tag: 'Queries',
    summary: 'List the data queries of a study',
    description: 'With all their steps.',
    order: ['openedTs', 'id'],
    params: idParams.study,
    query: z.object({ ...listQuery, subjectId: id.optional() }),
    status: 200,
    response: pageOf(dataQuery),
  },
  listSubjectQueries: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/queries',
    access: 'user',
    operation: 'query.read',
    tag: 'Queries',
    summary: 'List the data queries of a subject',
    description: 'With all their steps.',
    order: ['openedTs', 'id'],
    params: idParams.subject,
    query: z.object(listQuery),
    status: 200,
    response: pageOf(dataQuery),
  },
  countQueries: {
    method: 'GET',
    path: '/studies/{studyId}/query_counts',
    access: 'user',
    operation: 'query.read',
    tag: 'Queries',
    summary: 'Count the unresolved queries of a study',
    description: 'In the study, and in each subject that has any.',
    params: idParams.study,
    status: 200,
    response: z.strictObject({
      openCount: count,
      answeredCount: count,
      oldestTs: timestamp.optional(),
      subjects: z.array(counts),
    }),
  },
  openQuery: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/queries',
    access: 'user',
    operation: 'query.open',
    tag: 'Queries',
    summary: 'Open a data query',
    description:
      'On a recording, a day or one of its metrics, a reported task or answer, or a label. Changes no data; refused in a locked study only.',
    params: idParams.subject,
    body: z.object({
      id: newId,
      target,
      targetId: id.optional(),
      date: date.optional(),
      metric: z.string().max(200).optional(),
      text: text.trim().min(1),
      assigneeId: id.optional(),
    }),
    status: 201,
    response: created,
  },
  getQuery: {
    method: 'GET',
    path: '/studies/{studyId}/queries/{queryId}',
    access: 'user',
    operation: 'query.read',
    tag: 'Queries',
    summary: 'Get a data query',
    description: 'With all its steps.',
    params: oneQuery,
    status: 200,
    response: dataQuery,
  },
  addQueryStep: {
    method: 'POST',
    path: '/studies/{studyId}/queries/{queryId}/steps',
    access: 'user',
    operation: 'query.step',
    tag: 'Queries',
    summary: 'Answer, resolve, reopen, assign or comment a data query',
    description:
      'OPEN -> ANSWER -> ANSWERED -> RESOLVE -> RESOLVED; REOPEN leads back to OPEN; COMMENT and ASSIGN keep the state. Answers: who may label data, and the assignee. RESOLVE and REOPEN: who opened it, monitors and administrators. 409 CONFLICT when the step does not begin in the present state.',
    params: oneQuery,
    body: z.object({
      id: newId,
      kind: z.enum(['ANSWER', 'RESOLVE', 'REOPEN', 'COMMENT', 'ASSIGN']),
      text: text.optional(),
      assigneeId: id.optional().meta({ description: 'Of ASSIGN; absent: nobody.' }),
    }),
    status: 204,
  },
});
