/** Pairings of devices: starting them, moving them through their states, and counting wrong codes. */
import { type Change, PairingQueries, type PairingRecord } from '../db/index.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';

type Fields = Partial<
  Omit<PairingRecord, 'id' | 'accountId' | 'userId' | 'subject' | 'createdTs' | 'secretKey' | 'codeKey'>
>;

/** The members of a change that the audit records; never secrets. */
const AUDITED = ['state', 'device', 'address', 'clockDifferenceMs', 'problem', 'checkCode', 'credentialId'] as const;

export class Pairings extends PairingQueries {
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
      const pairings = new Pairings(session);
      const { subject, secretKey, codeKey, ...audited } = input;
      await pairings.insert({
        ...audited,
        ...subject,
        state: 'OFFERED',
        secretKey,
        codeKey,
        createdTs: session.clock(),
      });
      await session.audit(change, {
        action: 'pairing.start',
        entityType: 'pairing',
        entityId: input.id,
        changes: changesFromNothing({ ...audited, ...subject }),
      });
      return await pairings.require(input.id);
    });
  }

  /** Changes a pairing; the audit row holds everything but secrets. @throws NOT_FOUND */
  async update(id: string, fields: Fields, action: string, change: Change): Promise<PairingRecord> {
    return await this.session.write(async (session) => {
      const pairings = new Pairings(session);
      const old = await pairings.require(id);
      await pairings.patch(id, fields);
      const audited = Object.fromEntries(AUDITED.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
      const changes = changesBetween({ ...old }, audited);
      await session.audit(change, { action, entityType: 'pairing', entityId: id, ...old.subject, changes });
      return await pairings.require(id);
    });
  }

  /** Completes the confirmed pairing of a credential, if there is one: the device has called with its token. */
  async complete(credentialId: string, endedTs: number, change: Change): Promise<void> {
    const id = await this.clearPendingToken(credentialId);
    if (id !== undefined) await this.update(id, { state: 'COMPLETE', endedTs }, 'pairing.complete', change);
  }

  /** Counts a wrong code against every pairing that waits for a call; returns the ids of those that reached the limit. */
  async countWrongTry(limit: number): Promise<string[]> {
    return await this.session.write(async (session) => {
      const rows = await new Pairings(session).addWrongTry();
      // For the desk that waits with this pairing; the refusal itself is in the audit.
      for (const { id } of rows)
        session.announce({ action: 'pairing.wrong-code', entityType: 'pairing', entityId: id });
      return rows.filter(({ wrongTries }) => wrongTries >= limit).map(({ id }) => id);
    });
  }
}
