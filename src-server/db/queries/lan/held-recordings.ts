/** Statements on what devices report of recordings that have not arrived yet. */

import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

/** A recording that a device still holds, or knows to be on one of its sensors. */
export interface HeldRecording {
  recordingId: string;
  /** Serial of the sensor. */
  sensorId: string;
  place: 'SENSOR' | 'HUB';
  sizeBytes: number;
  startTs: number;
  stopTs: number;
}

export class HeldRecordings extends Queries {
  /** Stores a device's manifest in place of its previous one. Routine, so there is no audit row. */
  async report(deviceId: string, held: readonly HeldRecording[], reportedTs: number): Promise<void> {
    await this.session.write(async (session) => {
      const before = await session.db
        .selectFrom('heldRecording')
        .select(['recordingId', 'firstReportedTs'])
        .where('deviceId', '=', deviceId)
        .execute();
      const firstTs = new Map(before.map((row) => [row.recordingId, row.firstReportedTs]));
      await session.db.deleteFrom('heldRecording').where('deviceId', '=', deviceId).execute();
      const rows = held.map((item) => ({
        ...item,
        deviceId,
        firstReportedTs: firstTs.get(item.recordingId) ?? reportedTs,
        reportedTs,
      }));
      for (let start = 0; start < rows.length; start += 100) {
        await session.db
          .insertInto('heldRecording')
          .values(rows.slice(start, start + 100))
          .execute();
      }
      const facts = { reportedTs, recordings: held.length };
      await session.db
        .insertInto('deviceManifest')
        .values({ deviceId, ...facts })
        .onConflict((conflict) => conflict.doUpdateSet(facts))
        .execute();
      session.announce({ action: 'equipment.manifest', entityType: 'equipment', entityId: deviceId });
    });
  }

  /** When a device last reported what it holds, and how many recordings that were. */
  async lastReport(deviceId: string): Promise<{ reportedTs: number; recordings: number } | undefined> {
    return await this.session.db
      .selectFrom('deviceManifest')
      .select(['reportedTs', 'recordings'])
      .where('deviceId', '=', deviceId)
      .executeTakeFirst();
  }

  /**
   * Recordings that devices of an account hold, or know to be on a sensor, and that the site does not have: neither safe nor
   * decided about. By start, then recording. `on`: only those that this equipment holds, by serial. A hub holds all recordings
   * that it reports, including those on its sensors; a sensor holds those reported on it.
   */
  async missing(
    accountId: string,
    on?: readonly string[],
  ): Promise<(HeldRecording & { deviceId: string; reportedTs: number })[]> {
    let query = this.session.db
      .selectFrom('heldRecording')
      .innerJoin('equipment', 'equipment.id', 'heldRecording.deviceId')
      .selectAll('heldRecording')
      .where('equipment.accountId', '=', accountId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('deviceUpload')
              .select('deviceUpload.id')
              .whereRef('deviceUpload.recordingId', '=', 'heldRecording.recordingId')
              .where('deviceUpload.accountId', '=', accountId)
              .where('deviceUpload.state', 'in', ['RECEIVED', 'STORED', 'QUARANTINED', 'REJECTED']),
          ),
        ),
      )
      .orderBy('heldRecording.startTs')
      .orderBy('heldRecording.recordingId');
    if (on) {
      query = query.where((eb) =>
        eb.or([
          eb('heldRecording.deviceId', 'in', anyOf(on)),
          eb.and([eb('heldRecording.sensorId', 'in', anyOf(on)), eb('heldRecording.place', '=', 'SENSOR')]),
        ]),
      );
    }
    const rows = await query.execute();
    return rows.map(({ firstReportedTs: _, place, ...row }) => ({ ...row, place: place as HeldRecording['place'] }));
  }

  /** The name of a device that reported last that it still holds the recording behind a stored one, which it sent. */
  async holderOf(storedRecordingId: string): Promise<string | undefined> {
    const row = await this.session.db
      .selectFrom('deviceUpload')
      .innerJoin('heldRecording', 'heldRecording.recordingId', 'deviceUpload.recordingId')
      .innerJoin('equipment', 'equipment.id', 'heldRecording.deviceId')
      .select('equipment.displayName')
      .where('deviceUpload.storedRecordingId', '=', storedRecordingId)
      .where('deviceUpload.state', '=', 'STORED')
      .orderBy('heldRecording.reportedTs', 'desc')
      .executeTakeFirst();
    return row?.displayName;
  }

  /** When each of the devices last reported what it holds. */
  async lastReports(deviceIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.session.db
      .selectFrom('deviceManifest')
      .select(['deviceId', 'reportedTs'])
      .where('deviceId', 'in', anyOf(deviceIds))
      .execute();
    return new Map(rows.map((row) => [row.deviceId, row.reportedTs]));
  }
}
