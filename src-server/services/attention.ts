/** Snoozing attention items and ending a snooze, with the audit of both. */
import { AttentionQueries, type Change } from '../db/index.ts';

export class Attention extends AttentionQueries {
  /** Snoozes an item; replaces an earlier snooze of it. */
  async snooze(
    input: { accountId: string; itemId: string; evidenceKey: string; untilTs: number; reason: string; userId: string },
    place: { studyId?: string; subjectId?: string },
    change: Change,
  ): Promise<void> {
    await this.session.write(async (session) => {
      await new Attention(session).putSnooze({ ...input, createdTs: session.clock() });
      await session.audit(change, {
        action: 'attention.snooze',
        entityType: 'attention',
        entityId: input.itemId,
        ...place,
        changes: { untilTs: { new: input.untilTs } },
      });
    });
  }

  /** Ends the snooze of an item; does nothing when it is not snoozed. */
  async wake(accountId: string, itemId: string, place: { studyId?: string; subjectId?: string }, change: Change) {
    await this.session.write(async (session) => {
      const untilTs = await new Attention(session).deleteSnooze(accountId, itemId);
      if (untilTs === undefined) return;
      await session.audit(change, {
        action: 'attention.wake',
        entityType: 'attention',
        entityId: itemId,
        ...place,
        changes: { untilTs: { old: untilTs, new: null } },
      });
    });
  }
}
