/** Webhooks: addresses that receive events, and the deliveries to them. */
import { z } from 'zod';
import { count, diagnostic, id, idParams, link, listOf, nameText, repeatedParameter, timestamp } from '../common.ts';
import { withFormerNames } from '../former-names.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';
import { EVENT_ACTIONS, event } from './events.ts';
import { certificate } from './site-settings.ts';

const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
const oneWebhook = z.object({ accountId: id, webhookId: id });
const oneDelivery = z.object({ accountId: id, webhookId: id, deliveryId: id });

const url = z
  .string()
  .max(2000)
  .refine(
    (text) => {
      const { protocol, username, password } = URL.canParse(text)
        ? new URL(text)
        : { protocol: '', username: '', password: '' };
      return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
    },
    { error: 'must be an http or https address without user and password' },
  );
const displayName = nameText(200);
const actions = z
  .array(z.enum(EVENT_ACTIONS))
  .max(EVENT_ACTIONS.length)
  .meta({ description: 'Kinds of events to deliver; empty: all.' });
const studyIds = z
  .array(id)
  .max(500)
  .meta({ description: 'Studies whose events are delivered; empty: all of the account, including future ones.' });

const webhook = z
  .strictObject(
    withFormerNames({
      id,
      accountId: id,
      displayName: z.string(),
      url: z.string(),
      actions,
      studyIds,
      trustedCertificate: z
        .string()
        .optional()
        .meta({ description: "PEM of the authority that issued the receiver's certificate." }),
      isEnabled: z.boolean(),
      disabledReason: z.string().optional().meta({ description: 'Why the site disabled the webhook.' }),
      diagnostic: diagnostic.optional().meta({ description: '`disabledReason` with its code.' }),
      failingSinceTs: timestamp.optional().meta({ description: 'Time since which no attempt has succeeded.' }),
      createdTs: timestamp,
      modifiedTs: timestamp,
    }),
  )
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof webhook>;

const attempt = z
  .strictObject(
    withFormerNames({
      startedTs: timestamp,
      durationMs: count,
      status: z.int().optional().meta({ description: 'HTTP status of the answer; absent when there was none.' }),
      error: z.string().optional().meta({ description: 'What went wrong, as a sentence.' }),
      diagnostic: diagnostic.optional().meta({ description: '`error` with its code and facts.' }),
      answer: z.string().optional().meta({ description: 'Start of the body of the answer.' }),
    }),
  )
  .meta({ id: 'WebhookAttempt' });

const delivery = z
  .strictObject({
    id: id.meta({ description: 'Also sent as the header webhook-id, identical for every attempt.' }),
    webhookId: id,
    state: z.enum(DELIVERY_STATES),
    isTest: z.boolean(),
    event: event.meta({ description: 'The body of every attempt.' }),
    createdTs: timestamp,
    nextAttemptTs: timestamp.optional(),
    endedTs: timestamp.optional(),
    attempts: z.array(attempt),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof delivery>;

const secret = z.string().meta({ description: '`whsec_` followed by base64. Returned only once.' });

export const webhookRoutes = defineRoutes({
  listWebhooks: {
    method: 'GET',
    path: '/accounts/{accountId}/webhooks',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'All webhooks of the account, including disabled ones. Secrets are never returned.',
    order: ['createdTs', 'id'],
    params: idParams.account,
    status: 200,
    response: listOf(webhook),
  },
  createWebhook: {
    method: 'POST',
    path: '/accounts/{accountId}/webhooks',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'Register a webhook',
    description:
      'From now on each selected event is posted to `url`. The body is exactly one Event as in Get events, signed as described at standardwebhooks.com (webhook-id, webhook-timestamp, webhook-signature). A 2xx answer is success and 410 disables the webhook; any other answer, including a redirect, is retried with increasing delays for 3 days. An event can arrive more than once, always with the same webhook-id. Events of test subjects are included, as in Get events. Events of a webhook are sent one at a time in order; an event that has failed 5 times no longer blocks later ones. Targets on this computer and link-local addresses are refused unless the settings of the site allow them.',
    params: idParams.account,
    body: z.object({
      displayName,
      url,
      actions: actions.optional(),
      studyIds: studyIds.optional(),
      trustedCertificate: certificate.optional(),
    }),
    status: 201,
    response: z.strictObject({ id, links: z.array(link), secret }).meta({ id: 'CreatedWebhook' }),
  },
  getWebhook: {
    method: 'GET',
    path: '/accounts/{accountId}/webhooks/{webhookId}',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'Get a webhook',
    description: 'Its target, its selection of events and its state. The secret is never returned.',
    params: oneWebhook,
    status: 200,
    response: webhook,
  },
  updateWebhook: {
    method: 'PUT',
    path: '/accounts/{accountId}/webhooks/{webhookId}',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'Change, enable or disable a webhook',
    description:
      'Changes only the given members. While a webhook is disabled, nothing is sent and new events are not queued for it; deliveries queued before continue once it is enabled.',
    params: oneWebhook,
    body: z.object({
      displayName: displayName.optional(),
      url: url.optional(),
      actions: actions.optional(),
      studyIds: studyIds.optional(),
      trustedCertificate: certificate.nullable().optional(),
      isEnabled: z.boolean().optional(),
    }),
    status: 204,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/accounts/{accountId}/webhooks/{webhookId}',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'Delete a webhook and its delivery log',
    description:
      'An attempt in progress is aborted and nothing more is sent. The audit log keeps a record of the webhook.',
    params: oneWebhook,
    status: 204,
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/accounts/{accountId}/webhooks/{webhookId}/secret',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'Rotate the secret',
    description:
      'For 24 hours requests are signed with both secrets, the new one first, so that the receiver can switch.',
    params: oneWebhook,
    status: 201,
    response: z
      .strictObject({
        secret,
        previousUntilTs: timestamp.meta({
          description: 'Until then requests are also signed with the previous secret.',
        }),
      })
      .meta({ id: 'WebhookSecret' }),
  },
  testWebhook: {
    method: 'POST',
    path: '/accounts/{accountId}/webhooks/{webhookId}/test',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'Send a sample event now',
    description:
      'Makes one attempt and answers when it has ended, after at most about 15 s. The referenceId of the event refers to nothing. Disabled webhooks are tested too, and a failed test is not retried.',
    params: oneWebhook,
    status: 200,
    response: delivery,
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/accounts/{accountId}/webhooks/{webhookId}/deliveries',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'List deliveries with their attempts',
    description: 'At most 200, or pages of all. Deliveries are kept for 30 days after they end.',
    order: 'createdTs, newest first, then id',
    params: oneWebhook,
    query: z.object({ state: repeatedParameter(z.enum(DELIVERY_STATES)).optional(), ...pageQuery }),
    status: 200,
    response: pageOf(delivery),
  },
  redeliverWebhook: {
    method: 'POST',
    path: '/accounts/{accountId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'Redeliver an event',
    description:
      'Keeps the webhook-id and is retried for another 3 days. 409 for a delivery that still waits and for a test.',
    params: oneDelivery,
    status: 202,
  },
});
