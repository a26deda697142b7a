/** The outbox of e-mails, and the test of the mail server. */
import type { MailRecord } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import type { Mail } from '../../contract/index.ts';
import type { mailRoutes } from '../../contract/resources/mail.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Caller } from '../../framework/authenticate.ts';
import { notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type PagedList, readListPage } from '../../framework/paging.ts';

const MAIL_PAGES: PagedList<MailRecord> = {
  name: 'mail',
  key: ['number', 'string'],
  keyOf: ({ createdTs, id }) => [createdTs, id],
};

const SHOWN_STATE = { waiting: 'queued', sent: 'sent', failed: 'failed' } as const;

function toMail(mail: MailRecord): Mail {
  return {
    id: mail.id,
    recipient: mail.recipient,
    subject: mail.subject,
    ...(mail.holdsSecret ? {} : { body: mail.body }),
    state: SHOWN_STATE[mail.state],
    attempts: mail.attempts,
    ...(mail.diagnostic === undefined ? {} : { error: mail.diagnostic.message, diagnostic: mail.diagnostic }),
    ...(mail.state === 'waiting' && mail.attempts > 0 ? { nextAttemptTs: mail.nextAttemptTs } : {}),
    createdTs: mail.createdTs,
    ...(mail.sentTs === undefined ? {} : { sentTs: mail.sentTs }),
    isRead: mail.isRead,
  };
}

/** E-mails to others may name studies that the caller must not see. */
function maySee(caller: Caller, mail: MailRecord): boolean {
  return caller.role === 'ADMIN' || mail.recipient === caller.user.email;
}

export function mailHandlers(deps: ApiDeps): Handlers<typeof mailRoutes> {
  const { outbox } = deps.store;
  const mailOf = async (params: { accountId: string; mailId: string }, caller: Caller): Promise<MailRecord> => {
    const mail = await outbox.get(params.mailId);
    if (mail?.accountId !== params.accountId || !maySee(caller, mail)) throw notFound('mail');
    return mail;
  };
  return {
    listOutbox: async ({ params, query, caller, request }) => {
      const filter = {
        ...(caller.role === 'ADMIN' ? {} : { recipient: caller.user.email }),
        ...(query.isRead === undefined ? {} : { isRead: query.isRead }),
      };
      const { rows, links } = await readListPage(request, MAIL_PAGES, query, (keyset) =>
        outbox.list(params.accountId, { ...filter, keyset }),
      );
      return { items: rows.map(toMail), size: rows.length, ...links };
    },
    markMailRead: async ({ params, body, caller }) => {
      await outbox.setRead((await mailOf(params, caller)).id, body.isRead);
    },
    retryMail: async ({ params, caller }) => {
      if (await outbox.retry((await mailOf(params, caller)).id)) return;
      throw new OutpostError('CONFLICT', 'Only a failed e-mail without a one-time code can be retried.');
    },
    sendTestMail: async ({ body, caller }) => {
      const recipient = body.recipient ?? caller.user.email;
      const siteName = (await deps.store.settings.get('site.displayName')) ?? deps.siteName;
      const diagnostic = await deps.integrations.sendTestMail({
        accountId: caller.user.accountId,
        recipient,
        subject: `${siteName}: test mail / テストメール`,
        body: `The mail server of ${siteName} works.\n${siteName}のメールサーバーからメールを送信できました。\n`,
      });
      return {
        isSent: diagnostic === undefined,
        recipient,
        ...(diagnostic && { error: diagnostic.message, diagnostic }),
      };
    },
  };
}
