import type { Selectable } from 'kysely';
import type { FileState, SyncPoint } from '../../../study/recording.ts';
import type { Tables } from '../../schema.ts';
import { type Change, changesBetween, changesFromNothing } from '../../session.ts';
import type { RecordingRecord } from '../data/recordings.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, notFound, parseJson, parseOptionalJson } from '../shared.ts';

/**
 * RECEIVING: bytes are missing. RECEIVED: all are here, the check has not ended. STORED: it is a recording. QUARANTINED:
 * kept until a person decides. REJECTED: a person decided against it. REFUSED: it will never be taken. EXPIRED, ENDED:
 * given up, by time or by the device.
 */
export type UploadState =
  | 'RECEIVING'
  | 'RECEIVED'
  | 'STORED'
  | 'QUARANTINED'
  | 'REJECTED'
  | 'REFUSED'
  | 'EXPIRED'
  | 'ENDED';

/** What the check found in a file that then waits for a decision. Times in epoch microseconds. */
export interface UploadFacts {
  /** Corrected. */
  startUs: number;
  stopUs: number;
  sensorStartUs: number;
  location: string;
  udid: string;
  samples: number;
}

export interface UploadRecord {
  id: string;
  accountId: string;
  /** Under which the device sent last. */
  credentialId: string;
  /** Serial of the hub or phone that sends it. */
  deviceId: string;
  /** Made by the device; the recording gets it. */
  recordingId: string;
  /** Serial of the sensor, as the device says. */
  sensorId: string;
  state: UploadState;
  sizeBytes: number;
  /** What is safe on disk, as of the last note of it; the file knows better. */
  receivedBytes: number;
  sha256: string;
  formatVersion: number;
  /** Start by the sensor's own clock. */
  startUs: number;
  syncPoints: SyncPoint[];
  /** Why it is not (yet) a recording. */
  code?: string;
  message?: string;
  /** How often the whole file had another hash than announced. */
  hashFailures: number;
  facts?: UploadFacts;
  /** Who it belongs to: found by the check, or chosen by a person. */
  studyId?: string;
  subjectId?: string;
  /** The user who decided about a quarantined file, and why. */
  decidedBy?: string;
  decisionReason?: string;
  storedRecordingId?: string;
  createdTs: number;
  modifiedTs: number;
}

export type NewUpload = Pick<
  UploadRecord,
  | 'id'
  | 'accountId'
  | 'credentialId'
  | 'deviceId'
  | 'recordingId'
  | 'sensorId'
  | 'sizeBytes'
  | 'sha256'
  | 'formatVersion'
  | 'startUs'
  | 'syncPoints'
> &
  Partial<Pick<UploadRecord, 'state' | 'code' | 'message' | 'storedRecordingId' | 'studyId' | 'subjectId'>>;

type Row = Selectable<Tables['deviceUpload']>;

function toRecord(row: Row): UploadRecord {
  return {
    ...row,
    state: row.state as UploadState,
    syncPoints: parseJson<SyncPoint[]>(row.syncPoints),
    code: absent(row.code),
    message: absent(row.message),
    facts: parseOptionalJson<UploadFacts>(row.facts),
    studyId: absent(row.studyId),
    subjectId: absent(row.subjectId),
    decidedBy: absent(row.decidedBy),
    decisionReason: absent(row.decisionReason),
    storedRecordingId: absent(row.storedRecordingId),
  };
}

/** How far a file has come on its way to the metrics. */
export interface UploadStep
  extends Pick<
    UploadRecord,
    | 'deviceId'
    | 'credentialId'
    | 'sensorId'
    | 'startUs'
    | 'state'
    | 'sizeBytes'
    | 'receivedBytes'
    | 'createdTs'
    | 'modifiedTs'
  > {
  studyId?: string;
  isAnalysed: boolean;
}

/** A recording that was made from some content. */
export type StoredContent = Pick<RecordingRecord, 'id' | 'fileState' | 'sizeBytes' | 'sha256' | 'syncPoints'>;

/** A change of an upload; `null` takes a member away. */
export interface UploadPatch {
  credentialId?: string;
  state?: UploadState;
  code?: string | null;
  message?: string | null;
  facts?: UploadFacts;
  studyId?: string;
  subjectId?: string;
  decidedBy?: string | null;
  decisionReason?: string | null;
  storedRecordingId?: string;
  hashFailures?: number;
  syncPoints?: SyncPoint[];
}

/** Files on their way from devices, refused and quarantined ones included. */
export class Uploads extends Queries {
  async add(input: NewUpload, change: Change): Promise<UploadRecord> {
    return await this.session.write(async (session) => {
      const now = session.clock();
      const row = {
        ...input,
        state: input.state ?? 'RECEIVING',
        syncPoints: JSON.stringify(input.syncPoints),
        code: input.code ?? null,
        message: input.message ?? null,
        facts: null,
        studyId: input.studyId ?? null,
        subjectId: input.subjectId ?? null,
        decidedBy: null,
        decisionReason: null,
        storedRecordingId: input.storedRecordingId ?? null,
        createdTs: now,
        modifiedTs: now,
      };
      await session.db.insertInto('deviceUpload').values(row).execute();
      const { syncPoints: _points, credentialId: _credential, ...facts } = input;
      await session.audit(change, {
        action: row.state === 'RECEIVING' ? 'upload.begin' : `upload.${row.state.toLowerCase()}`,
        entityType: 'upload',
        entityId: input.id,
        ...(input.studyId && { studyId: input.studyId }),
        ...(input.subjectId && { subjectId: input.subjectId }),
        changes: changesFromNothing({ ...facts, state: row.state }),
      });
      return await new Uploads(session).require(input.id);
    });
  }

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
    limit?: number;
  }): Promise<UploadRecord[]> {
    let query = this.session.db.selectFrom('deviceUpload').selectAll();
    if (filter.accountId !== undefined) query = query.where('accountId', '=', filter.accountId);
    if (filter.deviceId !== undefined) query = query.where('deviceId', '=', filter.deviceId);
    if (filter.sha256 !== undefined) query = query.where('sha256', '=', filter.sha256);
    if (filter.recordingIds) query = query.where('recordingId', 'in', anyOf(filter.recordingIds));
    if (filter.states) query = query.where('state', 'in', [...filter.states]);
    if (filter.modifiedBefore !== undefined) query = query.where('modifiedTs', '<', filter.modifiedBefore);
    query = query.orderBy('createdTs', 'desc').orderBy('id', 'desc');
    const rows = await (filter.limit === undefined ? query : query.limit(filter.limit)).execute();
    return rows.map(toRecord);
  }

  /** What is under way, and what moved on since an instant (epoch ms), with how far each has come. */
  async steps(accountId: string, sinceTs: number): Promise<UploadStep[]> {
    const rows = await this.session.db
      .selectFrom('deviceUpload')
      .leftJoin('recording', 'recording.id', 'deviceUpload.storedRecordingId')
      .select([
        'deviceUpload.deviceId',
        'deviceUpload.credentialId',
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
    // By state and time there is an index; by account it would be every upload that ever was.
    const own = rows.filter((row) => row.accountId === accountId);
    return own.map(({ state, studyId, dataState, accountId: _account, ...row }) => ({
      ...row,
      state: state as UploadState,
      ...(studyId !== null && { studyId }),
      isAnalysed: dataState === 'ANALYSED',
    }));
  }

  /**
   * Moves an upload on if it is still in one of the states `from`; undefined, and nothing changed, when it is not.
   * @throws NOT_FOUND
   */
  async move(
    id: string,
    from: readonly UploadState[],
    patch: UploadPatch,
    change: Change,
  ): Promise<UploadRecord | undefined> {
    return await this.session.write(async (session) => {
      const uploads = new Uploads(session);
      const old = await uploads.require(id);
      if (!from.includes(old.state)) return undefined;
      const { facts, syncPoints, ...plain } = patch;
      const { syncPoints: _points, ...audited } = patch;
      const changes = changesBetween({ ...old }, { ...audited });
      await session.db
        .updateTable('deviceUpload')
        .set({
          ...plain,
          ...(facts && { facts: JSON.stringify(facts) }),
          ...(syncPoints && { syncPoints: JSON.stringify(syncPoints) }),
          modifiedTs: session.clock(),
        })
        .where('id', '=', id)
        .execute();
      const upload = await uploads.require(id);
      if (Object.keys(changes).length > 0) {
        await session.audit(change, {
          action: `upload.${(patch.state ?? 'change').toLowerCase()}`,
          entityType: 'upload',
          entityId: id,
          ...(upload.studyId && { studyId: upload.studyId }),
          ...(upload.subjectId && { subjectId: upload.subjectId }),
          changes,
        });
      }
      return upload;
    });
  }

  /** Notes how far an upload is. Routine, so it is no audit row. */
  async setProgress(id: string, receivedBytes: number): Promise<void> {
    await this.session.write(async (session) => {
      const { numUpdatedRows } = await session.db
        .updateTable('deviceUpload')
        .set({ receivedBytes, modifiedTs: session.clock() })
        .where('id', '=', id)
        .where('state', '=', 'RECEIVING')
        .executeTakeFirst();
      if (numUpdatedRows > 0) session.announce({ action: 'upload.progress', entityType: 'upload', entityId: id });
    });
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
    return (
      row && {
        ...row,
        fileState: row.fileState as FileState,
        syncPoints: parseJson<SyncPoint[]>(row.syncPoints),
      }
    );
  }
}
