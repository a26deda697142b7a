/** Statements on uploads: files on their way from devices, refused and quarantined ones included. */

import type { UploadState } from '../../../study/uploads.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import type { RecordingRecord } from '../data/recordings.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { anyOf, notFound } from '../shared.ts';

const { deviceUpload: UPLOAD, recording: RECORDING } = TABLES;
const { toRecord } = UPLOAD;

export type UploadRecord = RecordOf<typeof UPLOAD>;
export type UploadColumns = PatchOf<typeof UPLOAD>;

/** How far a file has come on its way to the metrics. */
export interface UploadStep
  extends Pick<
    UploadRecord,
    'deviceId' | 'sensorId' | 'startUs' | 'state' | 'sizeBytes' | 'receivedBytes' | 'createdTs' | 'modifiedTs'
  > {
  studyId?: string;
  /** Exactly one of both. */
  credentialId?: string;
  userId?: string;
  isAnalysed: boolean;
}

/** A recording that was made from some content. */
export type StoredContent = Pick<RecordingRecord, 'id' | 'fileState' | 'sizeBytes' | 'sha256' | 'syncPoints'>;

export class UploadQueries extends Queries {
  async get(id: string): Promise<UploadRecord | undefined> {
    const row = await this.session.db.selectFrom('deviceUpload').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND, also when the upload is of another account than the one given */
  async require(id: string, accountId?: string): Promise<UploadRecord> {
    const upload = await this.get(id);
    if (!upload || (accountId !== undefined && upload.accountId !== accountId)) throw notFound('upload');
    return upload;
  }

  /** Newest first. */
  async list(filter: {
    accountId?: string;
    deviceId?: string;
    sha256?: string;
    recordingIds?: readonly string[];
    states?: readonly UploadState[];
    /** Not touched since, epoch ms. */
    modifiedBefore?: number;
    keyset?: Keyset | undefined;
  }): Promise<UploadRecord[]> {
    let query = this.session.db.selectFrom('deviceUpload').selectAll();
    if (filter.accountId !== undefined) query = query.where('accountId', '=', filter.accountId);
    if (filter.deviceId !== undefined) query = query.where('deviceId', '=', filter.deviceId);
    if (filter.sha256 !== undefined) query = query.where('sha256', '=', filter.sha256);
    if (filter.recordingIds) query = query.where('recordingId', 'in', anyOf(filter.recordingIds));
    if (filter.states && !filter.keyset) query = query.where('state', 'in', [...filter.states]);
    if (filter.modifiedBefore !== undefined) query = query.where('modifiedTs', '<', filter.modifiedBefore);
    const { states, keyset } = filter;
    // One bounded read per state, each from an index in this order: the open states are few among all uploads ever made.
    const parts = keyset && states ? states.map((state) => query.where('state', '=', state)) : [query];
    const rows = [];
    for (const part of parts)
      rows.push(...(await inPages(part, ['createdTs', 'id'], { keyset, isDescending: true }).execute()));
    if (parts.length > 1) rows.sort((a, b) => b.createdTs - a.createdTs || (a.id < b.id ? 1 : -1));
    return rows.slice(0, keyset?.limit).map(toRecord);
  }

  /** Uploads that are being received, and those that changed state since an instant (epoch ms), with how far each has come. */
  async steps(accountId: string, sinceTs: number): Promise<UploadStep[]> {
    const rows = await this.session.db
      .selectFrom('deviceUpload')
      .leftJoin('recording', 'recording.id', 'deviceUpload.storedRecordingId')
      .select([
        'deviceUpload.deviceId',
        'deviceUpload.credentialId',
        'deviceUpload.userId',
        'deviceUpload.sensorId',
        'deviceUpload.startUs',
        'deviceUpload.createdTs',
        'deviceUpload.state',
        'deviceUpload.sizeBytes',
        'deviceUpload.receivedBytes',
        'deviceUpload.studyId',
        'deviceUpload.modifiedTs',
        'deviceUpload.accountId',
        'recording.dataState',
      ])
      .where((eb) =>
        eb.or([
          eb('deviceUpload.state', 'in', ['RECEIVING', 'RECEIVED']),
          eb('deviceUpload.state', 'in', ['STORED', 'QUARANTINED', 'REFUSED']).and(
            'deviceUpload.modifiedTs',
            '>=',
            sinceTs,
          ),
        ]),
      )
      .orderBy('deviceUpload.modifiedTs', 'desc')
      .execute();
    // State and time have an index; filtering by account in SQL would scan every upload ever made.
    const own = rows.filter((row) => row.accountId === accountId);
    return own.map(({ studyId, credentialId, userId, dataState, accountId: _account, ...row }) => ({
      ...row,
      ...(studyId !== null && { studyId }),
      ...(credentialId !== null && { credentialId }),
      ...(userId !== null && { userId }),
      isAnalysed: dataState === 'ANALYSED',
    }));
  }

  /** A recording of the account that was made from this content. */
  async findRecording(accountId: string, contentSha256: string): Promise<StoredContent | undefined> {
    const row = await this.session.db
      .selectFrom('recording')
      .innerJoin('study', 'study.id', 'recording.studyId')
      .select([
        'recording.id',
        'recording.fileState',
        'recording.sizeBytes',
        'recording.sha256',
        'recording.syncPoints',
      ])
      .where('study.accountId', '=', accountId)
      .where('recording.contentSha256', '=', contentSha256)
      .orderBy('recording.createdTs')
      .executeTakeFirst();
    return row && RECORDING.toRecord(row);
  }

  protected async insert(upload: InsertOf<typeof UPLOAD>): Promise<void> {
    await this.session.db.insertInto('deviceUpload').values(UPLOAD.toRow(upload)).execute();
  }

  protected async patch(id: string, fields: UploadColumns): Promise<void> {
    await this.session.db.updateTable('deviceUpload').set(UPLOAD.toRow(fields)).where('id', '=', id).execute();
  }

  /** Stores the progress of an upload that is being received; false when it is in another state. */
  protected async patchReceived(id: string, receivedBytes: number): Promise<boolean> {
    const { numUpdatedRows } = await this.session.db
      .updateTable('deviceUpload')
      .set({ receivedBytes, modifiedTs: this.session.clock() })
      .where('id', '=', id)
      .where('state', '=', 'RECEIVING')
      .executeTakeFirst();
    return numUpdatedRows > 0;
  }
}
