/** What needs a person now, with one thing to do each. */
import { z } from 'zod';
import { booleanParameter, id, idParams, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { ATTENTION_REASONS } from '../vocabulary/coverage.ts';
import { attentionAction, evidence } from './coverage.ts';

const attentionItem = z
  .strictObject({
    id: z.string().meta({ description: 'The same as long as it is the same matter.' }),
    reason: z.enum(ATTENTION_REASONS),
    sentence: z.string(),
    studyId: id.optional(),
    studyName: z.string().optional(),
    subjectId: id.optional(),
    subjectName: z.string().optional(),
    sinceTs: timestamp,
    evidence,
    action: attentionAction,
    snooze: z
      .strictObject({ untilTs: timestamp, reason: z.string(), userId: id, userName: z.string() })
      .optional()
      .meta({ description: 'Who put it off until when, and why. Gone as soon as the evidence is another one.' }),
  })
  .meta({ id: 'AttentionItem' });
export type AttentionItem = z.infer<typeof attentionItem>;

const ORDER = 'reason as listed in the schema, then since when, oldest first';
const WHAT =
  'Subjects without data for 48 hours, equipment that was not returned a day after the end, three days with tasks and none done, batteries that ran down twice in a week, unread messages, files that wait for a decision or were refused in the last 14 days, and jobs that failed.';

const query = z.object({
  snoozed: booleanParameter.optional().meta({ description: '`true`: what was put off too. Default false.' }),
});
const itemParams = z.object({ accountId: id, itemId: z.string().min(1).max(300) });

export const attentionRoutes = defineRoutes({
  listAttention: {
    method: 'GET',
    path: '/accounts/{accountId}/attention',
    access: 'user',
    operation: 'study.read',
    tag: 'Attention',
    summary: 'List what needs attention',
    description: `${WHAT} For administrators also backups, mail and webhooks that fail, files that a backup found missing or damaged, and a clock that jumped in the last 14 days.`,
    order: ORDER,
    params: idParams.account,
    query,
    status: 200,
    response: listOf(attentionItem),
  },
  listStudyAttention: {
    method: 'GET',
    path: '/studies/{studyId}/attention',
    access: 'user',
    operation: 'study.read',
    tag: 'Attention',
    summary: 'List what needs attention in a study',
    description: WHAT,
    order: ORDER,
    params: idParams.study,
    query,
    status: 200,
    response: listOf(attentionItem),
  },
  snoozeAttention: {
    method: 'PUT',
    path: '/accounts/{accountId}/attention/{itemId}/snooze',
    access: 'user',
    operation: 'attention.snooze',
    tag: 'Attention',
    summary: 'Put an item off',
    description:
      'Until a time within 90 days, with a reason that the audit keeps. It returns by itself then, or earlier when its evidence changes.',
    params: itemParams,
    body: z.object({ untilTs: timestamp, reason: z.string().trim().min(1).max(500) }),
    status: 204,
  },
  wakeAttention: {
    method: 'DELETE',
    path: '/accounts/{accountId}/attention/{itemId}/snooze',
    access: 'user',
    operation: 'attention.snooze',
    tag: 'Attention',
    summary: 'Bring an item back that was put off',
    description: 'It stands in the list again at once. One that was not put off stays as it is.',
    params: itemParams,
    status: 204,
  },
});
