/** E-mails of the site: kept in the outbox always, sent when a mail server is set. */
import { z } from 'zod';
import { booleanParameter, count, diagnostic, id, idParams, listOf, timestamp } from '../common.ts';
import { withFormerNames } from '../former-names.ts';
import { defineRoutes } from '../route.ts';
import { email } from './users.ts';

const oneMail = z.object({ accountId: id, mailId: id });

const mail = z
  .strictObject(
    withFormerNames({
      id,
      recipient: z.string(),
      subject: z.string(),
      body: z.string().optional().meta({ description: 'Absent when it holds a one-time code.' }),
      state: z
        .enum(['queued', 'sent', 'failed'])
        .meta({ description: 'queued: it waits for its time, or for a mail server to be set.' }),
      attempts: count,
      error: z.string().optional().meta({ description: 'Why the newest attempt failed, as a sentence.' }),
      diagnostic: diagnostic.optional().meta({ description: '`error` with its code and facts.' }),
      nextAttemptTs: timestamp.optional().meta({ description: 'Of a queued mail that has failed before.' }),
      createdTs: timestamp,
      sentTs: timestamp.optional(),
      isRead: z.boolean(),
    }),
  )
  .meta({ id: 'Mail' });
export type Mail = z.infer<typeof mail>;

export const mailRoutes = defineRoutes({
  listOutbox: {
    method: 'GET',
    path: '/accounts/{accountId}/outbox',
    access: 'user',
    operation: 'outbox.read',
    tag: 'Mail',
    summary: 'List the e-mails of the site',
    description: 'At most 200. Administrators see all of the account, everyone else those to their own address.',
    order: 'createdTs, newest first, then id',
    params: idParams.account,
    query: z.object({ isRead: booleanParameter.optional() }),
    status: 200,
    response: listOf(mail),
  },
  markMailRead: {
    method: 'PUT',
    path: '/accounts/{accountId}/outbox/{mailId}',
    access: 'user',
    operation: 'outbox.read',
    tag: 'Mail',
    summary: 'Mark an e-mail as read or unread in the outbox',
    description: 'For all who see it in the outbox; it says nothing about the recipient.',
    params: oneMail,
    body: z.object({ isRead: z.boolean() }),
    status: 204,
  },
  retryMail: {
    method: 'POST',
    path: '/accounts/{accountId}/outbox/{mailId}/retry',
    access: 'user',
    operation: 'site.manage',
    tag: 'Mail',
    summary: 'Send an e-mail that failed once more',
    description: 'One that has not failed, or held a one-time code, is 409.',
    params: oneMail,
    status: 202,
  },
  sendTestMail: {
    method: 'POST',
    path: '/site/settings/mail/test',
    access: 'user',
    operation: 'site.manage',
    tag: 'Settings',
    summary: 'Send a test e-mail with the stored settings',
    description: 'Answers once the mail server has taken or refused it. It is in the outbox either way.',
    body: z.object({ recipient: email.optional().meta({ description: 'Default: your own address.' }) }),
    status: 200,
    response: z
      .strictObject(
        withFormerNames({
          isSent: z.boolean(),
          recipient: z.string(),
          error: z.string().optional(),
          diagnostic: diagnostic.optional().meta({ description: '`error` with its code and facts.' }),
        }),
      )
      .meta({ id: 'TestMailResult' }),
  },
});
