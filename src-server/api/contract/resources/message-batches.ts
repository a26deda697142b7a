/** Templates of messages, and messages to many subjects. */
import { z } from 'zod';
import {
  BATCH_OUTCOMES,
  LONGEST_MESSAGE,
  MESSAGE_LANGUAGES,
  MOST_RECIPIENTS,
} from '../../../vocabulary/message-placeholders.ts';
import { count, id, idParams, listOf, nameText, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const text = z.string().max(LONGEST_MESSAGE).regex(/\S/, { error: 'must not be empty' });
const texts = z
  .strictObject({ en: text.optional(), ja: text.optional() })
  .refine(({ en, ja }) => en !== undefined || ja !== undefined, { error: 'must have a text in one language at least' });

const template = z
  .strictObject({ id, studyId: id, displayName: z.string(), texts, createdTs: timestamp, modifiedTs: timestamp })
  .meta({ id: 'MessageTemplate' });
export type MessageTemplate = z.infer<typeof template>;

const item = z
  .strictObject({
    subjectId: id,
    outcome: z.enum(BATCH_OUTCOMES).meta({
      description:
        'SENT: the message is stored, or would be in a preview. HIDDEN: the subject is hidden. NOT_TAKING_PART: the subject withdrew or was not eligible. NO_SUBJECT: the study has no such subject. NOT_SENT: a repeated request; the first one did not send to this subject.',
    }),
    messageId: id.optional(),
    body: z.string().optional().meta({ description: 'The text that the subject gets.' }),
  })
  .meta({ id: 'MessageBatchItem' });
export type MessageBatchItem = z.infer<typeof item>;

const templateParams = z.object({ studyId: id, templateId: z.uuid() });
const PLACEHOLDERS =
  'The placeholders {name} (of the subject), {date} (today, local to the subject) and {study} are filled for each subject; other words in braces are refused.';

export const messageBatchRoutes = defineRoutes({
  listMessageTemplates: {
    method: 'GET',
    path: '/studies/{studyId}/message_templates',
    access: 'user',
    operation: 'message.read',
    tag: 'Messages',
    summary: 'List the message templates of a study',
    description: 'Each has its text in one language or in both.',
    order: ['displayName', 'id'],
    params: idParams.study,
    status: 200,
    response: listOf(template),
  },
  putMessageTemplate: {
    method: 'PUT',
    path: '/studies/{studyId}/message_templates/{templateId}',
    access: 'user',
    operation: 'message.send',
    tag: 'Messages',
    summary: 'Store a message template',
    description: `Idempotent: the caller makes the id. ${PLACEHOLDERS}`,
    params: templateParams,
    body: z.object({ displayName: nameText(200), texts }),
    status: 204,
  },
  deleteMessageTemplate: {
    method: 'DELETE',
    path: '/studies/{studyId}/message_templates/{templateId}',
    access: 'user',
    operation: 'message.send',
    tag: 'Messages',
    summary: 'Delete a message template',
    description: 'Idempotent. Messages that were sent with it stay.',
    params: templateParams,
    status: 204,
  },
  sendMessages: {
    method: 'POST',
    path: '/studies/{studyId}/message_batches',
    access: 'user',
    operation: 'message.send',
    tag: 'Messages',
    summary: 'Send a message to many subjects',
    description: `All in one transaction, each subject once. A request with the id of an earlier one sends nothing and answers what became of that; with another text it is refused (409). ${PLACEHOLDERS} Hidden subjects and those who withdrew get none.`,
    params: idParams.study,
    body: z.object({
      id: z.uuid().meta({ description: 'Made by the caller, for one batch.' }),
      language: z.enum(MESSAGE_LANGUAGES).meta({ description: 'In which {date} is written.' }),
      body: text,
      subjectIds: z.array(id).min(1).max(MOST_RECIPIENTS),
      isPreview: z.boolean().default(false).meta({ description: 'true: nothing is sent.' }),
    }),
    status: 200,
    response: z.strictObject({ items: z.array(item), sent: count }),
  },
});
