/** Phones that subjects sign in on with the token that staff gave them. */
import { type Change, type DeviceRecord, type SubjectRecord, SubjectTokenQueries } from '../db/index.ts';
import { diagnostic } from '../diagnostics.ts';
import { MINUTE_MS } from '../durations.ts';
import { OutpostError } from '../errors.ts';
import { Devices } from './devices.ts';
import { Equipment } from './equipment.ts';
import { Subjects } from './subjects.ts';

/**
 * For this long a phone that did not receive the answer to its sign-in may repeat the call. The window is short because the phone's
 * id is not proven: anyone who saw code and id within it could take the phone's place, which the phone would then report.
 */
export const REPEAT_SIGN_IN_MS = 10 * MINUTE_MS;

export class Phones extends SubjectTokenQueries {
  /**
   * Returns a credential for the subject of a sign-in token. A token signs in one phone and is used up when its credential is
   * first used, because the answer has arrived then. Until then, and for {@link REPEAT_SIGN_IN_MS} at most, that phone may repeat
   * the call. The replaced credential is revoked; one that was in use is revoked only by an unused token.
   * @param serial generated when the phone's app was installed
   * @throws LOGIN_FAILED when the token is unknown, too old, revoked or used; CONFLICT when equipment has this serial number
   */
  async signIn(
    token: string,
    serial: string,
  ): Promise<{ device: DeviceRecord; secret: string; subject: SubjectRecord }> {
    return await this.session.write(async (session) => {
      const subject = await new Subjects(session).findByToken(token);
      if (!subject || subject.isHidden) {
        throw new OutpostError(
          'LOGIN_FAILED',
          'This sign-in code is not known, or it is too old. Check it, or ask the study team for a new one.',
        );
      }
      const change: Change = { actor: { type: 'SUBJECT', id: subject.id } };
      const devices = new Devices(session);
      const phones = new Phones(session);
      const former = await devices.ownPhones(subject.id, serial);
      const usedTs = await phones.tokenUsedTs(token);
      const issued = former.filter(({ createdTs }) => usedTs !== undefined && createdTs >= usedTs);
      const isAnswerLost = issued.length > 0 && issued.every(({ firstUsedTs }) => firstUsedTs === undefined);
      if (usedTs !== undefined && (!isAnswerLost || Math.abs(session.clock() - usedTs) > REPEAT_SIGN_IN_MS)) {
        throw new OutpostError(
          'LOGIN_FAILED',
          'A phone signed in with this code already. Ask the study team for a new one.',
        );
      }
      // Uploads belong to a serial number, so a phone must not use that of a hub. Only a valid token learns that there is one.
      if (await new Equipment(session).get(serial)) {
        throw new OutpostError('CONFLICT', 'The id of this phone is the serial number of equipment. Make a new UUID.');
      }
      for (const { id } of usedTs === undefined ? former : issued)
        await devices.revoke(id, { ...change, reason: diagnostic('PHONE_SIGNED_IN').message });
      const { accountId, studyId, id: subjectId } = subject;
      const added = await devices.add({ accountId, kind: 'PHONE', serial, subject: { studyId, subjectId } }, change);
      if (usedTs === undefined) await phones.setTokenUsed(token, added.device.createdTs);
      return { ...added, subject };
    });
  }
}
