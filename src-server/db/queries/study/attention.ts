/** Statements on the facts that attention items derive from, for all subjects of studies at once, and on snoozes. */

import { sql } from 'kysely';
import { latestEnd } from '../../../clock-rules.ts';
import type { AttentionUpload } from '../../../study/attention.ts';
import type { ZonePeriod } from '../../../study/day-windows.ts';
import { personName } from '../../../study/person-name.ts';
import type { SubjectStatus } from '../../../vocabulary/participation.ts';
import type { InsertOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

/** Characters of a message that are read. More than are shown, since white space in it is shortened. */
const LONGEST_EXCERPT = 400;

export interface SnoozeRecord {
  itemId: string;
  evidenceKey: string;
  untilTs: number;
  reason: string;
  userId: string;
  userName: string;
}

export class AttentionQueries extends Queries {
  /** Subjects of the studies with the end of their last recording, epoch ms, ignoring recordings that a wrong clock put into the future; by creation, then id. */
  async subjects(studyIds: readonly string[]) {
    const latestUs = latestEnd(0, this.session.clock()) * 1000;
    const rows = await this.session.db
      .selectFrom('subject')
      .select(['id', 'studyId', 'displayName', 'createdTs', 'isHidden', 'isTest', 'programStartTs', 'programStopTs'])
      .select((eb) =>
        eb
          .selectFrom('recording')
          .select(({ fn }) => fn.max('recording.stopUs').as('stopUs'))
          .whereRef('recording.subjectId', '=', 'subject.id')
          .where('recording.stopUs', '<=', latestUs)
          .as('lastStopUs'),
      )
      .select((eb) =>
        eb
          .selectFrom('participation')
          .select('participation.status')
          .whereRef('participation.subjectId', '=', 'subject.id')
          .$castTo<{ status: SubjectStatus }>()
          .as('status'),
      )
      .where('studyId', 'in', anyOf(studyIds))
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(({ lastStopUs, status, ...row }) => ({
      ...TABLES.subject.toRecord(row),
      ...(status !== null && { status }),
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
      .innerJoin('study', 'study.id', 'message.studyId')
      // A phone names the sensor: one of another account is none of its study's.
      .leftJoin('equipment', (join) =>
        join.onRef('equipment.id', '=', 'message.problemSensorId').onRef('equipment.accountId', '=', 'study.accountId'),
      )
      .select(['message.id', 'message.subjectId', 'message.createdTs', 'problemKind', 'problemSensorId'])
      .select(({ fn, ref, val }) =>
        fn<string | null>('substr', [ref('message.body'), val(1), val(LONGEST_EXCERPT)]).as('excerpt'),
      )
      .select('equipment.displayName as sensorName')
      .where('message.studyId', 'in', anyOf(studyIds))
      .where('readTs', 'is', null)
      .where('authorType', '=', 'SUBJECT')
      .orderBy('message.createdTs')
      .orderBy('message.id')
      .execute();
    const messages = rows.map(({ problemKind, problemSensorId, sensorName, excerpt, ...message }) => ({
      ...message,
      excerpt: excerpt ?? '',
      ...(problemKind !== null && {
        problem: {
          kind: problemKind,
          ...(problemSensorId !== null && {
            sensorId: problemSensorId,
            sensorName: sensorName ?? problemSensorId,
          }),
        },
      }),
    }));
    return Map.groupBy(messages, ({ subjectId }) => subjectId);
  }

  /**
   * Files in quarantine, and refused ones since an instant whose recording has not arrived otherwise. One that belongs
   * to no subject yet is attributed to the present holder of its sensor.
   */
  async uploads(accountId: string, refusedSinceTs: number): Promise<AttentionUpload[]> {
    const rows = await this.session.db
      .selectFrom('deviceUpload')
      .leftJoin('equipment', 'equipment.id', 'deviceUpload.sensorId')
      .leftJoin('equipmentAssignment as held', (join) =>
        join.onRef('held.equipmentId', '=', 'deviceUpload.sensorId').on('held.unassignedTs', 'is', null),
      )
      .select(['deviceUpload.id', 'deviceUpload.state', 'deviceUpload.sensorId', 'deviceUpload.deviceId'])
      .select('deviceUpload.userId')
      .select(['deviceUpload.code', 'deviceUpload.message', 'deviceUpload.modifiedTs', 'equipment.displayName'])
      .select((eb) => [
        eb.fn.coalesce('deviceUpload.studyId', 'held.studyId').as('studyId'),
        eb.fn.coalesce('deviceUpload.subjectId', 'held.subjectId').as('subjectId'),
      ])
      .where('deviceUpload.accountId', '=', accountId)
      // Redundant with the condition below, but lets SQLite find the few rows of these states by index.
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
    return rows.map(({ displayName, deviceId, userId, code, message, studyId, subjectId, ...row }) => ({
      ...row,
      ...(userId === null && { deviceId }),
      state: row.state === 'QUARANTINED' ? 'QUARANTINED' : 'REFUSED',
      code: code ?? '',
      ...(displayName !== null && { sensorName: displayName }),
      ...(message !== null && { message }),
      ...(studyId !== null && { studyId }),
      ...(subjectId !== null && { subjectId }),
    }));
  }

  /** Snoozes of the account that have not ended. @param longestMs the longest snooze */
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

  protected async putSnooze(snooze: InsertOf<typeof TABLES.attentionSnooze>): Promise<void> {
    await this.session.db
      .insertInto('attentionSnooze')
      .values(snooze)
      .onConflict((conflict) => conflict.columns(['accountId', 'itemId']).doUpdateSet(snooze))
      .execute();
  }

  /** Deletes a snooze and returns when it would have ended; undefined when there is none. */
  protected async deleteSnooze(accountId: string, itemId: string): Promise<number | undefined> {
    const row = await this.session.db
      .deleteFrom('attentionSnooze')
      .where('accountId', '=', accountId)
      .where('itemId', '=', itemId)
      .returning('untilTs')
      .executeTakeFirst();
    return row?.untilTs;
  }
}
