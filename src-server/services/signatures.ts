/** Electronic signatures: given with a password, bound to a content by its hash, and compared with the present content when shown. */
import { type Change, SignatureQueries, type SignatureRecord, StudyQueries, type UserRecord } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesFromNothing } from '../study/changes.ts';
import { roleInStudy } from '../study/permissions.ts';
import { personName } from '../study/person-name.ts';
import type { SignatureMeaning, SignedTarget } from '../study/signatures.ts';

export interface NewSignature extends SignedTarget {
  meaning: SignatureMeaning;
  comment?: string;
  /** The content that the signer saw. */
  contentSha256: string;
}

export class Signatures extends SignatureQueries {
  /**
   * Stores a signature under the content that the signer saw, with the signer's name and role of this moment. The caller has checked
   * the signer's password.
   * @throws NOT_FOUND, INVALID_INPUT, CONFLICT when the record changed since the signer saw it
   */
  async sign(input: NewSignature, signer: UserRecord, change: Change): Promise<SignatureRecord> {
    return await this.session.write(async (session) => {
      const signatures = new Signatures(session);
      const { studyId, kind, targetId, date, meaning, comment } = input;
      const studies = new StudyQueries(session);
      await studies.require(studyId);
      const content = await signatures.contentOf(input);
      if (content.sha256 !== input.contentSha256) {
        throw new OutpostError(
          'CONFLICT',
          'The record changed while you were signing it. Look at it again, then sign.',
        );
      }
      const role = roleInStudy(signer.role, await studies.membershipRole(studyId, signer.id));
      const signature = {
        id: session.newId(),
        studyId,
        kind,
        targetId,
        subjectId: content.subjectId,
        date,
        meaning,
        comment,
        userId: signer.id,
        signerName: personName(signer),
        signerRole: role ?? undefined,
        signedTs: session.clock(),
        contentVersion: content.version,
        contentSha256: content.sha256,
      };
      await signatures.insert(signature);
      await session.audit(change, {
        action: 'signature.sign',
        entityType: 'signature',
        entityId: signature.id,
        studyId,
        subjectId: content.subjectId,
        changes: changesFromNothing(signature),
      });
      return { ...signature };
    });
  }
}
