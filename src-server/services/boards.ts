/** The board of a study: saved for everybody in it, the last one saved wins. */
import { authorOf, BoardQueries, type Change, StudyQueries } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesBetween } from '../study/changes.ts';
import type { StudyBoard } from '../vocabulary/board.ts';

export class Boards extends BoardQueries {
  /** @throws NOT_FOUND */
  async save(studyId: string, board: StudyBoard, change: Change): Promise<void> {
    const author = authorOf(change);
    if (author?.type !== 'USER') throw new OutpostError('INVALID_INPUT', 'A board needs the user who saves it.');
    await this.session.write(async (session) => {
      const boards = new Boards(session);
      await new StudyQueries(session).require(studyId);
      const old = await boards.get(studyId);
      const changes = changesBetween({ ...old?.content }, { ...board });
      if (Object.keys(changes).length === 0) return;
      await boards.put({ studyId, content: board, savedBy: author.id, savedTs: session.clock() });
      await session.audit(change, {
        action: 'study.board',
        entityType: 'study',
        entityId: studyId,
        studyId,
        changes,
      });
    });
  }
}
