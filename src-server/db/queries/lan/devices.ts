/** Statements on the credentials of hubs and phones. */
import type { Selectable } from 'kysely';
import { diagnostic } from '../../../diagnostics.ts';
import { MINUTE_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import type { DeviceKind } from '../../../study/equipment.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { hashToken } from '../../credentials.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { ErasureQueries } from '../erasure/erasures.ts';
import { markOf } from '../erasure/person-rows.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, notFound } from '../shared.ts';

const { deviceCredential: DEVICE } = TABLES;

/**
 * A credential of a hub or phone. `studyId` and `subjectId` are those of a phone that a subject signed in on; those of equipment
 * are its holder's. `lastContactTs` is updated about once a minute.
 */
export type DeviceRecord = Omit<RecordOf<typeof DEVICE>, 'tokenHash'>;

/** The phone of a subject, and the address (host and port) under which its browser opened the site last. */
interface WebPhone {
  host: string;
  lastTs: number;
  studyId: string;
  subjectId: string;
  subjectName: string;
}

/** Every call is a contact; one is stored at most this often. */
const STORE_CONTACT_EVERY_MS = MINUTE_MS;

function toRecord({ tokenHash: _, ...row }: Selectable<Tables['deviceCredential']>): DeviceRecord {
  return DEVICE.toRecord(row);
}

/** Why a credential was revoked. The phone receives it, removes its data in each case, and shows the reason. */
export type RevokedBecause = 'REVOKED' | 'SIGNED_OUT' | 'SIGNED_IN_AGAIN';

function revokedBecause(reason: string | null | undefined): RevokedBecause {
  if (reason === diagnostic('PHONE_SIGNED_OUT').message) return 'SIGNED_OUT';
  return reason === diagnostic('PHONE_SIGNED_IN').message ? 'SIGNED_IN_AGAIN' : 'REVOKED';
}

const PHONE_SENTENCES: Record<RevokedBecause, string> = {
  REVOKED: 'The study team signed this phone out. To continue, sign in again with a new code.',
  SIGNED_OUT: 'This phone was signed out. To continue, sign in again with a new code.',
  SIGNED_IN_AGAIN: 'This phone was signed in again since. To continue here, sign in again with a new code.',
};

/** The refusal of a credential that was revoked; a subject's own phone has no equipment. */
export function deviceRevoked(device: {
  credentialId: string;
  serial: string;
  kind: DeviceKind;
  equipmentId?: string | null;
  revokedReason?: string | null | undefined;
}): OutpostError {
  const { credentialId, serial, kind, equipmentId } = device;
  const reason = revokedBecause(device.revokedReason);
  const isOwnPhone = kind === 'PHONE' && (equipmentId ?? null) === null;
  return new OutpostError(
    'DEVICE_REVOKED',
    isOwnPhone
      ? PHONE_SENTENCES[reason]
      : 'This device was removed from the site. Its data is not lost: pair it again to continue.',
    { details: { credentialId, serial, ...(isOwnPhone && { reason }) } },
  );
}

export class DeviceQueries extends Queries {
  async get(id: string): Promise<DeviceRecord | undefined> {
    const row = await this.session.db
      .selectFrom('deviceCredential')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND, also when the device is of another account than the one given */
  async require(id: string, accountId?: string): Promise<DeviceRecord> {
    const device = await this.get(id);
    if (!device || (accountId !== undefined && device.accountId !== accountId)) throw notFound('device');
    return device;
  }

  /** Credentials of the account that were not revoked, oldest first. */
  async list(accountId: string, keyset?: Keyset): Promise<DeviceRecord[]> {
    const query = this.session.db
      .selectFrom('deviceCredential')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('revokedTs', 'is', null);
    return (await inPages(query, ['createdTs', 'id'], { keyset }).execute()).map(toRecord);
  }

  /** Those of the credentials that are of the account, revoked ones too. */
  async listOf(accountId: string, ids: readonly string[]): Promise<DeviceRecord[]> {
    if (ids.length === 0) return [];
    const rows = await this.session.db
      .selectFrom('deviceCredential')
      .selectAll()
      .where('id', 'in', anyOf(ids))
      .where('accountId', '=', accountId)
      .execute();
    return rows.map(toRecord);
  }

  /** Credentials of equipment of the account, revoked ones too, oldest first. */
  async listOfEquipment(accountId: string, equipmentIds: readonly string[]): Promise<DeviceRecord[]> {
    const rows = await this.session.db
      .selectFrom('deviceCredential')
      .selectAll()
      .where('equipmentId', 'in', anyOf(equipmentIds))
      .where('accountId', '=', accountId)
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** Last contact of the devices that these subjects hold or signed in on, by subject. Epoch ms. */
  async lastContacts(subjectIds: readonly string[]): Promise<Map<string, number>> {
    const { db } = this.session;
    const held = await db
      .selectFrom('equipmentAssignment as held')
      .innerJoin('deviceCredential as device', 'device.equipmentId', 'held.equipmentId')
      .innerJoin('equipment', 'equipment.id', 'held.equipmentId')
      .select(({ fn }) => [
        'held.subjectId',
        fn.max(fn.coalesce('equipment.lastContactTs', 'device.lastContactTs')).as('lastTs'),
      ])
      .where('held.subjectId', 'in', anyOf(subjectIds))
      .where('held.unassignedTs', 'is', null)
      .where('device.revokedTs', 'is', null)
      .groupBy('held.subjectId')
      .execute();
    const own = await db
      .selectFrom('deviceCredential')
      .select(({ fn }) => ['subjectId', fn.max('lastContactTs').as('lastTs')])
      .where('subjectId', 'in', anyOf(subjectIds))
      .where('revokedTs', 'is', null)
      .groupBy('subjectId')
      .execute();
    const contacts = new Map<string, number>();
    for (const { subjectId, lastTs } of [...held, ...own]) {
      if (subjectId === null || lastTs === null) continue;
      contacts.set(subjectId, Math.max(contacts.get(subjectId) ?? 0, lastTs));
    }
    return contacts;
  }

  /** Whether it was the credential of a person who was erased. */
  async wasErased(id: string): Promise<boolean> {
    return await new ErasureQueries(this.session).isErased([markOf(id)]);
  }

  /** Whose credential it is, when the secret is right; revoked ones too. */
  async authenticate(id: string, secret: string) {
    const row = await this.session.db
      .selectFrom('deviceCredential as device')
      .leftJoin('equipmentAssignment as held', (join) =>
        join.onRef('held.equipmentId', '=', 'device.equipmentId').on('held.unassignedTs', 'is', null),
      )
      .select(['device.accountId', 'device.kind', 'device.serial', 'device.equipmentId'])
      .select(['device.studyId', 'device.subjectId', 'device.revokedTs', 'device.firstUsedTs'])
      .select(['device.lastContactTs', 'device.revokedReason', 'device.webHost'])
      .select(['held.studyId as heldStudyId', 'held.subjectId as heldSubjectId'])
      .where('device.id', '=', id)
      .where('device.tokenHash', '=', hashToken(secret))
      .executeTakeFirst();
    return (
      row && {
        identity: {
          credentialId: id,
          accountId: row.accountId,
          kind: row.kind,
          serial: row.serial,
          equipmentId: row.equipmentId,
          studyId: row.studyId ?? row.heldStudyId,
          subjectId: row.subjectId ?? row.heldSubjectId,
        },
        revokedTs: absent(row.revokedTs),
        revokedReason: absent(row.revokedReason),
        firstUsedTs: absent(row.firstUsedTs),
        webHost: absent(row.webHost),
        // The difference may be negative after the clock was set back.
        isContactDue: Math.abs(this.session.clock() - (row.lastContactTs ?? 0)) >= STORE_CONTACT_EVERY_MS,
      }
    );
  }

  /**
   * Phones that opened the site in a browser since `fromTs`, each subject's newest: a subject who signed in again at another address uses
   * that one.
   */
  async webPhones(accountId: string, fromTs: number): Promise<WebPhone[]> {
    const rows = await this.session.db
      .selectFrom('deviceCredential as device')
      .innerJoin('subject', 'subject.id', 'device.subjectId')
      .select(['device.webHost', 'device.lastContactTs', 'subject.studyId', 'subject.id', 'subject.displayName'])
      .where('device.accountId', '=', accountId)
      .where('device.webHost', 'is not', null)
      .where('device.revokedTs', 'is', null)
      .where('device.lastContactTs', '>=', fromTs)
      .orderBy('device.lastContactTs')
      .orderBy('device.createdTs')
      .execute();
    const newest = new Map<string, WebPhone>();
    for (const { id, studyId, displayName, webHost, lastContactTs } of rows) {
      if (webHost === null || lastContactTs === null) continue;
      newest.set(id, { host: webHost, lastTs: lastContactTs, studyId, subjectId: id, subjectName: displayName });
    }
    return [...newest.values()];
  }

  /** Phones of a subject that are signed in, the one that was heard from last first. */
  async phonesOf(subjectId: string): Promise<{ id: string; language: string | null }[]> {
    return await this.session.db
      .selectFrom('deviceCredential')
      .select(['id', 'language'])
      .where('subjectId', '=', subjectId)
      .where('kind', '=', 'PHONE')
      .where('equipmentId', 'is', null)
      .where('revokedTs', 'is', null)
      .orderBy('lastContactTs', 'desc')
      .execute();
  }

  /** Credentials of a phone of the subject's own that are not revoked. */
  async ownPhones(subjectId: string, serial: string): Promise<DeviceRecord[]> {
    const rows = await this.session.db
      .selectFrom('deviceCredential')
      .selectAll()
      .where('subjectId', '=', subjectId)
      .where('serial', '=', serial)
      .where('equipmentId', 'is', null)
      .where('revokedTs', 'is', null)
      .execute();
    return rows.map(toRecord);
  }

  /** Ids of credentials of the same equipment that are not newer and not revoked. */
  protected async olderOfEquipment(device: { id: string; equipmentId: string; createdTs: number }): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('deviceCredential')
      .select('id')
      .where('equipmentId', '=', device.equipmentId)
      .where('id', '!=', device.id)
      .where('createdTs', '<=', device.createdTs)
      .where('revokedTs', 'is', null)
      .execute();
    return rows.map(({ id }) => id);
  }

  protected async insert(device: InsertOf<typeof DEVICE>): Promise<void> {
    await this.session.db.insertInto('deviceCredential').values(device).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof DEVICE>): Promise<void> {
    await this.session.db.updateTable('deviceCredential').set(fields).where('id', '=', id).execute();
  }

  /** Moves the last contact of equipment forward; an earlier one changes nothing. */
  protected async raiseEquipmentContact(equipmentId: string, lastContactTs: number): Promise<void> {
    await this.session.db
      .updateTable('equipment')
      .set({ lastContactTs })
      .where('id', '=', equipmentId)
      .where((eb) => eb.or([eb('lastContactTs', 'is', null), eb('lastContactTs', '<', lastContactTs)]))
      .execute();
  }
}
