/** Outgoing integrations of the site: webhooks and e-mail. */
import type { NewMail, WebhookRecord } from '../db/index.ts';
import type { Diagnostic } from '../diagnostics.ts';
import { SecretBox } from '../secrets/sealed-text.ts';
import type { Store } from '../services/index.ts';
import { MailSender } from './mail/sender.ts';
import { WebhookDispatcher } from './webhooks/dispatcher.ts';

export interface IntegrationsOptions {
  store: Store;
  /** The site's key; the key that seals secrets is derived from it. */
  siteKey: Uint8Array;
  clock: () => number;
  siteName: string;
  /** Receives internal failures, for the log. */
  onProblem: (problem: unknown) => void;
  webhookTimeoutMs?: number;
  mailTimeoutMs?: number;
}

export interface Integrations {
  /** Sends a body to a webhook immediately and returns the id of the delivery. */
  sendTest(webhook: WebhookRecord, body: string): Promise<string>;
  /** Adds a mail to the outbox and sends it immediately, without retries. Returns why it failed, or undefined. */
  sendTestMail(mail: NewMail): Promise<Diagnostic | undefined>;
  /** Looks for due work now, for example after the clock was moved. */
  wake(): void;
  close(): Promise<void>;
}

/** Starts sending, including what was pending when the site last ended. */
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
