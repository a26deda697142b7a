import type { Selectable } from 'kysely';
import { requireEdit } from '../../../study/lifecycle.ts';
import type { DataState, FileState, PhysicalConfig, SignalChannel, SyncPoint } from '../../../study/recording.ts';
import type { Tables } from '../../schema.ts';
import { authorOf, type Change, changesBetween, changesFromNothing } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, notFound, parseJson } from '../shared.ts';
import { sensorOfRecording } from '../study/sensor-match.ts';
import { Studies } from '../study/studies.ts';
import { Subjects } from '../study/subjects.ts';

export interface RecordingRecord {
  id: string;
  studyId: string;
  subjectId: string;
  deviceConfigId: string;
  /** The sensor's own counter of recordings. */
  recordingId: number;
  /** First and last sample, epoch microseconds. */
  startUs: number;
  stopUs: number;
  uploadStartTs: number;
  createdTs: number;
  udid: string;
  /** Serial number of the registered sensor it came from; absent where none is known. */
  equipmentId?: string;
  hardwareId: string;
  firmwareId: string;
  physicalConfig: PhysicalConfig;
  sensorConfig: Record<string, unknown>;
  status: 'COMPLETE' | 'REJECTED';
  dataState: DataState;
  rejectCode?: string;
  /** What the last look at the signal file found. */
  fileState: FileState;
  /** Of the signal file. */
  sizeBytes: number;
  sha256: string;
  channels: SignalChannel[];
  /** Per channel. */
  sampleCounts: number[];
  syncPoints: SyncPoint[];
  /** SHA-256 of what it was made from: the same again for the same subject is the same recording. */
  contentSha256: string;
  sourceFormat: string;
  sourceFileName: string;
  /** What the importer read in a particular way. */
  notes: string[];
  /** Size of the recording ZIP, known after it was made once. */
  exportSizeBytes?: number;
}

export type NewRecording = Omit<
  RecordingRecord,
  | 'createdTs'
  | 'status'
  | 'dataState'
  | 'rejectCode'
  | 'fileState'
  | 'notes'
  | 'exportSizeBytes'
  | 'uploadStartTs'
  | 'equipmentId'
> & {
  uploadStartTs?: number;
  dataState?: DataState;
  notes?: string[];
  /** Serial number of the sensor as the device that brought the file named it. */
  sensorSerial?: string;
};

type Row = Selectable<Tables['recording']>;

function toRecord(row: Row): RecordingRecord {
  return {
    ...row,
    status: row.status as RecordingRecord['status'],
    dataState: row.dataState as DataState,
    fileState: row.fileState as FileState,
    rejectCode: absent(row.rejectCode),
    equipmentId: absent(row.equipmentId),
    exportSizeBytes: absent(row.exportSizeBytes),
    physicalConfig: parseJson<PhysicalConfig>(row.physicalConfig),
    sensorConfig: parseJson<Record<string, unknown>>(row.sensorConfig),
    channels: parseJson<SignalChannel[]>(row.channels),
    sampleCounts: parseJson<number[]>(row.sampleCounts),
    syncPoints: parseJson<SyncPoint[]>(row.syncPoints),
    notes: parseJson<string[]>(row.notes),
  };
}

export class Recordings extends Queries {
  /**
   * Adds a recording whose signal file is on disk and fsynced, and writes RECORDING_UPLOADED. The same content for the
   * same subject again is success with the record that is there (`isNew` false): the caller then removes its file.
   * @throws NOT_FOUND, STUDY_STATE
   */
  async add(input: NewRecording, change: Change): Promise<{ recording: RecordingRecord; isNew: boolean }> {
    return await this.session.write(async (session) => {
      const recordings = new Recordings(session);
      const known = await recordings.findByContent(input.contentSha256, input.subjectId);
      if (known) return { recording: known, isNew: false };
      await new Subjects(session).require(input.subjectId, input.studyId);
      requireEdit((await new Studies(session).require(input.studyId)).lifecycleState, 'add-data');
      const now = session.clock();
      const { sensorSerial, ...facts } = input;
      const equipmentId = await sensorOfRecording(session, {
        udid: input.udid,
        ...(sensorSerial !== undefined && { serial: sensorSerial }),
      });
      const row = {
        ...facts,
        equipmentId: equipmentId ?? null,
        uploadStartTs: input.uploadStartTs ?? now,
        createdTs: now,
        physicalConfig: JSON.stringify(input.physicalConfig),
        sensorConfig: JSON.stringify(input.sensorConfig),
        status: 'COMPLETE',
        dataState: input.dataState ?? 'VERIFIED',
        rejectCode: null,
        channels: JSON.stringify(input.channels),
        sampleCounts: JSON.stringify(input.sampleCounts),
        syncPoints: JSON.stringify(input.syncPoints),
        notes: JSON.stringify(input.notes ?? []),
        exportSizeBytes: null,
      };
      await session.db.insertInto('recording').values(row).execute();
      const place = { studyId: input.studyId, subjectId: input.subjectId };
      const { channels: _channels, syncPoints: _syncPoints, ...audited } = facts;
      await session.audit(change, {
        action: 'recording.add',
        entityType: 'recording',
        entityId: input.id,
        ...place,
        changes: changesFromNothing(audited),
      });
      await session.event({
        action: 'RECORDING_UPLOADED',
        ...place,
        referenceId: input.id,
        actualTs: Math.floor(input.stopUs / 1000),
        author: authorOf(change),
      });
      return { recording: await recordings.require(input.id), isNew: true };
    });
  }

  async get(id: string): Promise<RecordingRecord | undefined> {
    const row = await this.session.db.selectFrom('recording').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND, also when the recording is of another study than the one given */
  async require(id: string, studyId?: string): Promise<RecordingRecord> {
    const recording = await this.get(id);
    if (!recording || (studyId !== undefined && recording.studyId !== studyId)) throw notFound('recording');
    return recording;
  }

  /** A recording made from this content, of any subject or of one. */
  async findByContent(contentSha256: string, subjectId?: string): Promise<RecordingRecord | undefined> {
    let query = this.session.db.selectFrom('recording').selectAll().where('contentSha256', '=', contentSha256);
    if (subjectId !== undefined) query = query.where('subjectId', '=', subjectId);
    const row = await query.orderBy('createdTs').executeTakeFirst();
    return row && toRecord(row);
  }

  /** By start, then id. */
  async listForStudy(studyId: string): Promise<RecordingRecord[]> {
    const rows = await this.session.db
      .selectFrom('recording')
      .selectAll()
      .where('studyId', '=', studyId)
      .orderBy('startUs')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** By start, then id; with a span (epoch microseconds, both inclusive) only what shares time with it. */
  async listForSubject(
    subjectId: string,
    span: { fromUs?: number; toUs?: number; udid?: string } = {},
  ): Promise<RecordingRecord[]> {
    let query = this.session.db.selectFrom('recording').selectAll().where('subjectId', '=', subjectId);
    if (span.fromUs !== undefined) query = query.where('stopUs', '>=', span.fromUs);
    if (span.toUs !== undefined) query = query.where('startUs', '<=', span.toUs);
    if (span.udid !== undefined) query = query.where('udid', '=', span.udid);
    const rows = await query.orderBy('startUs').orderBy('id').execute();
    return rows.map(toRecord);
  }

  /** Recordings of one sensor, whoever wore it, that share time with the span (epoch microseconds, both inclusive). */
  async overlappingOfSensor(
    udid: string,
    span: { fromUs: number; toUs: number },
  ): Promise<{ id: string; startUs: number; stopUs: number }[]> {
    return await this.session.db
      .selectFrom('recording')
      .select(['id', 'startUs', 'stopUs'])
      .where('udid', '=', udid)
      .where('startUs', '<=', span.toUs)
      .where('stopUs', '>=', span.fromUs)
      .execute();
  }

  /** True when any recording of the subject shares time with the span. Epoch microseconds, both inclusive. */
  async hasData(subjectId: string, span: { fromUs: number; toUs: number }): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('recording')
      .select('id')
      .where('subjectId', '=', subjectId)
      .where('startUs', '<=', span.toUs)
      .where('stopUs', '>=', span.fromUs)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Every recording's file facts in id order, a slice at a time: for reconciling and verifying a site of any size. */
  async filesAfter(
    id: string,
    limit: number,
  ): Promise<Pick<RecordingRecord, 'id' | 'studyId' | 'subjectId' | 'sizeBytes' | 'sha256' | 'fileState'>[]> {
    const rows = await this.session.db
      .selectFrom('recording')
      .select(['id', 'studyId', 'subjectId', 'sizeBytes', 'sha256', 'fileState'])
      .where('id', '>', id)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, fileState: row.fileState as FileState }));
  }

  /** What is known of the file of every recording, by id. */
  async fileStates(): Promise<Map<string, FileState>> {
    const rows = await this.session.db.selectFrom('recording').select(['id', 'fileState']).execute();
    return new Map(rows.map((row) => [row.id, row.fileState as FileState]));
  }

  /** Bytes of all signal files, and how many files are in which state. */
  async fileTotals(): Promise<{ sizeBytes: number; byFileState: Record<string, number> }> {
    const rows = await this.session.db
      .selectFrom('recording')
      .select([
        'fileState',
        ({ fn }) => fn.countAll<number>().as('count'),
        ({ fn }) => fn.sum<number>('sizeBytes').as('sizeBytes'),
      ])
      .groupBy('fileState')
      .execute();
    return {
      sizeBytes: rows.reduce((sum, row) => sum + row.sizeBytes, 0),
      byFileState: Object.fromEntries(rows.map(({ fileState, count }) => [fileState, count])),
    };
  }

  /** First and last instant that any recording of the subject covers, epoch microseconds. */
  async extent(subjectId: string): Promise<{ startUs: number; stopUs: number } | undefined> {
    const row = await this.session.db
      .selectFrom('recording')
      .select(({ fn }) => [fn.min('startUs').as('startUs'), fn.max('stopUs').as('stopUs')])
      .where('subjectId', '=', subjectId)
      .executeTakeFirst();
    return row && row.startUs !== null && row.stopUs !== null
      ? { startUs: row.startUs, stopUs: row.stopUs }
      : undefined;
  }

  /** Moves the data path on. @throws NOT_FOUND */
  async setDataState(id: string, dataState: DataState, change: Change, rejectCode?: string): Promise<RecordingRecord> {
    const status = dataState === 'REJECTED' ? 'REJECTED' : 'COMPLETE';
    return await this.#set(id, { dataState, status, rejectCode: rejectCode ?? null }, 'recording.data-state', change);
  }

  /** Notes what a look at the signal file found. @throws NOT_FOUND */
  async setFileState(id: string, fileState: FileState, change: Change): Promise<RecordingRecord> {
    return await this.#set(id, { fileState }, 'recording.file-state', change);
  }

  /** Notes that a lost file was made again from its source. @throws NOT_FOUND */
  async restoreFile(
    id: string,
    { sizeBytes, sha256 }: { sizeBytes: number; sha256: string },
    change: Change,
  ): Promise<RecordingRecord> {
    return await this.#set(
      id,
      { fileState: 'PRESENT', dataState: 'VERIFIED', sizeBytes, sha256 },
      'recording.file-state',
      change,
    );
  }

  /** Size of the ZIP once it was made; a fact about it, no change of the record. */
  async setExportSize(id: string, exportSizeBytes: number): Promise<void> {
    await this.session.db.updateTable('recording').set({ exportSizeBytes }).where('id', '=', id).execute();
  }

  /** When each recording of a study began, ended and was uploaded, by start, then id. Epoch ms, as the lists show them. */
  async spansOfStudy(
    studyId: string,
  ): Promise<{ subjectId: string; startTs: number; stopTs: number; uploadStartTs: number }[]> {
    const rows = await this.session.db
      .selectFrom('recording')
      .select(['subjectId', 'startUs', 'stopUs', 'uploadStartTs'])
      .where('studyId', '=', studyId)
      .orderBy('startUs')
      .orderBy('id')
      .execute();
    return rows.map(({ subjectId, startUs, stopUs, uploadStartTs }) => ({
      subjectId,
      startTs: Math.floor(startUs / 1000),
      stopTs: Math.floor(stopUs / 1000),
      uploadStartTs,
    }));
  }

  async #set(id: string, columns: Partial<Row>, action: string, change: Change): Promise<RecordingRecord> {
    return await this.session.write(async (session) => {
      const recordings = new Recordings(session);
      const old = await recordings.require(id);
      const changes = changesBetween({ ...old }, columns);
      if (Object.keys(changes).length === 0) return old;
      await session.db.updateTable('recording').set(columns).where('id', '=', id).execute();
      const { studyId, subjectId } = old;
      await session.audit(change, { action, entityType: 'recording', entityId: id, studyId, subjectId, changes });
      return await recordings.require(id);
    });
  }
}
