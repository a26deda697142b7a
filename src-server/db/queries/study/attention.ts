import { sql } from 'kysely';
import { latestEnd } from '../../../clock-rules.ts';
import type { AttentionUpload } from '../../../study/attention.ts';
import type { ZonePeriod } from '../../../study/day-windows.ts';
import { personName } from '../../../study/person-name.ts';
import type { Change } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf } from '../shared.ts';

export interface SnoozeRecord {
  itemId: string;
  evidenceKey: string;
  untilTs: number;
  reason: string;
  userId: string;
  userName: string;
}

/** Facts over all subjects of studies at once, and what staff have put off. */
export class Attention extends Queries {
  /** Subjects of the studies with the end of their last recording, epoch ms, leaving out what a wrong clock put into the future; by creation, then id. */
  async subjects(studyIds: readonly string[]) {
    const latestUs = latestEnd(0, this.session.clock()) * 1000;
    const rows = await this.session.db
      .selectFrom('subject')
      .select(['id', 'studyId', 'displayName', 'createdTs', 'isHidden', 'isTest', 'programStartTs'])
      .select((eb) =>
        eb
          .selectFrom('recording')
          .select(({ fn }) => fn.max('recording.stopUs').as('stopUs'))
          .whereRef('recording.subjectId', '=', 'subject.id')
          .where('recording.stopUs', '<=', latestUs)
          .as('lastStopUs'),
      )
      .where('studyId', 'in', anyOf(studyIds))
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(({ lastStopUs, ...row }) => ({
      ...row,
      isHidden: row.isHidden === 1,
      isTest: row.isTest === 1,
      programStartTs: absent(row.programStartTs),
      ...(lastStopUs !== null && { lastDataTs: Math.floor(Number(lastStopUs) / 1000) }),
    }));
  }

  /** Zones of every subject of the studies, by subject. */
  async zones(studyIds: readonly string[]): Promise<Map<string, ZonePeriod[]>> {
    const rows = await this.session.db
      .selectFrom('subjectZone')
      .innerJoin('subject', 'subject.id', 'subjectZone.subjectId')
      .select(['subjectZone.subjectId', 'subjectZone.fromTs', 'subjectZone.timezone'])
      .where('subject.studyId', 'in', anyOf(studyIds))
      .orderBy('subjectZone.fromTs')
      .execute();
    return Map.groupBy(rows, ({ subjectId }) => subjectId);
  }

  /** Tasks begun since an instant, by subject. */
  async completions(studyIds: readonly string[], sinceTs: number) {
    const rows = await this.session.db
      .selectFrom('annotation')
      .innerJoin('task', 'task.id', 'annotation.eventId')
      .select(['annotation.subjectId', 'task.id as taskId', 'annotation.startTs'])
      .where('task.studyId', 'in', anyOf(studyIds))
      .where('annotation.type', 'in', ['activity', 'diary'])
      .where('annotation.startTs', '>=', sinceTs)
      .execute();
    return Map.groupBy(rows, ({ subjectId }) => subjectId);
  }

  /** Equipment that subjects of the studies hold now, by subject. */
  async held(studyIds: readonly string[]) {
    const rows = await this.session.db
      .selectFrom('equipmentAssignment')
      .innerJoin('equipment', 'equipment.id', 'equipmentAssignment.equipmentId')
      .select(['equipmentAssignment.subjectId', 'equipment.id', 'equipment.displayName'])
      .where('equipmentAssignment.studyId', 'in', anyOf(studyIds))
      .where('equipmentAssignment.unassignedTs', 'is', null)
      .orderBy('equipment.id')
      .execute();
    return Map.groupBy(rows, ({ subjectId }) => subjectId);
  }

  /** Batteries that ran down since an instant, by subject. */
  async flatBatteries(studyIds: readonly string[], sinceTs: number) {
    const rows = await this.session.db
      .selectFrom('fault')
      .leftJoin('equipment', (join) =>
        join.on((eb) =>
          eb.or([
            eb('equipment.id', '=', eb.ref('fault.equipmentId')),
            eb.and([eb('fault.equipmentId', 'is', null), eb('equipment.udid', '=', eb.ref('fault.sensorId'))]),
          ]),
        ),
      )
      .select(['fault.subjectId', 'fault.faultTs'])
      .select((eb) => [
        eb.fn.coalesce('equipment.id', 'fault.sensorId').as('sensorId'),
        eb.fn.coalesce('equipment.displayName', 'fault.sensorId').as('sensorName'),
      ])
      .where('fault.studyId', 'in', anyOf(studyIds))
      .where('fault.faultClass', '=', 'FLAT_BATTERY')
      .where('fault.faultTs', '>=', sinceTs)
      .execute();
    return Map.groupBy(rows, ({ subjectId }) => subjectId);
  }

  /** Messages of subjects that nobody has read, by subject, oldest first. */
  async unread(studyIds: readonly string[]) {
    const rows = await this.session.db
      .selectFrom('message')
      .select(['id', 'subjectId', 'createdTs'])
      .where('studyId', 'in', anyOf(studyIds))
      .where('readTs', 'is', null)
      .where('authorType', '=', 'SUBJECT')
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return Map.groupBy(rows, ({ subjectId }) => subjectId);
  }

  /**
   * Files in quarantine, and refused ones since an instant whose recording has not come in another way. One that is nobody's
   * yet is shown where its sensor is now.
   */
  async uploads(accountId: string, refusedSinceTs: number): Promise<AttentionUpload[]> {
    const rows = await this.session.db
      .selectFrom('deviceUpload')
      .leftJoin('equipment', 'equipment.id', 'deviceUpload.sensorId')
      .leftJoin('equipmentAssignment as held', (join) =>
        join.onRef('held.equipmentId', '=', 'deviceUpload.sensorId').on('held.unassignedTs', 'is', null),
      )
      .select(['deviceUpload.id', 'deviceUpload.state', 'deviceUpload.sensorId', 'deviceUpload.deviceId'])
      .select(['deviceUpload.code', 'deviceUpload.message', 'deviceUpload.modifiedTs', 'equipment.displayName'])
      .select((eb) => [
        eb.fn.coalesce('deviceUpload.studyId', 'held.studyId').as('studyId'),
        eb.fn.coalesce('deviceUpload.subjectId', 'held.subjectId').as('subjectId'),
      ])
      .where('deviceUpload.accountId', '=', accountId)
      // Said apart from the condition below, so that the few of these states are found by index among all stored ones.
      .where('deviceUpload.state', 'in', ['QUARANTINED', 'REFUSED'])
      .where((eb) =>
        eb.or([
          eb('deviceUpload.state', '=', 'QUARANTINED'),
          eb.and([
            eb('deviceUpload.state', '=', 'REFUSED'),
            eb('deviceUpload.modifiedTs', '>=', refusedSinceTs),
            eb.not(
              eb.exists(
                eb
                  .selectFrom('deviceUpload as other')
                  .select(sql<number>`1`.as('one'))
                  .whereRef('other.recordingId', '=', 'deviceUpload.recordingId')
                  .where('other.state', 'not in', ['REFUSED', 'EXPIRED', 'ENDED']),
              ),
            ),
          ]),
        ]),
      )
      .orderBy('deviceUpload.modifiedTs')
      .orderBy('deviceUpload.id')
      .execute();
    return rows.map(({ displayName, code, message, studyId, subjectId, ...row }) => ({
      ...row,
      state: row.state as AttentionUpload['state'],
      code: code ?? '',
      ...(displayName !== null && { sensorName: displayName }),
      ...(message !== null && { message }),
      ...(studyId !== null && { studyId }),
      ...(subjectId !== null && { subjectId }),
    }));
  }

  /** Snoozes of the account that have not run out. @param longestMs the longest snooze */
  async snoozes(accountId: string, longestMs: number): Promise<SnoozeRecord[]> {
    const nowTs = this.session.clock();
    const rows = await this.session.db
      .selectFrom('attentionSnooze')
      .innerJoin('user', 'user.id', 'attentionSnooze.userId')
      .select(['itemId', 'evidenceKey', 'untilTs', 'reason', 'userId', 'user.firstName', 'user.lastName'])
      .where('attentionSnooze.accountId', '=', accountId)
      .where('untilTs', '>', nowTs)
      .where('untilTs', '<=', latestEnd(longestMs, nowTs))
      .execute();
    return rows.map(({ firstName, lastName, ...row }) => ({ ...row, userName: personName({ firstName, lastName }) }));
  }

  /** Puts an item off; a former snooze of it is replaced. */
  async snooze(
    input: { accountId: string; itemId: string; evidenceKey: string; untilTs: number; reason: string; userId: string },
    place: { studyId?: string; subjectId?: string },
    change: Change,
  ): Promise<void> {
    await this.session.write(async (session) => {
      const row = { ...input, createdTs: session.clock() };
      await session.db
        .insertInto('attentionSnooze')
        .values(row)
        .onConflict((conflict) => conflict.columns(['accountId', 'itemId']).doUpdateSet(row))
        .execute();
      await session.audit(change, {
        action: 'attention.snooze',
        entityType: 'attention',
        entityId: input.itemId,
        ...place,
        changes: { untilTs: { new: input.untilTs } },
      });
    });
  }

  /** Brings an item back; one that is not put off stays as it is. */
  async wake(accountId: string, itemId: string, place: { studyId?: string; subjectId?: string }, change: Change) {
    await this.session.write(async (session) => {
      const removed = await session.db
        .deleteFrom('attentionSnooze')
        .where('accountId', '=', accountId)
        .where('itemId', '=', itemId)
        .returning('untilTs')
        .executeTakeFirst();
      if (!removed) return;
      await session.audit(change, {
        action: 'attention.wake',
        entityType: 'attention',
        entityId: itemId,
        ...place,
        changes: { untilTs: { old: removed.untilTs, new: null } },
      });
    });
  }
}
