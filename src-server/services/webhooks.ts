/** Webhooks: creating, changing, disabling and removing them, with the audit of each. */
import { type Change, SYSTEM, WebhookQueries, type WebhookRecord } from '../db/index.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';

type Editable = Pick<WebhookRecord, 'displayName' | 'url' | 'actions' | 'studyIds' | 'trustedCertificate'>;

/** Fields to change; null clears the certificate. */
export type WebhookUpdate = Partial<
  Omit<Editable, 'trustedCertificate'> & { trustedCertificate: string | null; isEnabled: boolean }
>;

export class Webhooks extends WebhookQueries {
  /** Adds a webhook, which receives events from now on. */
  async create(input: Editable & { accountId: string; sealedSecret: string }, change: Change): Promise<WebhookRecord> {
    return await this.session.write(async (session) => {
      const { sealedSecret, ...visible } = input;
      const id = session.newId();
      const now = session.clock();
      const webhooks = new Webhooks(session);
      await webhooks.insert({
        ...visible,
        id,
        sealedSecret,
        eventSequence: await webhooks.lastEventSequence(),
        createdTs: now,
        modifiedTs: now,
      });
      await session.audit(change, {
        action: 'webhook.create',
        entityType: 'webhook',
        entityId: id,
        changes: changesFromNothing(visible),
      });
      return await webhooks.require(id);
    });
  }

  /**
   * Changes the given fields. A webhook that is enabled again receives events from now on; waiting deliveries continue.
   * @throws NOT_FOUND
   */
  async update(id: string, fields: WebhookUpdate, change: Change): Promise<WebhookRecord> {
    return await this.session.write(async (session) => {
      const webhooks = new Webhooks(session);
      const old = await webhooks.require(id);
      const changes = changesBetween({ ...old }, { ...fields });
      if (Object.keys(changes).length === 0) return old;
      const isEnabledAgain = fields.isEnabled === true && !old.isEnabled;
      await webhooks.patch(id, {
        ...fields,
        ...(isEnabledAgain && {
          disabledReason: null,
          failingSinceTs: null,
          eventSequence: await webhooks.lastEventSequence(),
        }),
        modifiedTs: session.clock(),
      });
      await session.audit(change, { action: 'webhook.update', entityType: 'webhook', entityId: id, changes });
      return await webhooks.require(id);
    });
  }

  /** Disables a webhook on behalf of the site, because its receiver asked for it. */
  async disable(id: string, reason: string): Promise<void> {
    await this.session.write(async (session) => {
      const webhooks = new Webhooks(session);
      const old = await webhooks.get(id);
      if (!old?.isEnabled) return;
      await webhooks.patch(id, { isEnabled: false, disabledReason: reason, modifiedTs: session.clock() });
      await session.audit(
        { ...SYSTEM, reason },
        {
          action: 'webhook.update',
          entityType: 'webhook',
          entityId: id,
          changes: { isEnabled: { old: true, new: false } },
        },
      );
    });
  }

  /** Replaces the secret; the previous one signs too until `previousUntilTs`, so that the receiver can switch. @throws NOT_FOUND */
  async rotateSecret(id: string, sealedSecret: string, previousUntilTs: number, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const webhooks = new Webhooks(session);
      await webhooks.require(id);
      await webhooks.replaceSecret(id, sealedSecret, previousUntilTs);
      await session.audit(change, { action: 'webhook.rotate-secret', entityType: 'webhook', entityId: id });
    });
  }

  /** Removes the webhook with its deliveries; the audit keeps its name and address. @throws NOT_FOUND */
  async remove(id: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const webhooks = new Webhooks(session);
      const { displayName, url } = await webhooks.require(id);
      await webhooks.delete(id);
      await session.audit(change, {
        action: 'webhook.remove',
        entityType: 'webhook',
        entityId: id,
        changes: { displayName: { old: displayName }, url: { old: url } },
      });
    });
  }
}
