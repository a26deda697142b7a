/** Webhooks of an account, their test and their deliveries. */

import { randomBytes } from 'node:crypto';
import type { AttemptRecord, DeliveryRecord, WebhookRecord } from '../../../db/index.ts';
import { diagnosticOf } from '../../../diagnostics.ts';
import { DAY_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import { SecretBox } from '../../../secrets/sealed-text.ts';
import { personName } from '../../../study/person-name.ts';
import type { StudyEvent, Webhook, WebhookDelivery } from '../../contract/index.ts';
import type { webhookRoutes } from '../../contract/resources/webhooks.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Caller, changeBy } from '../../framework/authenticate.ts';
import { invalidField, notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type PagedList, readListPage } from '../../framework/paging.ts';

const MOST_WEBHOOKS = 50;
const LISTED_DELIVERIES = 200;
const BOTH_SECRETS_MS = DAY_MS;
const REDELIVER_FOR_MS = 3 * DAY_MS;
/** Standard Webhooks: 24 to 64 bytes. */
const SECRET_BYTES = 32;
const NIL_ID = '00000000-0000-0000-0000-000000000000';

const DELIVERY_PAGES: PagedList<DeliveryRecord> = {
  name: 'deliveries',
  key: ['number', 'string'],
  keyOf: ({ createdTs, id }) => [createdTs, id],
};

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

function toWebhook(webhook: WebhookRecord): Webhook {
  const { trustedCertificate, disabledReason, failingSinceTs } = webhook;
  return {
    id: webhook.id,
    accountId: webhook.accountId,
    displayName: webhook.displayName,
    url: webhook.url,
    actions: webhook.actions,
    studyIds: webhook.studyIds,
    ...(trustedCertificate === undefined ? {} : { trustedCertificate }),
    isEnabled: webhook.isEnabled,
    ...(disabledReason === undefined ? {} : { disabledReason, diagnostic: diagnosticOf(disabledReason) }),
    ...(failingSinceTs === undefined ? {} : { failingSinceTs }),
    createdTs: webhook.createdTs,
    modifiedTs: webhook.modifiedTs,
  };
}

function toDelivery(delivery: DeliveryRecord, attempts: readonly AttemptRecord[]): WebhookDelivery {
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    state: delivery.state,
    isTest: delivery.eventSequence === undefined,
    event: JSON.parse(delivery.body) as StudyEvent,
    createdTs: delivery.createdTs,
    ...(delivery.nextAttemptTs === undefined ? {} : { nextAttemptTs: delivery.nextAttemptTs }),
    ...(delivery.endedTs === undefined ? {} : { endedTs: delivery.endedTs }),
    attempts: attempts.map(({ startedTs, durationMs, status, diagnostic, answer }) => ({
      startedTs,
      durationMs,
      ...(status === undefined ? {} : { status }),
      ...(diagnostic === undefined ? {} : { error: diagnostic.message, diagnostic }),
      ...(answer === undefined ? {} : { answer }),
    })),
  };
}

/** Returns the event of a test: of a kind that the webhook selects, with ids that refer to nothing. */
function sampleEvent(webhook: WebhookRecord, studyId: string, { user }: Caller, nowTs: number): StudyEvent {
  return {
    accountId: webhook.accountId,
    studyId,
    action: webhook.actions[0] ?? 'STUDY_STARTED',
    actualTs: nowTs,
    reportedTs: nowTs,
    referenceId: NIL_ID,
    author: {
      displayName: personName(user),
      id: user.id,
      parentId: user.accountId,
      principalType: 'USER',
    },
  };
}

export function webhookHandlers(deps: ApiDeps): Handlers<typeof webhookRoutes> {
  const { store, clock } = deps;
  const { webhooks, webhookDeliveries } = store;
  const box = new SecretBox(deps.secrets.urlSigningKey);
  const webhookOf = async (params: { accountId: string; webhookId: string }): Promise<WebhookRecord> => {
    const webhook = await webhooks.get(params.webhookId);
    if (webhook?.accountId !== params.accountId) throw notFound('webhook');
    return webhook;
  };
  const requireStudies = async (accountId: string, studyIds: readonly string[] | undefined) => {
    for (const [i, studyId] of (studyIds ?? []).entries()) {
      const study = await store.studies.get(studyId);
      if (study?.accountId !== accountId) throw invalidField(`studyIds.${i}`, 'is not a study of this account');
    }
  };
  const shown = async (deliveries: readonly DeliveryRecord[]): Promise<WebhookDelivery[]> => {
    const attempts = await webhookDeliveries.attemptsOf(deliveries.map(({ id }) => id));
    return deliveries.map((delivery) => toDelivery(delivery, attempts.get(delivery.id) ?? []));
  };
  return {
    listWebhooks: async ({ params }) => {
      const items = (await webhooks.list(params.accountId)).map(toWebhook);
      return { items, size: items.length };
    },
    createWebhook: async ({ params: { accountId }, body, caller }) => {
      await requireStudies(accountId, body.studyIds);
      if ((await webhooks.list(accountId)).length >= MOST_WEBHOOKS) {
        throw new OutpostError('CONFLICT', `There are ${MOST_WEBHOOKS} webhooks already. Remove one first.`);
      }
      const secret = newSecret();
      const fields = { ...body, actions: body.actions ?? [], studyIds: body.studyIds ?? [] };
      const { id } = await webhooks.create({ ...fields, accountId, sealedSecret: box.seal(secret) }, changeBy(caller));
      return { id, links: [{ href: `/v1/accounts/${accountId}/webhooks/${id}`, rel: 'self' }], secret };
    },
    getWebhook: async ({ params }) => toWebhook(await webhookOf(params)),
    updateWebhook: async ({ params, body, caller }) => {
      const { id } = await webhookOf(params);
      await requireStudies(params.accountId, body.studyIds);
      await webhooks.update(id, body, changeBy(caller));
    },
    deleteWebhook: async ({ params, caller }) => {
      await webhooks.remove((await webhookOf(params)).id, changeBy(caller));
    },
    rotateWebhookSecret: async ({ params, caller }) => {
      const { id } = await webhookOf(params);
      const secret = newSecret();
      const previousUntilTs = clock() + BOTH_SECRETS_MS;
      await webhooks.rotateSecret(id, box.seal(secret), previousUntilTs, changeBy(caller));
      return { secret, previousUntilTs };
    },
    testWebhook: async ({ params, caller }) => {
      const webhook = await webhookOf(params);
      const [study] = await store.studies.list(params.accountId);
      const studyId = webhook.studyIds[0] ?? study?.id ?? NIL_ID;
      const body = JSON.stringify(sampleEvent(webhook, studyId, caller, clock()));
      const delivery = await webhookDeliveries.get(await deps.integrations.sendTest(webhook, body));
      if (!delivery) throw notFound('webhook any more');
      return toDelivery(delivery, (await webhookDeliveries.attemptsOf([delivery.id])).get(delivery.id) ?? []);
    },
    listWebhookDeliveries: async ({ params, query, request }) => {
      const { id } = await webhookOf(params);
      const filter = query.state ? { states: query.state } : {};
      const { rows, links } = await readListPage(
        request,
        DELIVERY_PAGES,
        query,
        (keyset = { limit: LISTED_DELIVERIES }) => webhookDeliveries.list(id, { ...filter, keyset }),
      );
      const items = await shown(rows);
      return { items, size: items.length, ...links };
    },
    redeliverWebhook: async ({ params }) => {
      const { id } = await webhookOf(params);
      const delivery = await webhookDeliveries.get(params.deliveryId);
      if (delivery?.webhookId !== id) throw notFound('delivery');
      if (!(await webhookDeliveries.redeliver(delivery.id, clock() + REDELIVER_FOR_MS))) {
        throw new OutpostError('CONFLICT', 'Only a delivery that has ended can be sent again.');
      }
    },
  };
}
