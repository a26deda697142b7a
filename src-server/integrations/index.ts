/** What leaves the site on its own: webhooks and e-mails. */
import type { NewMail, WebhookRecord } from '../db/index.ts';
import type { Diagnostic } from '../diagnostics.ts';
import { SecretBox } from '../secrets/sealed-text.ts';
import type { Store } from '../services/index.ts';
import { MailSender } from './mail/sender.ts';
import { WebhookDispatcher } from './webhooks/dispatcher.ts';

export interface IntegrationsOptions {
  store: Store;
  /** Key of the site, from which the one that seals secrets is derived. */
  siteKey: Uint8Array;
  clock: () => number;
  siteName: string;
  /** Hears of what goes wrong inside, for the log. */
  onProblem: (problem: unknown) => void;
  webhookTimeoutMs?: number;
  mailTimeoutMs?: number;
}

export interface Integrations {
  /** Sends a body to a webhook now and answers the id of the delivery. */
  sendTest(webhook: WebhookRecord, body: string): Promise<string>;
  /** Puts a mail into the outbox and sends it now, once. Answers why it failed, undefined when it went out. */
  sendTestMail(mail: NewMail): Promise<Diagnostic | undefined>;
  /** Looks for due work now: for a clock that was moved. */
  wake(): void;
  close(): Promise<void>;
}

/** Starts sending; what a former run of the site left unsent goes on. */
export async function startIntegrations(options: IntegrationsOptions): Promise<Integrations> {
  const { webhookTimeoutMs, mailTimeoutMs, siteKey, ...shared } = options;
  const box = new SecretBox(siteKey);
  const dispatcher = new WebhookDispatcher({
    ...shared,
    box,
    ...(webhookTimeoutMs !== undefined && { attemptTimeoutMs: webhookTimeoutMs }),
  });
  const mail = new MailSender({
    ...shared,
    box,
    ...(mailTimeoutMs !== undefined && { timeoutMs: mailTimeoutMs }),
  });
  await dispatcher.start();
  mail.start();
  return {
    sendTest: (webhook, body) => dispatcher.sendTest(webhook, body),
    sendTestMail: (message) => mail.sendTest(message),
    wake: () => {
      dispatcher.wake();
      mail.wake();
    },
    close: async () => {
      await Promise.all([dispatcher.close(), mail.close()]);
    },
  };
}
