/** Refused calls on the network, and wrong passwords of people who are signed in. They have no table of their own: the audit holds them. */
import { changesFromNothing } from '../../../study/changes.ts';
import { type Change, SYSTEM } from '../../session.ts';
import { Queries } from '../queries.ts';
import { Audit } from '../site/audit.ts';

/** TOKEN: of a device. PAIRING: a call with a pairing code. SIGN_IN: a subject's phone. UPLOAD: an announcement of a file. REPORT: on a sensor of others. */
export type RefusalKind = 'TOKEN' | 'PAIRING' | 'SIGN_IN' | 'UPLOAD' | 'REPORT';

/** The same refusal of the same device or address, within a day of the first. */
export interface RefusalFacts {
  kind: RefusalKind;
  code: string;
  message: string;
  /** The credential or pairing concerned; empty when it is unknown. */
  aboutId: string;
  /** Absent when the attempts came from many addresses. */
  address?: string;
  serial?: string;
  attempts: number;
  /** First and last attempt, epoch ms. */
  sinceTs: number;
  lastTs: number;
}

const ACTIONS = {
  TOKEN: 'refusal.token',
  PAIRING: 'refusal.pairing',
  SIGN_IN: 'refusal.sign-in',
  UPLOAD: 'refusal.upload',
  REPORT: 'refusal.report',
} as const satisfies Record<RefusalKind, string>;

/** Why the password of a signed-in person was asked again, and for which record. */
export interface PasswordAsked {
  for: 'SIGN' | 'LOCK' | 'UNLOCK' | 'ERASE' | 'RESTORE' | 'CHANGE_PASSWORD' | 'SECOND_FACTOR';
  entityType: 'study' | 'subject' | 'recording' | 'export' | 'user' | 'site';
  entityId: string;
  studyId?: string;
  subjectId?: string;
  /** Of a day. */
  date?: string;
}

export class Refusals extends Queries {
  /** A wrong password, in the history of the record that it was asked for. */
  async notePassword(asked: PasswordAsked, address: string, change: Change): Promise<void> {
    const { for: purpose, date, ...record } = asked;
    await this.session.write(async (session) => {
      const changes = changesFromNothing({ purpose, date, address });
      await session.audit(change, { action: 'refusal.password', ...record, changes });
    });
  }

  async note({ kind, aboutId, ...facts }: RefusalFacts): Promise<void> {
    const { code, message, address, serial, attempts, sinceTs, lastTs } = facts;
    await this.session.write(async (session) => {
      await session.audit(
        kind === 'UPLOAD' || kind === 'REPORT' ? { actor: { type: 'DEVICE', id: aboutId } } : SYSTEM,
        {
          action: ACTIONS[kind],
          entityType: 'refusal',
          entityId: aboutId,
          changes: changesFromNothing({
            code,
            message,
            ...(address !== undefined && { address }),
            ...(serial !== undefined && { serial }),
            attempts,
            sinceTs,
            lastTs,
          }),
        },
      );
    });
  }

  /** Refusals audited since an instant (epoch ms), newest first, each in its latest state; reads at most `limit` audit rows. */
  async listSince(fromTs: number, limit: number): Promise<RefusalFacts[]> {
    const rows = await new Audit(this.session).refusalsSince(fromTs, limit);
    const found = new Map<string, RefusalFacts>();
    for (const { action, entityId, changes } of rows) {
      const kind = (Object.keys(ACTIONS) as RefusalKind[]).find((one) => ACTIONS[one] === action);
      if (!kind) continue;
      const facts = Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change.new]));
      const refusal = { ...(facts as Omit<RefusalFacts, 'kind' | 'aboutId'>), kind, aboutId: entityId };
      const key = refusalKey(refusal);
      if (!found.has(key)) found.set(key, refusal);
    }
    return [...found.values()];
  }
}

/** Returns the same key for the first audit row of a refusal and the one that counts its attempts. */
export function refusalKey({ kind, code, message, aboutId, address, sinceTs }: RefusalFacts): string {
  return JSON.stringify([kind, code, message, aboutId, address ?? null, sinceTs]);
}
