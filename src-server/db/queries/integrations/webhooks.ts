import type { Selectable } from 'kysely';
import { changesBetween, changesFromNothing } from '../../../study/changes.ts';
import type { EventAction } from '../../../study/events.ts';
import type { Tables } from '../../schema.ts';
import { type Change, type Session, SYSTEM } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, flag, notFound, parseJson } from '../shared.ts';

export interface WebhookRecord {
  id: string;
  accountId: string;
  displayName: string;
  url: string;
  /** Kinds of events it wants; empty: all. */
  actions: EventAction[];
  /** Studies it wants events of; empty: all of the account, also later ones. */
  studyIds: string[];
  /** PEM of the authority that signed the receiver's certificate. */
  trustedCertificate?: string;
  isEnabled: boolean;
  /** Why the site disabled it by itself. */
  disabledReason?: string;
  /** Since when no attempt has succeeded; absent while all is well. */
  failingSinceTs?: number;
  /** Events up to this one have become deliveries. */
  eventSequence: number;
  createdTs: number;
  modifiedTs: number;
}

type Editable = Pick<WebhookRecord, 'displayName' | 'url' | 'actions' | 'studyIds' | 'trustedCertificate'>;

/** Fields to change; a certificate of null is taken away. */
export type WebhookUpdate = Partial<
  Omit<Editable, 'trustedCertificate'> & { trustedCertificate: string | null; isEnabled: boolean }
>;

function toRecord(row: Selectable<Tables['webhook']>): WebhookRecord {
  const { sealedSecret: _a, previousSealedSecret: _b, previousSecretUntilTs: _c, ...rest } = row;
  return {
    ...rest,
    actions: parseJson<EventAction[]>(row.actions),
    studyIds: parseJson<string[]>(row.studyIds),
    trustedCertificate: absent(row.trustedCertificate),
    isEnabled: row.isEnabled === 1,
    disabledReason: absent(row.disabledReason),
    failingSinceTs: absent(row.failingSinceTs),
  };
}

/** Addresses that are told of events. Their secrets are stored as sealed text and only ever answered for signing. */
export class Webhooks extends Queries {
  /** Hears of events from now on. */
  async create(input: Editable & { accountId: string; sealedSecret: string }, change: Change): Promise<WebhookRecord> {
    return await this.session.write(async (session) => {
      const { sealedSecret, ...visible } = input;
      const id = session.newId();
      const now = session.clock();
      await session.db
        .insertInto('webhook')
        .values({
          ...visible,
          id,
          actions: JSON.stringify(visible.actions),
          studyIds: JSON.stringify(visible.studyIds),
          trustedCertificate: visible.trustedCertificate ?? null,
          sealedSecret,
          previousSealedSecret: null,
          previousSecretUntilTs: null,
          disabledReason: null,
          failingSinceTs: null,
          eventSequence: await lastEvent(session),
          createdTs: now,
          modifiedTs: now,
        })
        .execute();
      await session.audit(change, {
        action: 'webhook.create',
        entityType: 'webhook',
        entityId: id,
        changes: changesFromNothing(visible),
      });
      return await new Webhooks(session).require(id);
    });
  }

  async get(id: string): Promise<WebhookRecord | undefined> {
    const row = await this.session.db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND */
  async require(id: string): Promise<WebhookRecord> {
    const webhook = await this.get(id);
    if (!webhook) throw notFound('webhook');
    return webhook;
  }

  /** By creation, then id. */
  async list(accountId: string): Promise<WebhookRecord[]> {
    const rows = await this.session.db
      .selectFrom('webhook')
      .selectAll()
      .where('accountId', '=', accountId)
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** Of every account. */
  async enabled(): Promise<WebhookRecord[]> {
    const rows = await this.session.db
      .selectFrom('webhook')
      .selectAll()
      .where('isEnabled', '=', 1)
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** The sealed secrets that sign now: the present one, and for a time after a rotation the one before. @throws NOT_FOUND */
  async sealedSecrets(id: string): Promise<string[]> {
    const row = await this.session.db
      .selectFrom('webhook')
      .select(['sealedSecret', 'previousSealedSecret', 'previousSecretUntilTs'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound('webhook');
    const isBoth = row.previousSealedSecret !== null && (row.previousSecretUntilTs ?? 0) > this.session.clock();
    return isBoth ? [row.sealedSecret, row.previousSealedSecret as string] : [row.sealedSecret];
  }

  /**
   * Changes what is given. Enabled again, it hears of events from now on; what waited goes on.
   * @throws NOT_FOUND
   */
  async update(id: string, fields: WebhookUpdate, change: Change): Promise<WebhookRecord> {
    return await this.session.write(async (session) => {
      const webhooks = new Webhooks(session);
      const old = await webhooks.require(id);
      const changes = changesBetween({ ...old }, { ...fields });
      if (Object.keys(changes).length === 0) return old;
      const { actions, studyIds, isEnabled, ...plain } = fields;
      const isEnabledAgain = isEnabled === true && !old.isEnabled;
      await session.db
        .updateTable('webhook')
        .set({
          ...plain,
          ...(actions && { actions: JSON.stringify(actions) }),
          ...(studyIds && { studyIds: JSON.stringify(studyIds) }),
          ...(isEnabled !== undefined && { isEnabled: flag(isEnabled) }),
          ...(isEnabledAgain && {
            disabledReason: null,
            failingSinceTs: null,
            eventSequence: await lastEvent(session),
          }),
          modifiedTs: session.clock(),
        })
        .where('id', '=', id)
        .execute();
      await session.audit(change, { action: 'webhook.update', entityType: 'webhook', entityId: id, changes });
      return await webhooks.require(id);
    });
  }

  /** The site itself stops a webhook whose receiver asked for it. */
  async disable(id: string, reason: string): Promise<void> {
    await this.session.write(async (session) => {
      const old = await new Webhooks(session).get(id);
      if (!old?.isEnabled) return;
      await session.db
        .updateTable('webhook')
        .set({ isEnabled: 0, disabledReason: reason, modifiedTs: session.clock() })
        .where('id', '=', id)
        .execute();
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

  /** The former secret signs too until `previousUntilTs`, so that a receiver can change over. @throws NOT_FOUND */
  async rotateSecret(id: string, sealedSecret: string, previousUntilTs: number, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      await new Webhooks(session).require(id);
      await session.db
        .updateTable('webhook')
        .set((eb) => ({
          previousSealedSecret: eb.ref('sealedSecret'),
          previousSecretUntilTs: previousUntilTs,
          sealedSecret,
          modifiedTs: session.clock(),
        }))
        .where('id', '=', id)
        .execute();
      await session.audit(change, { action: 'webhook.rotate-secret', entityType: 'webhook', entityId: id });
    });
  }

  /** Takes the webhook away with its deliveries; the audit keeps that it was there. @throws NOT_FOUND */
  async remove(id: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const { displayName, url } = await new Webhooks(session).require(id);
      await session.db.deleteFrom('webhook').where('id', '=', id).execute();
      await session.audit(change, {
        action: 'webhook.remove',
        entityType: 'webhook',
        entityId: id,
        changes: { displayName: { old: displayName }, url: { old: url } },
      });
    });
  }

  /** Events up to `eventSequence` have become deliveries. */
  async advance(id: string, eventSequence: number): Promise<void> {
    await this.session.db.updateTable('webhook').set({ eventSequence }).where('id', '=', id).execute();
  }

  /** Remembers whether the newest attempt failed; answers whether it was failing before. */
  async setFailing(id: string, isFailing: boolean): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('webhook')
      .select('failingSinceTs')
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return false;
    const wasFailing = row.failingSinceTs !== null;
    if (wasFailing !== isFailing) {
      const failingSinceTs = isFailing ? this.session.clock() : null;
      await this.session.db.updateTable('webhook').set({ failingSinceTs }).where('id', '=', id).execute();
    }
    return wasFailing;
  }
}

async function lastEvent(session: Session): Promise<number> {
  const row = await session.db
    .selectFrom('event')
    .select('sequence')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.sequence ?? 0;
}
