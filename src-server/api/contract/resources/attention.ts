/** Items that need a person now, with one action each. */
import { z } from 'zod';
import { ATTENTION_REASONS, ATTENTION_SEVERITIES } from '../../../vocabulary/coverage.ts';
import { booleanParameter, id, idParams, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { attentionAction, evidence } from './coverage.ts';

const attentionItem = z
  .strictObject({
    id: z.string().meta({ description: 'Stable as long as the cause of the item is the same.' }),
    reason: z.enum(ATTENTION_REASONS),
    severity: z.enum(ATTENTION_SEVERITIES).meta({
      description:
        'HIGH: a person or stored data may come to harm. MEDIUM: data is being missed, or somebody waits. LOW: can be done later.',
    }),
    sentence: z.string(),
    studyId: id.optional(),
    studyName: z.string().optional(),
    subjectId: id.optional(),
    subjectName: z.string().optional(),
    sinceTs: timestamp,
    evidence,
    action: attentionAction,
    isMine: z.boolean().optional().meta({ description: 'true: assigned to the caller, or waiting for them.' }),
    snooze: z
      .strictObject({ untilTs: timestamp, reason: z.string(), userId: id, userName: z.string() })
      .optional()
      .meta({ description: 'Who snoozed the item until when, and why. Absent as soon as the evidence changes.' }),
  })
  .meta({ id: 'AttentionItem' });
export type AttentionItem = z.infer<typeof attentionItem>;

const ORDER = "reason as listed in the schema, then the caller's own, then sinceTs, oldest first";
const WHAT =
  'Problems that subjects report on their phones, follow-ups of notes that are due, visits that are due, overdue or without a date, consents that are missing, data queries that wait for the caller, subjects without data for 48 hours, equipment not returned one day after the end, three days with tasks of which none was done, batteries that ran down twice in a week, unread messages, files that wait for a decision or were refused in the last 14 days, failed jobs, and phones whose address of the site is gone.';

const query = z.object({
  snoozed: booleanParameter.optional().meta({ description: '`true`: include snoozed items. Default false.' }),
});
const itemParams = z.object({ accountId: id, itemId: z.string().min(1).max(300) });

export const attentionRoutes = defineRoutes({
  listAttention: {
    method: 'GET',
    path: '/accounts/{accountId}/attention',
    access: 'user',
    operation: 'study.read',
    tag: 'Attention',
    summary: 'List attention items',
    description: `${WHAT} For administrators also failing backups, mail and webhooks, files that a backup found missing or damaged, and a clock that jumped in the last 14 days.`,
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
    summary: 'List attention items of a study',
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
    summary: 'Snooze an item',
    description:
      'Hides the item until a time within 90 days; the reason is kept in the audit log. The item returns at that time, or earlier when its evidence changes.',
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
    summary: 'End the snooze of an item',
    description: 'The item returns to the list at once. An item that is not snoozed stays unchanged.',
    params: itemParams,
    status: 204,
  },
});
