/** Statements on the data path: how far each recording has come from the sensor to the metrics. */

import type { PathItem, PathState } from '../../../study/coverage/days.ts';
import type { UploadFacts, UploadState } from '../../../study/uploads.ts';
import { Queries } from '../queries.ts';
import { anyOf, parseJson, parseOptionalJson } from '../shared.ts';
import { UNKNOWN_ADDRESS } from '../study/sensor-match.ts';

export interface SubjectPathItem extends PathItem {
  subjectId: string;
}

const STATE_OF_UPLOAD: Partial<Record<UploadState, PathState>> = {
  RECEIVING: 'RECEIVING',
  RECEIVED: 'RECEIVED',
  QUARANTINED: 'QUARANTINED',
  REJECTED: 'REJECTED',
  REFUSED: 'REJECTED',
};

/** Codes of files whose times are wrong. */
const WRONG_CLOCK: ReadonlySet<string> = new Set(['CLOCK_NOT_SET', 'IN_FUTURE']);

interface Assignment {
  equipmentId: string;
  subjectId: string;
  assignedTs: number;
  unassignedTs: number | null;
}

export class DataPaths extends Queries {
  /**
   * Every recording of a study that shares time with the span (epoch ms, both inclusive), each once, in its furthest state;
   * by start, then recording. One that has not arrived belongs to the holder of its sensor at its start (by the device's clock). Files
   * with wrong times are included for any span; they belong to the holder of the sensor when they arrived.
   */
  async list(studyId: string, span: { fromTs: number; toTs: number; subjectId?: string }): Promise<SubjectPathItem[]> {
    const { fromTs, toTs, subjectId } = span;
    const items = new Map<string, SubjectPathItem>();
    const assignments = await this.#assignments(studyId, subjectId);
    const add = (item: PathItem & { subjectId: string | undefined }) => {
      if (item.subjectId === undefined || (subjectId !== undefined && item.subjectId !== subjectId)) return;
      if (item.hasWrongClock || (item.stopTs >= fromTs && item.startTs <= toTs))
        items.set(item.recordingId, { ...item, subjectId: item.subjectId });
    };
    const holderOf = (sensorId: string, atTs: number) =>
      assignments.find(
        (held) =>
          held.equipmentId === sensorId &&
          held.assignedTs <= atTs &&
          (held.unassignedTs === null || held.unassignedTs > atTs),
      )?.subjectId;
    const sensors = [...new Set(assignments.map((held) => held.equipmentId))];
    for (const row of await this.#held(sensors, fromTs, toTs)) {
      if (items.get(row.recordingId)?.state === 'ON_HUB') continue;
      add({
        recordingId: row.recordingId,
        sensorId: row.sensorId,
        subjectId: holderOf(row.sensorId, row.startTs),
        state: row.place === 'SENSOR' ? 'ON_SENSOR' : 'ON_HUB',
        startTs: row.startTs,
        stopTs: row.stopTs,
        sizeBytes: row.sizeBytes,
        deviceId: row.deviceId,
        reportedTs: row.reportedTs,
      });
    }
    for (const row of await this.#uploads(sensors)) {
      const state = STATE_OF_UPLOAD[row.state];
      if (state === undefined) continue;
      const facts = parseOptionalJson<UploadFacts>(row.facts);
      const startTs = Math.floor((facts?.startUs ?? row.startUs) / 1000);
      const known = items.get(row.recordingId);
      const hasWrongClock = state === 'QUARANTINED' && WRONG_CLOCK.has(row.code ?? '');
      add({
        recordingId: row.recordingId,
        sensorId: row.sensorId,
        subjectId: row.subjectId ?? holderOf(row.sensorId, hasWrongClock ? row.createdTs : startTs),
        state,
        startTs,
        stopTs: facts ? Math.floor(facts.stopUs / 1000) : Math.max(startTs, known?.stopTs ?? startTs),
        sizeBytes: row.sizeBytes,
        ...(state === 'RECEIVING' && { receivedBytes: row.receivedBytes }),
        ...(row.code !== null && { code: row.code }),
        ...(row.message !== null && { message: row.message }),
        ...(row.credentialId !== null && { deviceId: row.deviceId }),
        reportedTs: row.modifiedTs,
        uploadId: row.id,
        ...(facts && { location: facts.location }),
        ...(state === 'REJECTED' && { refusedBy: row.state === 'REFUSED' ? 'SITE' : 'STAFF' }),
        ...(hasWrongClock && { hasWrongClock }),
      });
    }
    for (const row of await this.#stored(studyId, fromTs, toTs, subjectId)) {
      add({
        recordingId: row.id,
        sensorId: row.equipmentId ?? (row.udid || UNKNOWN_ADDRESS),
        subjectId: row.subjectId,
        state: row.dataState === 'DECODED' ? 'VERIFIED' : (row.dataState as PathState),
        startTs: Math.floor(row.startUs / 1000),
        stopTs: Math.floor(row.stopUs / 1000),
        sizeBytes: row.sizeBytes,
        ...(row.rejectCode !== null && { code: row.rejectCode }),
        location: parseJson<{ location: string }>(row.physicalConfig).location,
        ...(row.fileState !== 'PRESENT' && { fileProblem: row.fileState as 'MISSING' | 'DAMAGED' }),
      });
    }
    return [...items.values()].sort((a, b) => a.startTs - b.startTs || (a.recordingId < b.recordingId ? -1 : 1));
  }

  /** Assignments in the study; for one subject, all assignments of equipment that the subject ever held. */
  async #assignments(studyId: string, subjectId?: string): Promise<Assignment[]> {
    let query = this.session.db
      .selectFrom('equipmentAssignment')
      .select(['equipmentId', 'subjectId', 'assignedTs', 'unassignedTs'])
      .where('studyId', '=', studyId);
    if (subjectId !== undefined) {
      query = query.where('equipmentId', 'in', (eb) =>
        eb
          .selectFrom('equipmentAssignment as own')
          .select('own.equipmentId')
          .where('own.studyId', '=', studyId)
          .where('own.subjectId', '=', subjectId),
      );
    }
    return await query.execute();
  }

  async #held(sensors: string[], fromTs: number, toTs: number) {
    return await this.session.db
      .selectFrom('heldRecording')
      .selectAll()
      .where('sensorId', 'in', anyOf(sensors))
      .where('stopTs', '>=', fromTs)
      .where('startTs', '<=', toTs)
      .execute();
  }

  async #uploads(sensors: string[]) {
    return await this.session.db
      .selectFrom('deviceUpload')
      .selectAll()
      .where('sensorId', 'in', anyOf(sensors))
      .where('state', 'in', Object.keys(STATE_OF_UPLOAD) as UploadState[])
      .orderBy('modifiedTs')
      .execute();
  }

  async #stored(studyId: string, fromTs: number, toTs: number, subjectId?: string) {
    let query = this.session.db
      .selectFrom('recording')
      .innerJoin('sensorSetup', 'sensorSetup.setupId', 'recording.setupId')
      .select([
        'recording.id',
        'recording.subjectId',
        'recording.udid',
        'recording.equipmentId',
        'recording.dataState',
        'recording.fileState',
        'recording.startUs',
        'recording.stopUs',
        'recording.sizeBytes',
        'recording.rejectCode',
        'sensorSetup.physicalConfig',
      ])
      .where('recording.studyId', '=', studyId)
      .where('recording.stopUs', '>=', fromTs * 1000)
      .where('recording.startUs', '<=', toTs * 1000 + 999);
    if (subjectId !== undefined) query = query.where('recording.subjectId', '=', subjectId);
    return await query.execute();
  }
}
