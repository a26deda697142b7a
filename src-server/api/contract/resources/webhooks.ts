/** Addresses that are told of events, and what became of each event. */
import { z } from 'zod';
import { count, diagnostic, id, idParams, link, listOf, repeatedParameter, timestamp } from '../common.ts';
import { withFormerNames } from '../former-names.ts';
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
const displayName = z.string().trim().min(1).max(200);
const actions = z
  .array(z.enum(EVENT_ACTIONS))
  .max(EVENT_ACTIONS.length)
  .meta({ description: 'Kinds of events to be told of; empty: all.' });
const studyIds = z
  .array(id)
  .max(500)
  .meta({ description: 'Studies to be told of; empty: all of the account, later ones too.' });

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
        .meta({ description: "PEM of the authority behind the receiver's certificate." }),
      isEnabled: z.boolean(),
      disabledReason: z.string().optional().meta({ description: 'Why the site itself disabled it.' }),
      diagnostic: diagnostic.optional().meta({ description: '`disabledReason` with its code.' }),
      failingSinceTs: timestamp.optional().meta({ description: 'No attempt has succeeded since then.' }),
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
      status: z.int().optional().meta({ description: 'Status of the answer; absent when none came.' }),
      error: z.string().optional().meta({ description: 'What went wrong, as a sentence.' }),
      diagnostic: diagnostic.optional().meta({ description: '`error` with its code and facts.' }),
      answer: z.string().optional().meta({ description: 'Beginning of the body of the answer.' }),
    }),
  )
  .meta({ id: 'WebhookAttempt' });

const delivery = z
  .strictObject({
    id: id.meta({ description: 'Also the header webhook-id, the same at every attempt.' }),
    webhookId: id,
    state: z.enum(DELIVERY_STATES),
    isTest: z.boolean(),
    event: event.meta({ description: 'The body, as it was and will be sent.' }),
    createdTs: timestamp,
    nextAttemptTs: timestamp.optional(),
    endedTs: timestamp.optional(),
    attempts: z.array(attempt),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof delivery>;

const secret = z.string().meta({ description: '`whsec_` and base64. Shown this once.' });

export const webhookRoutes = defineRoutes({
  listWebhooks: {
    method: 'GET',
    path: '/accounts/{accountId}/webhooks',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'Those of the account, disabled ones included. Secrets are never answered.',
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
      'From now on every wanted event is posted to `url`: the body is exactly one Event as Get events shows it, signed as standardwebhooks.com describes (webhook-id, webhook-timestamp, webhook-signature). An answer of 2xx is success; 410 disables the webhook; anything else, a redirect too, is tried again with growing pauses for 3 days. An event can arrive more than once, always under the same webhook-id. Events of test subjects are among them, as in Get events. Events of a webhook are sent one after the other in their order, until one has failed 5 times. Targets on this computer and link-local addresses are refused unless the settings of the site allow them.',
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
    description: 'Where it posts to, what it wants, and whether it works. Its secret is never answered.',
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
      'Only the members given are changed. While disabled, nothing is sent and what happens is not kept for it; what waited before goes on when it is enabled again.',
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
    summary: 'Remove a webhook and its delivery log',
    description: 'An attempt under way is cut; nothing more is sent. The audit keeps that it was there.',
    params: oneWebhook,
    status: 204,
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/accounts/{accountId}/webhooks/{webhookId}/secret',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'Make a new secret',
    description: 'For 24 hours both secrets sign, the new one first, so that the receiver can change over.',
    params: oneWebhook,
    status: 201,
    response: z
      .strictObject({
        secret,
        previousUntilTs: timestamp.meta({ description: 'Until then the former one signs too.' }),
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
      'Answers with the one attempt once it has ended, after at most about 15 s. Its referenceId names nothing. It is sent to a disabled webhook too and is not repeated.',
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
    description: 'At most 200. Ended ones are kept for 30 days.',
    order: 'createdTs, newest first, then id',
    params: oneWebhook,
    query: z.object({ state: repeatedParameter(z.enum(DELIVERY_STATES)).optional() }),
    status: 200,
    response: listOf(delivery),
  },
  redeliverWebhook: {
    method: 'POST',
    path: '/accounts/{accountId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    access: 'user',
    operation: 'webhook.manage',
    tag: 'Webhooks',
    summary: 'Send a delivery that has ended once more',
    description: 'Under the same webhook-id, tried for another 3 days. One that still waits, or a test, is 409.',
    params: oneDelivery,
    status: 202,
  },
});
