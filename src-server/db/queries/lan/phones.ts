import { diagnostic } from '../../../diagnostics.ts';
import { OutpostError } from '../../../errors.ts';
import { hashToken } from '../../credentials.ts';
import { Queries } from '../queries.ts';
import { SubjectQueries, type SubjectRecord } from '../study/subjects.ts';
import { type DeviceRecord, Devices } from './devices.ts';

/**
 * So long the answer to a sign-in can be asked for again, by the phone that did not get it. The window is short because the
 * phone's id is not proven: anyone who saw code and id within it takes the phone's place, and the phone then says so.
 */
export const REPEAT_SIGN_IN_MS = 10 * 60 * 1000;

/** Phones that subjects signed in with the token that staff gave them. */
export class Phones extends Queries {
  /**
   * A credential for the subject of a sign-in token. A token is good for one phone and ends when its credential is first
   * used: the answer has arrived then. Until then, and for {@link REPEAT_SIGN_IN_MS} at most, that phone may repeat the call.
   * The credential that is replaced ends; one that was in use is only ended by a token that nobody has used.
   * @param serial made by the phone's program when it was installed
   * @throws LOGIN_FAILED for a token that is not known, too old, revoked, or was used
   */
  async signIn(
    token: string,
    serial: string,
  ): Promise<{ device: DeviceRecord; secret: string; subject: SubjectRecord }> {
    return await this.session.write(async (session) => {
      const subject = await new SubjectQueries(session).findByToken(token);
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
        .select(['id', 'createdTs', 'firstUsedTs'])
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
      const made = former.filter(({ createdTs }) => usedTs !== null && createdTs >= usedTs);
      const isLost = made.length > 0 && made.every(({ firstUsedTs }) => firstUsedTs === null);
      if (usedTs !== null && (!isLost || Math.abs(session.clock() - usedTs) > REPEAT_SIGN_IN_MS)) {
        throw new OutpostError(
          'LOGIN_FAILED',
          'A phone signed in with this code already. Ask the study team for a new one.',
        );
      }
      for (const { id } of usedTs === null ? former : made)
        await devices.revoke(id, { ...change, reason: diagnostic('PHONE_SIGNED_IN').message });
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
