/** Electronic signatures: given with a password, bound to a content by its hash, and compared with the present content when shown. */
import {
  type Change,
  type SignatureFilter,
  SignatureQueries,
  type SignatureRecord,
  StudyQueries,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesFromNothing } from '../study/changes.ts';
import type { SignatureMeaning, SignedTarget } from '../study/signatures.ts';
import { type SignedContent, signedContent } from './signed-content.ts';

export interface NewSignature extends SignedTarget {
  meaning: SignatureMeaning;
  comment?: string;
  /** The content that the signer saw. */
  contentSha256: string;
}

/** A signature beside what has become of the record. */
export interface ShownSignature extends SignatureRecord {
  /** `gone` when the record is no longer there. */
  state: 'current' | 'changed' | 'gone';
}

export class Signatures extends SignatureQueries {
  /** The present content of a record, to be shown to its signer. @throws NOT_FOUND, INVALID_INPUT, CONFLICT */
  async contentOf(target: SignedTarget): Promise<SignedContent> {
    return await signedContent(this.session, target);
  }

  /**
   * Stores a signature under the content that the signer saw. The caller has checked the signer's password.
   * @throws NOT_FOUND, INVALID_INPUT, CONFLICT when the record changed since the signer saw it
   */
  async sign(input: NewSignature, signer: { id: string; name: string }, change: Change): Promise<SignatureRecord> {
    return await this.session.write(async (session) => {
      const signatures = new Signatures(session);
      const { studyId, kind, targetId, date, meaning, comment } = input;
      await new StudyQueries(session).require(studyId);
      const content = await signedContent(session, input);
      if (content.sha256 !== input.contentSha256) {
        throw new OutpostError(
          'CONFLICT',
          'The record changed while you were signing it. Look at it again, then sign.',
        );
      }
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
        signerName: signer.name,
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

  /** Signatures of a study with what has become of each record, newest first. */
  async shown(studyId: string, filter: SignatureFilter = {}): Promise<ShownSignature[]> {
    const present = new Map<string, Promise<string | undefined>>();
    const presentOf = (target: SignedTarget) => {
      const key = JSON.stringify([target.kind, target.targetId, target.date]);
      const known = present.get(key) ?? this.#presentHash(target);
      present.set(key, known);
      return known;
    };
    const shown: ShownSignature[] = [];
    for (const signature of await this.list(studyId, filter)) {
      const sha256 = await presentOf(signature);
      const state = sha256 === undefined ? 'gone' : sha256 === signature.contentSha256 ? 'current' : 'changed';
      shown.push({ ...signature, state });
    }
    return shown;
  }

  async #presentHash({ studyId, kind, targetId, date }: SignedTarget): Promise<string | undefined> {
    try {
      return (await signedContent(this.session, { studyId, kind, targetId, ...(date !== undefined && { date }) }))
        .sha256;
    } catch (thrown) {
      if (thrown instanceof OutpostError && thrown.code === 'NOT_FOUND') return undefined;
      throw thrown;
    }
  }
}
