/** Messages between staff and subjects. */
import { z } from 'zod';
import { LONGEST_MESSAGE } from '../../../vocabulary/message-placeholders.ts';
import { PROBLEM_KINDS } from '../../../vocabulary/problems.ts';
import { count, created, id, idParams, listOf, signedUrl, timestamp } from '../common.ts';
import { newestFirst, pageOf, pageQuery, startAt } from '../paging.ts';
import { defineRoutes } from '../route.ts';
import { author } from './events.ts';

const message = z
  .strictObject({
    id,
    studyId: id,
    subjectId: id,
    author,
    body: z.string(),
    createdTs: timestamp,
    isRead: z.boolean().meta({
      description: 'Read by the recipient: by staff for a message of a subject, by the subject for a message of staff.',
    }),
    writtenTs: timestamp.optional().meta({
      description: 'When the subject wrote it, if the phone reported that; createdTs is when the site got it.',
    }),
    problem: z
      .strictObject({
        kind: z.enum(PROBLEM_KINDS),
        sensorSerial: z.string().optional(),
      })
      .optional()
      .meta({ description: 'The subject reports a problem. The serial is as reported.' }),
    image: z
      .strictObject({
        href: z.string().meta({ description: 'Path of the endpoint that returns a signed address of the image.' }),
        mimeType: z.string(),
        sizeBytes: count,
      })
      .optional(),
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof message>;

const conversation = z
  .strictObject({
    studyId: id,
    subjectId: id,
    messageCount: count,
    unreadCount: count.meta({ description: 'Messages from the subject that staff have not read.' }),
    lastTs: timestamp.meta({ description: 'Time of the newest message.' }),
    lastMessage: message,
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof conversation>;

const oneMessage = z.object({ studyId: id, subjectId: id, messageId: id });

export const messageRoutes = defineRoutes({
  listMessages: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/messages',
    access: 'user',
    operation: 'message.read',
    tag: 'Messages',
    summary: 'List messages to and from a subject',
    description: 'Messages in both directions.',
    order: ['createdTs', 'id'],
    params: idParams.subject,
    query: z.object({ ...pageQuery, newest: newestFirst, at: startAt }),
    status: 200,
    isStored: true,
    response: pageOf(message),
  },
  listUnreadMessages: {
    method: 'GET',
    path: '/accounts/{accountId}/messages',
    access: 'user',
    operation: 'message.read',
    tag: 'Messages',
    summary: 'List unread messages from subjects',
    description: 'From every study that the caller may read.',
    order: ['createdTs', 'id'],
    params: idParams.account,
    status: 200,
    isStored: true,
    response: listOf(message),
  },
  listConversations: {
    method: 'GET',
    path: '/accounts/{accountId}/conversations',
    access: 'user',
    operation: 'message.read',
    tag: 'Messages',
    summary: 'List conversations with subjects',
    description: 'One item per subject with at least one message, from every study that the caller may read.',
    order: ['-lastTs', 'subjectId'],
    params: idParams.account,
    query: z.object(pageQuery),
    status: 200,
    isStored: true,
    response: pageOf(conversation).extend({
      unreadCount: count.meta({
        description: 'Unread messages from subjects in all conversations, also those of other pages.',
      }),
    }),
  },
  sendMessage: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/messages',
    aliases: [{ path: '/studies/{studyId}/subjects/{subjectId}/messages', atRoot: true }],
    access: 'user',
    operation: 'message.send',
    tag: 'Messages',
    summary: 'Send a message to a subject',
    description:
      'Also served without `/api/v1`. The optional part `image` holds a PNG, JPEG, GIF or WebP image of up to 10 MB.',
    params: idParams.subject,
    bodyKinds: ['multipart'],
    body: z.object({
      body: z.string().max(LONGEST_MESSAGE).regex(/\S/, { error: 'must not be empty' }),
    }),
    files: { image: { required: false, repeated: false } },
    status: 201,
    response: created,
  },
  getMessage: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/messages/{messageId}',
    access: 'user',
    operation: 'message.read',
    tag: 'Messages',
    summary: 'Get a message',
    description: 'The target of the link that Send a message returns.',
    params: oneMessage,
    status: 200,
    response: message,
  },
  markMessageRead: {
    method: 'PUT',
    path: '/studies/{studyId}/subjects/{subjectId}/messages/{messageId}',
    access: 'user',
    operation: 'message.mark-read',
    tag: 'Messages',
    summary: 'Mark a message of a subject as read',
    description: 'Idempotent. Only the subject can mark messages of staff as read (409).',
    params: oneMessage,
    body: z.object({ isRead: z.literal(true) }),
    status: 204,
  },
  getMessageImage: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/messages/{messageId}/image',
    access: 'user',
    operation: 'message.read',
    tag: 'Messages',
    summary: 'Get a signed address of the image of a message',
    description: 'The address is valid for one hour and needs no credentials. 404 for a message without an image.',
    params: oneMessage,
    status: 200,
    response: signedUrl,
  },
  downloadMessageImage: {
    method: 'GET',
    path: '/files/messages/{messageId}/image',
    access: 'signed-url',
    tag: 'Messages',
    summary: 'Download the image of a message',
    description: 'Needs no credentials while the signature is valid. Range requests are supported.',
    params: z.object({ messageId: id }),
    query: z.object({ expires: z.string(), signature: z.string() }),
    status: 200,
    media: 'image/*',
  },
});
