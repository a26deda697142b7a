/** Statements on corrections by people. Their rules are in `study/corrections.ts`. */
import { sql } from 'kysely';
import type { Correction } from '../../../analytics/types.ts';
import { inForce } from '../../../study/corrections.ts';
import type { InsertOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

const { correction: CORRECTION } = TABLES;
const { toRecord } = CORRECTION;

export type CorrectionRecord = RecordOf<typeof CORRECTION>;

/** What an entry of the audit trail says of a row. */
export const correctionOfAudit = ({
  id,
  kind,
  recordingId,
  undoes,
  timeUs,
  toUs,
  code,
  startTs,
  stopTs,
}: CorrectionRecord) => ({
  id,
  kind,
  ...(recordingId !== undefined && { recordingId }),
  ...(undoes !== undefined && { undoes }),
  ...(timeUs === undefined ? { startTs, stopTs } : { timeUs }),
  ...(toUs !== undefined && { toUs }),
  ...(code !== undefined && { code }),
});

/** Those in force of rows of whole chains, in the form in which analytics applies them. */
const applied = (rows: readonly CorrectionRecord[]): Correction[] =>
  inForce(rows).map(({ kind, recordingId, timeUs, toUs, code, startTs, stopTs }) => ({
    kind,
    startMs: startTs,
    stopMs: stopTs,
    ...(recordingId !== undefined && { recordingId }),
    ...(timeUs !== undefined && { timeUs }),
    ...(toUs !== undefined && { toUs }),
    ...(code !== undefined && { code }),
  }));

/** Of a subject or of a recording; those that touch [fromTs, toTs). */
interface CorrectionFilter {
  subjectId?: string;
  recordingId?: string;
  fromTs?: number;
  toTs?: number;
}

/** A recording whose beats are meant. */
interface BeatPlace {
  id: string;
  subjectId: string;
  startUs: number;
  stopUs: number;
}

export class CorrectionQueries extends Queries {
  async get(id: string): Promise<CorrectionRecord | undefined> {
    const row = await this.session.db.selectFrom('correction').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** Corrections and undoings of a recording, in the order of their making. */
  async ofRecording(recordingId: string): Promise<CorrectionRecord[]> {
    const rows = await this.session.db
      .selectFrom('correction')
      .selectAll()
      .where('recordingId', '=', recordingId)
      .orderBy('sequence')
      .execute();
    return rows.map(toRecord);
  }

  /** All corrections and undoings of a subject that touch [fromTs, toTs), whole chains, in the order of their making. */
  async ofSubject(subjectId: string, { fromTs, toTs }: { fromTs?: number; toTs?: number } = {}) {
    let query = this.session.db.selectFrom('correction').selectAll().where('subjectId', '=', subjectId);
    if (fromTs !== undefined) query = query.where('stopTs', '>', fromTs);
    if (toTs !== undefined) query = query.where('startTs', '<', toTs);
    return (await query.orderBy('sequence').execute()).map(toRecord);
  }

  /** What is in force of a recording itself, in the order in which it applies. */
  async appliedTo(recordingId: string): Promise<Correction[]> {
    return applied(await this.ofRecording(recordingId));
  }

  /**
   * What is in force and decides about the beats of a recording, in the order in which it applies: its own corrections and the wear
   * of its subject meanwhile.
   */
  async ofBeats(recording: BeatPlace): Promise<Correction[]> {
    const rows = await this.#decidingAbout(recording).selectAll().orderBy('sequence').execute();
    return applied(rows.map(toRecord)).filter(
      ({ kind, recordingId }) => recordingId !== undefined || kind === 'WORN' || kind === 'NOT_WORN',
    );
  }

  /** Rows of a recording, and of its subject's sleep and wear in its time: an undoing does not say of which. */
  #decidingAbout({ id, subjectId, startUs, stopUs }: BeatPlace) {
    return this.session.db
      .selectFrom('correction')
      .where('subjectId', '=', subjectId)
      .where(({ and, or, eb }) =>
        or([
          eb('recordingId', '=', id),
          and([
            eb('recordingId', 'is', null),
            eb('startTs', '<=', Math.ceil(stopUs / 1000)),
            eb('stopTs', '>', Math.floor(startUs / 1000)),
          ]),
        ]),
      );
  }

  /** What is in force of a subject and touches [fromTs, toTs), in the order in which it applies. */
  async appliedIn(subjectId: string, span: { fromTs: number; toTs: number }): Promise<Correction[]> {
    return applied(await this.ofSubject(subjectId, span));
  }

  /** A page of the corrections of a subject or of one recording, without undoings, by sequence. */
  async page(
    { subjectId, recordingId, fromTs, toTs }: CorrectionFilter,
    keyset: Keyset | undefined,
    isNewestFirst = false,
  ): Promise<CorrectionRecord[]> {
    let query = this.session.db.selectFrom('correction').selectAll().where('kind', '!=', 'UNDO');
    if (subjectId !== undefined) query = query.where('subjectId', '=', subjectId);
    if (recordingId !== undefined) query = query.where('recordingId', '=', recordingId);
    if (fromTs !== undefined) query = query.where('stopTs', '>', fromTs);
    if (toTs !== undefined) query = query.where('startTs', '<', toTs);
    const rows = await inPages(query, ['sequence'], { keyset, isDescending: isNewestFirst }).execute();
    return rows.map(toRecord);
  }

  /** The undoings of corrections, by the order of their making. */
  async undoingsOf(ids: readonly string[]): Promise<CorrectionRecord[]> {
    const rows = await this.session.db
      .selectFrom('correction')
      .selectAll()
      .where('rootId', 'in', anyOf(ids))
      .orderBy('sequence')
      .execute();
    return rows.map(toRecord);
  }

  /** Changes with everything that can change `ofBeats`: how many rows there are, and the newest. */
  async stateOf(recording: BeatPlace): Promise<string> {
    const { count, last } = await this.#decidingAbout(recording)
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('sequence').as('last')])
      .executeTakeFirstOrThrow();
    return count === 0 ? '' : `${count} ${last}`;
  }

  /** Ids of rows of one slice in the order of `sequence`, for verification. */
  async slice(after: number, limit: number): Promise<CorrectionRecord[]> {
    const rows = await this.session.db
      .selectFrom('correction')
      .selectAll()
      .where('sequence', '>', after)
      .orderBy('sequence')
      .limit(limit)
      .execute();
    return rows.map(toRecord);
  }

  protected async nextSequence(): Promise<number> {
    const { last } = await this.session.db
      .selectFrom('correction')
      .select(sql<number | null>`max(sequence)`.as('last'))
      .executeTakeFirstOrThrow();
    return (last ?? 0) + 1;
  }

  protected async insert(row: InsertOf<typeof CORRECTION>): Promise<void> {
    await this.session.db.insertInto('correction').values(CORRECTION.toRow(row)).execute();
  }
}
