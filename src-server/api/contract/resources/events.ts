/** The event log of a study, and live changes for a desk. */
import { z } from 'zod';
import { id, idParams, instantParameter, timestamp } from '../common.ts';
import { newestFirst, pageOf, pageQuery, startAtSequence } from '../paging.ts';
import { defineRoutes } from '../route.ts';

export const EVENT_ACTIONS = [
  'STUDY_STARTED',
  'SUBJECT_CREATED',
  'ACTIVITY_COMPLETED',
  'DIARY_COMPLETED',
  'RECORDING_UPLOADED',
  'METRICS_PROCESSED',
  'MESSAGE_POSTED',
  'STUDY_STOPPED',
] as const;

export const author = z
  .strictObject({ displayName: z.string(), id, parentId: id, principalType: z.enum(['USER', 'SUBJECT']) })
  .meta({ id: 'Author' });

export const event = z
  .strictObject({
    accountId: id,
    studyId: id,
    subjectId: id.optional(),
    action: z.enum(EVENT_ACTIONS),
    actualTs: timestamp,
    reportedTs: timestamp,
    referenceId: id,
    author: author.optional(),
  })
  .meta({ id: 'Event' });
export type StudyEvent = z.infer<typeof event>;

/** What live changes can be about. */
const CHANGE_TOPICS = [
  'account',
  'user',
  'study',
  'membership',
  'subject',
  'equipment',
  'fault',
  'recording',
  'upload',
  'annotation',
  'analysis-run',
  'correction',
  'message',
  'messageTemplate',
  'savedFilter',
  'note',
  'query',
  'participation',
  'analytics',
  'job',
  'export',
  'setting',
  'device',
  'pairing',
  'refusal',
  'transfer',
  'site',
  'webhook',
  'mail',
  'attention',
  'audit',
  'signature',
] as const;

/** One server-sent event of `/live`: what changed, never the data itself. */
export const change = z
  .strictObject({
    topic: z.enum(CHANGE_TOPICS),
    id: z.string().optional(),
    studyId: id.optional(),
    subjectId: id.optional(),
  })
  .meta({ id: 'Change' });
export type Change = z.infer<typeof change>;

export const eventRoutes = defineRoutes({
  listEvents: {
    method: 'GET',
    path: '/studies/{studyId}/events',
    access: 'user',
    operation: 'event.read',
    tag: 'Events',
    summary: 'Get events',
    description:
      'The window applies to reportedTs and is at most 24 hours. Default: the last 24 hours; with one bound, the 24 hours from or up to it.',
    order: ['reportedTs'],
    params: idParams.study,
    query: z.object({
      from: instantParameter.optional(),
      to: instantParameter.optional(),
      ...pageQuery,
      newest: newestFirst,
      at: startAtSequence,
    }),
    status: 200,
    response: pageOf(event),
  },
  live: {
    method: 'GET',
    path: '/live',
    access: 'user',
    tag: 'Events',
    summary: 'Follow changes of the account as server-sent events',
    description:
      'Each event `change` carries a Change object: refetch what it names. Read the stream with fetch and the Authorization header. A comment line every 15 s keeps the connection alive; after an interruption, reconnect and refetch everything shown. A change is sent only to callers whose current roles allow reading it. A change of `user` or `membership` with the caller’s own id means that the caller’s roles changed: refetch the user and everything shown. One user may hold 32 streams, a site sends 256; more are answered with 429 THROTTLED.',
    status: 200,
    media: 'text/event-stream',
  },
});
