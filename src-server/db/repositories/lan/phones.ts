import { OutpostError } from '../../../errors.ts';
import { finding } from '../../../findings.ts';
import { hashToken } from '../../credentials.ts';
import type { Session } from '../../session.ts';
import { type SubjectRecord, Subjects } from '../study/subjects.ts';
import { type DeviceRecord, Devices } from './devices.ts';

/** Phones that subjects signed in with the token that staff gave them. */
export class Phones {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * A credential for the subject of a sign-in token. A token is good for one phone; that phone may repeat the call, as the
   * answer may have been lost, and its credentials of before end.
   * @param serial made by the phone's program when it was installed
   * @throws LOGIN_FAILED for a token that is not known, too old, revoked, or was used by another phone
   */
  async signIn(
    token: string,
    serial: string,
  ): Promise<{ device: DeviceRecord; secret: string; subject: SubjectRecord }> {
    return await this.#session.write(async (session) => {
      const subject = await new Subjects(session).findByToken(token);
      if (!subject || subject.isHidden) {
        throw new OutpostError(
          'LOGIN_FAILED',
          'This sign-in code is not known, or it is too old. Check it, or ask the study team for a new one.',
        );
      }
      const change = { actor: { type: 'SUBJECT', id: subject.id } } as const;
      const devices = new Devices(session);
      const former = await session.db
        .selectFrom('deviceCredential')
        .select(['id', 'createdTs'])
        .where('subjectId', '=', subject.id)
        .where('serial', '=', serial)
        .where('equipmentId', 'is', null)
        .where('revokedTs', 'is', null)
        .execute();
      const tokenHash = hashToken(token.trim().toUpperCase());
      const { usedTs } = await session.db
        .selectFrom('subjectToken')
        .select('usedTs')
        .where('tokenHash', '=', tokenHash)
        .executeTakeFirstOrThrow();
      if (usedTs !== null && !former.some(({ createdTs }) => createdTs >= usedTs)) {
        throw new OutpostError(
          'LOGIN_FAILED',
          'Another phone signed in with this code already. Ask the study team for a new one.',
        );
      }
      for (const { id } of former) await devices.revoke(id, { ...change, reason: finding('PHONE_SIGNED_IN').message });
      const { accountId, studyId, id: subjectId } = subject;
      const added = await devices.add({ accountId, kind: 'PHONE', serial, subject: { studyId, subjectId } }, change);
      if (usedTs === null) {
        const { createdTs } = added.device;
        await session.db
          .updateTable('subjectToken')
          .set({ usedTs: createdTs })
          .where('tokenHash', '=', tokenHash)
          .execute();
      }
      return { ...added, subject };
    });
  }
}
