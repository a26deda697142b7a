import type { Selectable } from 'kysely';
import { latestEnd } from '../../../clock-rules.ts';
import { changesBetween, changesFromNothing } from '../../../study/changes.ts';
import type { Tables } from '../../schema.ts';
import type { Change } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, notFound, parseOptionalJson } from '../shared.ts';

/** What a device says of itself when it calls. */
export interface CallingDevice {
  kind: 'HUB' | 'PHONE';
  serial: string;
  displayName: string;
  hardwareId?: string;
  firmwareId?: string;
}

/** A pairing under way or ended. Keys and token are as the caller stored them (sealed). */
export interface PairingRecord {
  id: string;
  accountId: string;
  userId: string;
  state: string;
  /** Who gets the device once it is paired. */
  subject?: { studyId: string; subjectId: string };
  secretKey?: string;
  codeKey?: string;
  usedKey?: 'secret' | 'code';
  wrongTries: number;
  /** Code of the last refusal that did not end it. */
  problem?: string;
  device?: CallingDevice;
  address?: string;
  clockDifferenceMs?: number;
  commitment?: string;
  serverNonce?: string;
  deviceNonce?: string;
  checkCode?: string;
  credentialId?: string;
  pendingToken?: string;
  createdTs: number;
  expirationTs: number;
  endedTs?: number;
}

type Fields = Partial<
  Omit<PairingRecord, 'id' | 'accountId' | 'userId' | 'subject' | 'createdTs' | 'secretKey' | 'codeKey'>
>;

/** How a change of a pairing is told in the audit; never secrets. */
const AUDITED = ['state', 'device', 'address', 'clockDifferenceMs', 'problem', 'checkCode', 'credentialId'] as const;

function toRecord({ studyId, subjectId, ...row }: Selectable<Tables['pairing']>): PairingRecord {
  return {
    id: row.id,
    accountId: row.accountId,
    userId: row.userId,
    state: row.state,
    ...(studyId !== null && subjectId !== null && { subject: { studyId, subjectId } }),
    secretKey: absent(row.secretKey),
    codeKey: absent(row.codeKey),
    usedKey: absent(row.usedKey) as PairingRecord['usedKey'],
    wrongTries: row.wrongTries,
    problem: absent(row.problem),
    device: parseOptionalJson<CallingDevice>(row.device),
    address: absent(row.address),
    clockDifferenceMs: absent(row.clockDifferenceMs),
    commitment: absent(row.commitment),
    serverNonce: absent(row.serverNonce),
    deviceNonce: absent(row.deviceNonce),
    checkCode: absent(row.checkCode),
    credentialId: absent(row.credentialId),
    pendingToken: absent(row.pendingToken),
    createdTs: row.createdTs,
    expirationTs: row.expirationTs,
    endedTs: absent(row.endedTs),
  };
}

export class Pairings extends Queries {
  async create(
    input: {
      id: string;
      accountId: string;
      userId: string;
      subject?: { studyId: string; subjectId: string };
      secretKey: string;
      codeKey: string;
      expirationTs: number;
    },
    change: Change,
  ): Promise<PairingRecord> {
    return await this.session.write(async (session) => {
      const { subject, secretKey, codeKey, ...told } = input;
      await session.db
        .insertInto('pairing')
        .values({
          ...told,
          state: 'OFFERED',
          studyId: subject?.studyId ?? null,
          subjectId: subject?.subjectId ?? null,
          secretKey,
          codeKey,
          createdTs: session.clock(),
        })
        .execute();
      await session.audit(change, {
        action: 'pairing.start',
        entityType: 'pairing',
        entityId: input.id,
        changes: changesFromNothing({ ...told, ...subject }),
      });
      return await new Pairings(session).require(input.id);
    });
  }

  async get(id: string): Promise<PairingRecord | undefined> {
    const row = await this.session.db.selectFrom('pairing').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND, also when the pairing is of another account than the one given */
  async require(id: string, accountId?: string): Promise<PairingRecord> {
    const pairing = await this.get(id);
    if (!pairing || (accountId !== undefined && pairing.accountId !== accountId)) throw notFound('pairing');
    return pairing;
  }

  /** Of one account, or of all; started at or after an instant, newest first. */
  async listSince(sinceTs: number, accountId?: string): Promise<PairingRecord[]> {
    const rows = await this.session.db
      .selectFrom('pairing')
      .selectAll()
      .where('createdTs', '>=', sinceTs)
      .$if(accountId !== undefined, (query) => query.where('accountId', '=', accountId as string))
      .orderBy('createdTs', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(toRecord);
  }

  /** Not ended, though their time is over. @param lifetimeMs of a pairing, at most */
  async listOverdue(lifetimeMs: number): Promise<PairingRecord[]> {
    const nowTs = this.session.clock();
    const rows = await this.session.db
      .selectFrom('pairing')
      .selectAll()
      .where('endedTs', 'is', null)
      .where((eb) => eb.or([eb('expirationTs', '<=', nowTs), eb('expirationTs', '>', latestEnd(lifetimeMs, nowTs))]))
      .execute();
    return rows.map(toRecord);
  }

  /** Changes a pairing; the audit row tells all but secrets. @throws NOT_FOUND */
  async update(id: string, fields: Fields, action: string, change: Change): Promise<PairingRecord> {
    return await this.session.write(async (session) => {
      const pairings = new Pairings(session);
      const old = await pairings.require(id);
      const { device, ...columns } = fields;
      await session.db
        .updateTable('pairing')
        .set({ ...columns, ...(device && { device: JSON.stringify(device) }) })
        .where('id', '=', id)
        .execute();
      const told = Object.fromEntries(AUDITED.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
      const changes = changesBetween({ ...old }, told);
      await session.audit(change, { action, entityType: 'pairing', entityId: id, ...old.subject, changes });
      return await pairings.require(id);
    });
  }

  /** Counts a wrong code against everything that waits for a call; answers those it was one too many for. */
  async countWrongTry(limit: number): Promise<string[]> {
    return await this.session.write(async (session) => {
      const rows = await session.db
        .updateTable('pairing')
        .set((eb) => ({ wrongTries: eb('wrongTries', '+', 1) }))
        .where('state', '=', 'OFFERED')
        .returning(['id', 'wrongTries'])
        .execute();
      // The desk that waits shows it; the audit has the refusal itself.
      for (const { id } of rows)
        session.announce({ action: 'pairing.wrong-code', entityType: 'pairing', entityId: id });
      return rows.filter(({ wrongTries }) => wrongTries >= limit).map(({ id }) => id);
    });
  }

  /** Removes the keys of pairings that ended before an instant, and tokens of all that ended. */
  async forgetSecrets(endedBeforeTs: number): Promise<void> {
    const ended = this.session.db.updateTable('pairing').where('endedTs', 'is not', null);
    await ended.set({ pendingToken: null }).where('pendingToken', 'is not', null).execute();
    await ended
      .set({ secretKey: null, codeKey: null })
      .where('endedTs', '<', endedBeforeTs)
      .where('secretKey', 'is not', null)
      .execute();
  }
}
