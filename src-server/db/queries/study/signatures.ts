/** Statements on electronic signatures. Rows are added and read, never changed: triggers of the table refuse it. */
import type { SignedKind } from '../../../study/signatures.ts';
import type { InsertOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';

export type SignatureRecord = RecordOf<typeof TABLES.signature>;

export interface SignatureFilter {
  kind?: SignedKind;
  targetId?: string;
  subjectId?: string;
  date?: string;
}

export class SignatureQueries extends Queries {
  /** Of a study, newest first. */
  async list(studyId: string, filter: SignatureFilter = {}): Promise<SignatureRecord[]> {
    let query = this.session.db.selectFrom('signature').selectAll().where('studyId', '=', studyId);
    if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
    if (filter.targetId !== undefined) query = query.where('targetId', '=', filter.targetId);
    if (filter.subjectId !== undefined) query = query.where('subjectId', '=', filter.subjectId);
    if (filter.date !== undefined) query = query.where('date', '=', filter.date);
    const rows = await query.orderBy('signedTs', 'desc').orderBy('id', 'desc').execute();
    return rows.map((row) => TABLES.signature.toRecord(row));
  }

  protected async insert(signature: InsertOf<typeof TABLES.signature>): Promise<void> {
    await this.session.db.insertInto('signature').values(signature).execute();
  }
}
