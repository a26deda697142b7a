/**
 * Statements on electronic signatures, and what has become of what they bind. Rows are added and read, never changed: triggers of
 * the table refuse it.
 */
import { setImmediate } from 'node:timers/promises';
import { OutpostError } from '../../../errors.ts';
import type { SignedKind, SignedTarget } from '../../../study/signatures.ts';
import type { InsertOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';
import { type SignedContent, signedContent } from './signed-content.ts';

export type SignatureRecord = RecordOf<typeof TABLES.signature>;

export interface SignatureFilter {
  kind?: SignedKind;
  targetId?: string;
  subjectId?: string;
  date?: string;
  keyset?: Keyset;
}

/** A signature beside what has become of the record. */
export interface ShownSignature extends SignatureRecord {
  /** `gone` when the record, or the file that it stands for, is no longer there. */
  state: 'current' | 'changed' | 'gone';
}

/** Contents made between two turns of the event loop, each of a few short queries. */
const CONTENTS_PER_TURN = 25;

export class SignatureQueries extends Queries {
  /** Of a study, newest first. */
  async list(studyId: string, filter: SignatureFilter = {}): Promise<SignatureRecord[]> {
    let query = this.session.db.selectFrom('signature').selectAll().where('studyId', '=', studyId);
    if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
    if (filter.targetId !== undefined) query = query.where('targetId', '=', filter.targetId);
    if (filter.subjectId !== undefined) query = query.where('subjectId', '=', filter.subjectId);
    if (filter.date !== undefined) query = query.where('date', '=', filter.date);
    const { keyset } = filter;
    const rows = await inPages(query, ['signedTs', 'id'], { keyset, isDescending: true }).execute();
    return rows.map((row) => TABLES.signature.toRecord(row));
  }

  async byIds(ids: readonly string[]): Promise<SignatureRecord[]> {
    const rows = await this.session.db.selectFrom('signature').selectAll().where('id', 'in', anyOf(ids)).execute();
    return rows.map((row) => TABLES.signature.toRecord(row));
  }

  /** Of the whole site by id, after one; an empty id is before all. */
  async after(id: string, limit: number): Promise<SignatureRecord[]> {
    const query = this.session.db.selectFrom('signature').selectAll().where('id', '>', id).orderBy('id').limit(limit);
    return (await query.execute()).map((row) => TABLES.signature.toRecord(row));
  }

  /** The present content of a record, to be shown to its signer. @throws NOT_FOUND, INVALID_INPUT, CONFLICT */
  async contentOf(target: SignedTarget, version?: number): Promise<SignedContent> {
    return await signedContent(this.session, target, version);
  }

  /** As {@link list}, each with what has become of its record. */
  async shown(studyId: string, filter: SignatureFilter = {}): Promise<ShownSignature[]> {
    const present = new Map<string, string | undefined>();
    const shown: ShownSignature[] = [];
    for (const signature of await this.list(studyId, filter)) {
      const { kind, targetId, date, contentVersion } = signature;
      const key = JSON.stringify([kind, targetId, date, contentVersion]);
      if (!present.has(key)) {
        present.set(key, await this.#presentHash(signature, contentVersion));
        if (present.size % CONTENTS_PER_TURN === 0) await setImmediate();
      }
      const sha256 = present.get(key);
      const state = sha256 === undefined ? 'gone' : sha256 === signature.contentSha256 ? 'current' : 'changed';
      shown.push({ ...signature, state });
    }
    return shown;
  }

  protected async insert(signature: InsertOf<typeof TABLES.signature>): Promise<void> {
    await this.session.db.insertInto('signature').values(signature).execute();
  }

  async #presentHash(target: SignedTarget, version: number): Promise<string | undefined> {
    try {
      return (await signedContent(this.session, target, version)).sha256;
    } catch (thrown) {
      if (thrown instanceof OutpostError && (thrown.code === 'NOT_FOUND' || thrown.code === 'CONFLICT'))
        return undefined;
      throw thrown;
    }
  }
}
