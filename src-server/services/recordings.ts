/** Recordings: adding them once per content, and moving their data and files through their states. */
import {
  authorOf,
  type Change,
  type RecordingPatch,
  RecordingQueries,
  type RecordingRecord,
  StudyQueries,
  SubjectQueries,
  sensorOfRecording,
} from '../db/index.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import { requireEdit } from '../study/lifecycle.ts';
import type { DataState, FileState } from '../study/recording.ts';

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

export class Recordings extends RecordingQueries {
  /**
   * Adds a recording whose signal file is on disk and fsynced, and writes RECORDING_UPLOADED. Idempotent by content: the same
   * content of the same subject returns the stored record with `isNew` false, and the caller then removes its file.
   * @throws NOT_FOUND, STUDY_STATE
   */
  async add(input: NewRecording, change: Change): Promise<{ recording: RecordingRecord; isNew: boolean }> {
    return await this.session.write(async (session) => {
      const recordings = new Recordings(session);
      const known = await recordings.findByContent(input.contentSha256, input.subjectId);
      if (known) return { recording: known, isNew: false };
      await new SubjectQueries(session).require(input.subjectId, input.studyId);
      requireEdit((await new StudyQueries(session).require(input.studyId)).lifecycleState, 'add-data');
      const now = session.clock();
      const { sensorSerial, ...facts } = input;
      const equipmentId = await sensorOfRecording(session, {
        udid: input.udid,
        ...(sensorSerial !== undefined && { serial: sensorSerial }),
      });
      await recordings.insert({
        ...facts,
        equipmentId,
        uploadStartTs: input.uploadStartTs ?? now,
        createdTs: now,
        status: 'COMPLETE',
        dataState: input.dataState ?? 'VERIFIED',
        notes: input.notes ?? [],
      });
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

  /** Stores how far the recording's data has come. @throws NOT_FOUND */
  async setDataState(id: string, dataState: DataState, change: Change, rejectCode?: string): Promise<RecordingRecord> {
    const status = dataState === 'REJECTED' ? 'REJECTED' : 'COMPLETE';
    return await this.#set(id, { dataState, status, rejectCode: rejectCode ?? null }, 'recording.data-state', change);
  }

  /** Stores what a check of the signal file found. @throws NOT_FOUND */
  async setFileState(id: string, fileState: FileState, change: Change): Promise<RecordingRecord> {
    return await this.#set(id, { fileState }, 'recording.file-state', change);
  }

  /** Stores that a lost file was made again from its source. @throws NOT_FOUND */
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

  async #set(id: string, fields: RecordingPatch, action: string, change: Change): Promise<RecordingRecord> {
    return await this.session.write(async (session) => {
      const recordings = new Recordings(session);
      const old = await recordings.require(id);
      const changes = changesBetween({ ...old }, fields);
      if (Object.keys(changes).length === 0) return old;
      await recordings.patch(id, fields);
      const { studyId, subjectId } = old;
      await session.audit(change, { action, entityType: 'recording', entityId: id, studyId, subjectId, changes });
      return await recordings.require(id);
    });
  }
}
