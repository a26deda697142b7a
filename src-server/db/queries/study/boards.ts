/** Statements on the boards of studies. */
import type { RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';

const { studyBoard: BOARD } = TABLES;

type BoardRecord = RecordOf<typeof BOARD>;

export class BoardQueries extends Queries {
  async get(studyId: string): Promise<BoardRecord | undefined> {
    const row = await this.session.db
      .selectFrom('studyBoard')
      .selectAll()
      .where('studyId', '=', studyId)
      .executeTakeFirst();
    return row && BOARD.toRecord(row);
  }

  protected async put(board: BoardRecord): Promise<void> {
    const { studyId, ...columns } = BOARD.toRow(board);
    await this.session.db
      .insertInto('studyBoard')
      .values({ studyId, ...columns })
      .onConflict((conflict) => conflict.column('studyId').doUpdateSet(columns))
      .execute();
  }
}
