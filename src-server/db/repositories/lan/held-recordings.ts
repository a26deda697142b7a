import type { Tables } from '../../schema.ts';
import type { Session } from '../../session.ts';
import type { DataState } from '../data/recordings.ts';
import type { UploadState } from './uploads.ts';

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

/** Where a recording is on its way, from the sensor to the metrics. */
export type CoverageState = Exclude<DataState, 'DECODED'> | 'QUARANTINED';

export interface CoverageItem {
  recordingId: string;
  /** Serial of the sensor; for a recording that came by import, its udid. */
  sensorId: string;
  /** Absent when nobody held the sensor at the start. */
  subjectId?: string;
  state: CoverageState;
  startTs: number;
  stopTs: number;
  sizeBytes: number;
  /** Safe on the site's disk, while receiving. */
  receivedBytes?: number;
  /** Why it was quarantined or rejected. */
  code?: string;
  /** The device that holds or sends it, and when it last said so. */
  deviceId?: string;
  reportedTs?: number;
  location?: string;
}

const STATE_OF_UPLOAD: Partial<Record<UploadState, CoverageState>> = {
  RECEIVING: 'RECEIVING',
  RECEIVED: 'RECEIVED',
  QUARANTINED: 'QUARANTINED',
  REJECTED: 'REJECTED',
  REFUSED: 'REJECTED',
};

type Assignment = Pick<Tables['equipmentAssignment'], 'equipmentId' | 'subjectId' | 'assignedTs' | 'unassignedTs'>;

/** What devices report of recordings that are not here yet, and the whole data path of a subject. */
export class HeldRecordings {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Takes a device's manifest: it replaces the one before. Routine, so it is no audit row. */
  async report(deviceId: string, held: readonly HeldRecording[], reportedTs: number): Promise<void> {
    await this.#session.write(async (session) => {
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
    return await this.#session.db
      .selectFrom('deviceManifest')
      .select(['reportedTs', 'recordings'])
      .where('deviceId', '=', deviceId)
      .executeTakeFirst();
  }

  /**
   * Recordings that devices of an account hold, or know to be on a sensor, and that the site does not have: neither safe nor
   * decided about. By start, then recording.
   */
  async missing(accountId: string): Promise<(HeldRecording & { deviceId: string; reportedTs: number })[]> {
    const rows = await this.#session.db
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
      .orderBy('heldRecording.recordingId')
      .execute();
    return rows.map(({ firstReportedTs: _, place, ...row }) => ({ ...row, place: place as HeldRecording['place'] }));
  }

  /** When each device of an account last reported what it holds. */
  async lastReports(accountId: string): Promise<Map<string, number>> {
    const rows = await this.#session.db
      .selectFrom('deviceManifest')
      .innerJoin('equipment', 'equipment.id', 'deviceManifest.deviceId')
      .select(['deviceManifest.deviceId', 'deviceManifest.reportedTs'])
      .where('equipment.accountId', '=', accountId)
      .execute();
    return new Map(rows.map((row) => [row.deviceId, row.reportedTs]));
  }

  /**
   * The data path of every recording of a study that shares time with the span (epoch ms, both inclusive), each recording
   * once, in its furthest state; by start, then recording. A recording that is not here yet belongs to whoever held its
   * sensor at its start (by the device's clock).
   */
  async coverage(studyId: string, span: { fromTs: number; toTs: number; subjectId?: string }): Promise<CoverageItem[]> {
    const { fromTs, toTs, subjectId } = span;
    const items = new Map<string, CoverageItem>();
    const assignments = await this.#assignments(studyId);
    const add = (item: CoverageItem) => {
      if (item.subjectId === undefined || (subjectId !== undefined && item.subjectId !== subjectId)) return;
      if (item.stopTs >= fromTs && item.startTs <= toTs) items.set(item.recordingId, item);
    };
    const holderOf = (sensorId: string, startTs: number) =>
      assignments.find(
        (held) =>
          held.equipmentId === sensorId &&
          held.assignedTs <= startTs &&
          (held.unassignedTs === null || held.unassignedTs > startTs),
      )?.subjectId;
    const sensors = [...new Set(assignments.map((held) => held.equipmentId))];
    for (const row of await this.#held(sensors, fromTs, toTs)) {
      const { firstReportedTs: _first, place, ...facts } = row;
      const state = place === 'SENSOR' ? 'ON_SENSOR' : 'ON_HUB';
      if (items.get(row.recordingId)?.state === 'ON_HUB') continue;
      add({ ...facts, state, subjectId: holderOf(row.sensorId, row.startTs) });
    }
    for (const row of await this.#uploads(sensors)) {
      const state = STATE_OF_UPLOAD[row.state as UploadState];
      if (state === undefined) continue;
      const startTs = Math.floor((row.factStartUs ?? row.startUs) / 1000);
      const known = items.get(row.recordingId);
      add({
        recordingId: row.recordingId,
        sensorId: row.sensorId,
        state,
        startTs,
        stopTs:
          row.factStopUs === null ? Math.max(startTs, known?.stopTs ?? startTs) : Math.floor(row.factStopUs / 1000),
        sizeBytes: row.sizeBytes,
        ...(state === 'RECEIVING' && { receivedBytes: row.receivedBytes }),
        ...(row.code !== null && { code: row.code }),
        deviceId: row.deviceId,
        reportedTs: row.modifiedTs,
        subjectId: row.subjectId ?? holderOf(row.sensorId, startTs),
      });
    }
    for (const row of await this.#stored(studyId, fromTs, toTs, subjectId)) {
      add({
        recordingId: row.id,
        sensorId: row.equipmentId ?? row.udid,
        subjectId: row.subjectId,
        state: row.dataState === 'DECODED' ? 'VERIFIED' : (row.dataState as CoverageState),
        startTs: Math.floor(row.startUs / 1000),
        stopTs: Math.floor(row.stopUs / 1000),
        sizeBytes: row.sizeBytes,
        ...(row.rejectCode !== null && { code: row.rejectCode }),
        location: (JSON.parse(row.physicalConfig) as { location: string }).location,
      });
    }
    return [...items.values()].sort((a, b) => a.startTs - b.startTs || (a.recordingId < b.recordingId ? -1 : 1));
  }

  async #assignments(studyId: string): Promise<Assignment[]> {
    return await this.#session.db
      .selectFrom('equipmentAssignment')
      .select(['equipmentId', 'subjectId', 'assignedTs', 'unassignedTs'])
      .where('studyId', '=', studyId)
      .execute();
  }

  async #held(sensors: string[], fromTs: number, toTs: number) {
    return await this.#session.db
      .selectFrom('heldRecording')
      .selectAll()
      .where('sensorId', 'in', sensors)
      .where('stopTs', '>=', fromTs)
      .where('startTs', '<=', toTs)
      .execute();
  }

  async #uploads(sensors: string[]) {
    const rows = await this.#session.db
      .selectFrom('deviceUpload')
      .selectAll()
      .where('sensorId', 'in', sensors)
      .where('state', 'in', Object.keys(STATE_OF_UPLOAD))
      .orderBy('modifiedTs')
      .execute();
    return rows.map((row) => {
      const facts = row.facts === null ? null : (JSON.parse(row.facts) as { startUs: number; stopUs: number });
      return { ...row, factStartUs: facts?.startUs ?? null, factStopUs: facts?.stopUs ?? null };
    });
  }

  async #stored(studyId: string, fromTs: number, toTs: number, subjectId?: string) {
    let query = this.#session.db
      .selectFrom('recording')
      .leftJoin('equipment', (join) => join.onRef('equipment.udid', '=', 'recording.udid'))
      .selectAll('recording')
      .select('equipment.id as equipmentId')
      .where('recording.studyId', '=', studyId)
      .where('recording.stopUs', '>=', fromTs * 1000)
      .where('recording.startUs', '<=', toTs * 1000 + 999);
    if (subjectId !== undefined) query = query.where('recording.subjectId', '=', subjectId);
    return await query.execute();
  }
}
