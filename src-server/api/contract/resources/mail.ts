/** E-mails of the site: always kept in the outbox, and sent when a mail server is configured. */
import { z } from 'zod';
import { booleanParameter, count, diagnostic, id, idParams, timestamp } from '../common.ts';
import { withFormerNames } from '../former-names.ts';
import { pageOf, pageQuery } from '../paging.ts';
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
        .meta({ description: 'queued: waits for its next attempt, or for a mail server to be configured.' }),
      attempts: count,
      error: z.string().optional().meta({ description: 'Why the latest attempt failed, as a sentence.' }),
      diagnostic: diagnostic.optional().meta({ description: '`error` with its code and facts.' }),
      nextAttemptTs: timestamp
        .optional()
        .meta({ description: 'Next attempt of a queued mail that has failed before.' }),
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
    description:
      'At most 200, or pages of all. Administrators see all e-mails of the account, other users those to their own address.',
    order: 'createdTs, newest first, then id',
    params: idParams.account,
    query: z.object({ isRead: booleanParameter.optional(), ...pageQuery }),
    status: 200,
    response: pageOf(mail),
  },
  markMailRead: {
    method: 'PUT',
    path: '/accounts/{accountId}/outbox/{mailId}',
    access: 'user',
    operation: 'outbox.read',
    tag: 'Mail',
    summary: 'Mark an e-mail as read or unread in the outbox',
    description: 'Applies to everyone who sees it in the outbox, and is unrelated to the recipient.',
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
    summary: 'Retry a failed e-mail',
    description: '409 for an e-mail that has not failed or held a one-time code.',
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
    description: 'Answers once the mail server has accepted or refused it. The outbox lists it in either case.',
    body: z.object({ recipient: email.optional().meta({ description: 'Default: the address of the caller.' }) }),
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
