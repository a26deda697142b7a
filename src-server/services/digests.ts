/** Who wants a daily digest: their choice, kept in the audit trail. */
import { type Change, DigestQueries } from '../db/index.ts';

export class Digests extends DigestQueries {
  /** @param hour of the local day from which on it is sent; null: none. The same again changes nothing. */
  async choose(userId: string, hour: number | null, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const digests = new Digests(session);
      const before = (await digests.hourOf(userId)) ?? null;
      if (before === hour) return;
      await digests.put(userId, hour);
      await session.audit(change, {
        action: 'user.digest',
        entityType: 'user',
        entityId: userId,
        changes: { digestHour: { old: before, new: hour } },
      });
    });
  }
}
