/**
 * Fills the tables directly with the rows of a long-used site: as many subjects, days and sensors as a scale test needs, within
 * seconds. There are no signal files, so only database reads are meaningful.
 */

import { createHash } from 'node:crypto';
import BetterSqlite3 from 'better-sqlite3';
import { createSecondColumns } from '../analytics/seconds.ts';
import { encodeArrays } from '../db/array-codec.ts';
import { AUDIT_START, auditHash } from '../db/session.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { canonicalJson } from '../study/changes.ts';
import { columnWriter } from './column-writer.ts';

export interface FullDatabaseSize {
  accountId: string;
  studyId: string;
  subjects: number;
  days: number;
  /** Per subject; each has one recording a day. */
  sensors: number;
  /** Midnight UTC of the first day, epoch ms. */
  fromTs: number;
}

export interface FullDatabase {
  subjectIds: string[];
  hubIds: string[];
  sensorIds: string[];
}

const ZONE = 'UTC';
const SENSOR_CONFIG = { sensingType: 'MPU', gyro: { mode: 'ACCEL', periodMs: 32 } };
const CHANNELS = [{ type: 'ACCEL', dimensions: ['x', 'y', 'z'], unit: 'g', nominalRateHz: 31.25 }];
const METRICS = { SENSOR_WEAR_DURATION: 80_000, MOVING_STEPS: 7000, RESTING_AVG_HR: 61.5 };

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A deterministic id in UUID format. */
const idOf = (...words: (string | number)[]): string => {
  const hex = digestOf(words.join(' '));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** Inserts rows of one table with one prepared statement; the columns are those of the first row. */
function inserter(database: BetterSqlite3.Database, table: string) {
  let statement: BetterSqlite3.Statement | undefined;
  return (row: Record<string, string | number | null | Uint8Array>) => {
    const names = Object.keys(row);
    statement ??= database.prepare(
      `INSERT INTO "${table}" (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    );
    statement.run(...Object.values(row));
  };
}

/**
 * Fills the database of a closed site: subjects, equipment, assignments, recordings, uploads, analytics,
 * faults, tasks done, messages, jobs and a valid audit chain. The study and account must exist. The same size gives the
 * same rows.
 */
export function fillDatabase(path: string, size: FullDatabaseSize): FullDatabase {
  const { accountId, studyId, days, fromTs } = size;
  const database = new BetterSqlite3(path, { fileMustExist: true });
  database.pragma('foreign_keys = ON');
  database.pragma('synchronous = OFF');
  const tables = [
    'subject',
    'subjectZone',
    'equipment',
    'equipmentAssignment',
    'deviceContact',
    'deviceCredential',
    'deviceConfig',
    'task',
    'recording',
    'deviceUpload',
    'heldRecording',
    'analyticsWindow',
    'analyticsDay',
    'annotation',
    'fault',
    'message',
    'event',
    'job',
    'audit',
  ] as const;
  const insert = Object.fromEntries(tables.map((table) => [table, inserter(database, table)])) as Record<
    (typeof tables)[number],
    ReturnType<typeof inserter>
  >;
  const encoded = new Map<number, Uint8Array>();
  const secondsOf = (windowStartTs: number) => {
    const known = encoded.get(windowStartTs) ?? encodeArrays(createSecondColumns(windowStartTs, DAY_MS / 1000));
    encoded.set(windowStartTs, known);
    return known;
  };
  const columnsOf = columnWriter(path);
  const made: FullDatabase = { subjectIds: [], hubIds: [], sensorIds: [] };
  const head = database
    .prepare<[], { sequence: number; hash: string }>('SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1')
    .get() ?? { sequence: 0, hash: AUDIT_START };
  const audit = (timeTs: number, action: string, entityType: string, entityId: string, subjectId: string | null) => {
    const row = {
      sequence: head.sequence + 1,
      timeTs,
      actorType: 'SYSTEM' as const,
      actorId: null,
      action,
      entityType,
      entityId,
      studyId,
      subjectId,
      reason: null,
      changes: canonicalJson({}),
      previousHash: head.hash,
    };
    const hash = auditHash(row);
    insert.audit({ ...row, hash });
    head.sequence = row.sequence;
    head.hash = hash;
  };

  database.transaction(() => {
    const stamp = { createdTs: fromTs, modifiedTs: fromTs };
    const deviceConfigId = idOf('config', studyId);
    insert.deviceConfig({
      id: deviceConfigId,
      studyId,
      mode: 'UNSUPERVISED',
      position: 99,
      pipelineIds: '[]',
      physicalConfig: '{"location":"MEDIAL_CHEST","side":"NONE"}',
      sensorConfig: JSON.stringify(SENSOR_CONFIG),
      ...stamp,
    });
    const taskId = idOf('task', studyId);
    insert.task({
      id: taskId,
      studyId,
      type: 'diary',
      displayName: 'Evening diary',
      mode: 'UNSUPERVISED',
      position: 99,
      pipelineIds: '[]',
      ...stamp,
    });
    for (let s = 0; s < size.subjects; s++) {
      const subjectId = idOf('subject', studyId, s);
      const place = { studyId, subjectId };
      made.subjectIds.push(subjectId);
      insert.subject({
        id: subjectId,
        studyId,
        displayName: `F-${s}`,
        nameKey: `F-${s}`,
        timezone: ZONE,
        metadataFields: '[]',
        ...stamp,
        programStartTs: fromTs,
      });
      insert.subjectZone({ subjectId, fromTs: 0, timezone: ZONE });
      audit(fromTs, 'subject.create', 'subject', subjectId, subjectId);
      const equip = (id: string, type: string, udid: string | null) => {
        insert.equipment({ id, accountId, type, displayName: id, udid, lastContactTs: fromTs, ...stamp });
        insert.equipmentAssignment({ id: idOf('held', id), equipmentId: id, ...place, assignedTs: fromTs });
      };
      const hubId = `FH-${s}`;
      made.hubIds.push(hubId);
      equip(hubId, 'LINK_HUB', null);
      const credentialId = idOf('credential', hubId);
      insert.deviceCredential({
        id: credentialId,
        accountId,
        kind: 'HUB',
        serial: hubId,
        equipmentId: hubId,
        tokenHash: digestOf(hubId),
        createdTs: fromTs,
      });
      for (let k = 0; k < size.sensors; k++) {
        const sensorId = `FS-${s}-${k}`;
        const udid = `F0:${digestOf(sensorId).slice(0, 10).match(/../g)?.join(':').toUpperCase()}`;
        made.sensorIds.push(sensorId);
        equip(sensorId, 'SENSOR', udid);
        for (let day = 0; day < days; day++) {
          const startTs = fromTs + day * DAY_MS + 8 * HOUR_MS;
          const stopTs = startTs + 12 * HOUR_MS;
          const id = idOf('recording', sensorId, day);
          const content = digestOf(id);
          insert.recording({
            id,
            ...place,
            deviceConfigId,
            recordingId: day,
            startUs: startTs * 1000,
            stopUs: stopTs * 1000,
            uploadStartTs: stopTs,
            createdTs: stopTs,
            udid,
            hardwareId: 'H1',
            firmwareId: '1.0',
            physicalConfig: '{"location":"MEDIAL_CHEST","side":"NONE"}',
            sensorConfig: JSON.stringify(SENSOR_CONFIG),
            status: 'COMPLETE',
            dataState: 'ANALYSED',
            sizeBytes: 5_000_000,
            sha256: content,
            channels: JSON.stringify(CHANNELS),
            sampleCounts: '[1350000]',
            syncPoints: '[]',
            contentSha256: content,
            sourceFormat: 'outpost',
            sourceFileName: `${id}.sig`,
          });
          insert.deviceUpload({
            id: idOf('upload', id),
            accountId,
            credentialId,
            deviceId: hubId,
            recordingId: id,
            sensorId,
            state: 'STORED',
            sizeBytes: 5_000_000,
            receivedBytes: 5_000_000,
            sha256: content,
            formatVersion: 1,
            startUs: startTs * 1000,
            syncPoints: '[]',
            ...place,
            storedRecordingId: id,
            createdTs: stopTs,
            modifiedTs: stopTs,
          });
          insert.deviceContact({ equipmentId: sensorId, contactTs: stopTs, batteryPercent: 80 });
          audit(stopTs, 'recording.add', 'recording', id, subjectId);
          insert.event({
            accountId,
            ...place,
            action: 'RECORDING_UPLOADED',
            actualTs: stopTs,
            reportedTs: stopTs,
            referenceId: id,
          });
        }
      }
      for (let day = 0; day < days; day++) {
        const startTs = fromTs + day * DAY_MS;
        const date = new Date(startTs).toISOString().slice(0, 10);
        const computed = { inputsHash: 'x', algorithmVersion: 'test', computedTs: startTs + DAY_MS };
        insert.analyticsWindow({
          subjectId,
          date,
          startTs: startTs - DAY_MS / 2,
          stopTs: startTs + DAY_MS / 2,
          timezone: ZONE,
          ...columnsOf(secondsOf(startTs - DAY_MS / 2)),
          sleep: '[]',
          ...computed,
        });
        insert.analyticsDay({
          subjectId,
          date,
          dayStartTs: startTs,
          dayStopTs: startTs + DAY_MS,
          timezone: ZONE,
          dataStartTs: startTs,
          dataStopTs: startTs + DAY_MS,
          metrics: JSON.stringify(METRICS),
          validSeconds: '{"WEAR":80000}',
          ...computed,
        });
        const doneTs = startTs + 20 * HOUR_MS;
        const times = { startTs: doneTs, stopTs: doneTs, reportedTs: doneTs, createdTs: doneTs, modifiedTs: doneTs };
        insert.annotation({
          id: idOf('diary', subjectId, day),
          ...place,
          type: 'diary',
          displayName: 'Evening diary',
          authorType: 'SUBJECT',
          authorId: subjectId,
          ...times,
          eventId: taskId,
          eventDisplayName: 'Evening diary',
        });
        if (day % 3 === 0) {
          insert.fault({
            id: idOf('fault', subjectId, day),
            ...place,
            equipmentId: hubId,
            faultTs: doneTs,
            faultFlag: 'CONTACT_LOST',
            faultType: 'LINK_HUB_SENSOR_FAULT',
            faultClass: 'LOST_CONTACT',
            mobileAppVersion: '1',
            sensorFirmwareId: '1',
            sensorId: hubId,
            createdTs: doneTs,
          });
          insert.message({
            id: idOf('message', subjectId, day),
            ...place,
            authorType: 'SUBJECT',
            authorId: subjectId,
            body: 'All well.',
            createdTs: doneTs,
            readTs: doneTs + HOUR_MS,
          });
        }
        insert.job({
          id: idOf('job', subjectId, day),
          kind: 'analyse',
          state: 'done',
          ...place,
          payload: JSON.stringify({ ...place, fromMs: startTs, toMs: doneTs, recordingIds: [] }),
          runAfterTs: doneTs,
          createdTs: doneTs,
          startedTs: doneTs,
          finishedTs: doneTs,
        });
        audit(doneTs, 'analytics.store', 'analytics', subjectId, subjectId);
      }
    }
  })();
  database.close();
  return made;
}
