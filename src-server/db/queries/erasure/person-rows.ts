/** Every row that a site holds about one person: which there are, and their removal. */
import { sql } from 'kysely';
import { MINUTE_MS } from '../../../durations.ts';
import { columnPath } from '../../../files/column-files.ts';
import { sha256Hex } from '../../../files/content-hash.ts';
import type { ImportPayload, JobPayloads } from '../../../study/jobs.ts';
import { TABLES } from '../../schema.ts';
import type { Session } from '../../session.ts';
import { anyOf } from '../shared.ts';

/** By which data of an erased person is recognised: nothing that was known can be read from it. */
export const markOf = (value: string): string => sha256Hex(value);

/** A sensor may be put on before its assignment is entered (`study/upload-rules.ts`). */
const BOOKING_SLACK_MS = 15 * MINUTE_MS;

export interface PersonWear {
  equipmentId: string;
  fromTs: number;
  toTs: number;
}

export interface PersonRows {
  subjectId: string;
  studyId: string;
  recordings: { id: string; contentSha256: string }[];
  uploads: { id: string; recordingId: string; sha256: string }[];
  /** Taken from docks and folders. */
  transfers: string[];
  credentials: string[];
  pairings: string[];
  jobs: { id: string; kind: keyof JobPayloads; payload: JobPayloads[keyof JobPayloads] }[];
  exports: {
    id: string;
    subjectIds: string[] | null;
    fileName: string | null;
    isFinished: boolean;
    isRemoved: boolean;
  }[];
  annotations: string[];
  corrections: string[];
  messages: { id: string; imageFile: string | null }[];
  /** Documents of consents. */
  documents: string[];
  participationSteps: string[];
  visits: string[];
  notes: string[];
  queries: string[];
  /** Of signatures, faults, tokens: only the audit trail names them. */
  others: string[];
  wears: PersonWear[];
}

/** Reads which rows there are. @param nowTs ends what the person still wears */
export async function personRows(session: Session, subjectId: string, nowTs: number): Promise<PersonRows> {
  const { db } = session;
  const { studyId } = await db
    .selectFrom('subject')
    .select('studyId')
    .where('id', '=', subjectId)
    .executeTakeFirstOrThrow();
  const recordings = await db
    .selectFrom('recording')
    .select(['id', 'contentSha256'])
    .where('subjectId', '=', subjectId)
    .execute();
  const worn = await db
    .selectFrom('equipmentAssignment')
    .select(['equipmentId', 'assignedTs', 'unassignedTs'])
    .where('subjectId', '=', subjectId)
    .execute();
  const wears = worn.map(({ equipmentId, assignedTs, unassignedTs }) => ({
    equipmentId,
    fromTs: assignedTs - BOOKING_SLACK_MS,
    toTs: unassignedTs ?? Math.max(nowTs, assignedTs),
  }));
  const idsOf = async (
    table:
      | 'fault'
      | 'signature'
      | 'subjectToken'
      | 'annotation'
      | 'deviceCredential'
      | 'transfer'
      | 'correction'
      | 'note'
      | 'dataQuery'
      | 'participationStep'
      | 'visit',
  ) => (await db.selectFrom(table).select('id').where('subjectId', '=', subjectId).execute()).map(({ id }) => id);
  const credentials = await idsOf('deviceCredential');
  const uploads = await personUploads(session, subjectId, { recordings, credentials, wears });
  const pairings = await db
    .selectFrom('pairing')
    .select('id')
    .where((eb) => eb.or([eb('subjectId', '=', subjectId), eb('credentialId', 'in', anyOf(credentials))]))
    .execute();
  const messages = await db
    .selectFrom('message')
    .select(['id', 'imageFile'])
    .where('subjectId', '=', subjectId)
    .execute();
  const documents = await db
    .selectFrom('participationStep')
    .select('documentFile')
    .where('subjectId', '=', subjectId)
    .where('documentFile', 'is not', null)
    .execute();
  return {
    subjectId,
    studyId,
    recordings,
    uploads,
    transfers: await idsOf('transfer'),
    credentials,
    pairings: pairings.map(({ id }) => id),
    jobs: await personJobs(session, subjectId, [...recordings.map(({ id }) => id), ...uploads.map(({ id }) => id)]),
    exports: await personExports(session, subjectId, studyId),
    annotations: await idsOf('annotation'),
    corrections: await idsOf('correction'),
    messages,
    notes: await idsOf('note'),
    queries: await idsOf('dataQuery'),
    participationSteps: await idsOf('participationStep'),
    visits: await idsOf('visit'),
    documents: documents.flatMap(({ documentFile }) => documentFile ?? []),
    others: [...(await idsOf('fault')), ...(await idsOf('signature')), ...(await idsOf('subjectToken'))],
    wears,
  };
}

/** What devices sent of the person: known by its subject, its recording, its device, or by who wore the sensor then. */
async function personUploads(
  { db }: Session,
  subjectId: string,
  { recordings, credentials, wears }: Pick<PersonRows, 'recordings' | 'credentials' | 'wears'>,
): Promise<PersonRows['uploads']> {
  const ids = anyOf(recordings.map(({ id }) => id));
  const rows = await db
    .selectFrom('deviceUpload')
    .select(['id', 'recordingId', 'sha256', 'sensorId', 'startUs', 'subjectId', 'storedRecordingId', 'credentialId'])
    .where((eb) =>
      eb.or([
        eb('subjectId', '=', subjectId),
        eb('storedRecordingId', 'in', ids),
        eb('recordingId', 'in', ids),
        eb('credentialId', 'in', anyOf(credentials)),
        eb('sensorId', 'in', anyOf(wears.map(({ equipmentId }) => equipmentId))),
      ]),
    )
    .execute();
  const own = new Set(recordings.map(({ id }) => id));
  const isWorn = (sensorId: string, startMs: number) =>
    wears.some(({ equipmentId, fromTs, toTs }) => equipmentId === sensorId && fromTs <= startMs && startMs < toTs);
  const phones = new Set(credentials);
  return rows.filter((row) => {
    if (row.subjectId !== null) return row.subjectId === subjectId;
    if (row.storedRecordingId !== null) return own.has(row.storedRecordingId);
    return (
      own.has(row.recordingId) ||
      (row.credentialId !== null && phones.has(row.credentialId)) ||
      isWorn(row.sensorId, row.startUs / 1000)
    );
  });
}

/** Jobs about the person or about one of their recordings and uploads. */
async function personJobs({ db }: Session, subjectId: string, ids: readonly string[]): Promise<PersonRows['jobs']> {
  const rows = await db
    .selectFrom('job')
    .select(['id', 'kind', 'payload'])
    .where((eb) =>
      eb.or([
        eb('subjectId', '=', subjectId),
        eb(sql<string>`payload ->> '$.uploadId'`, 'in', anyOf(ids)),
        eb(sql<string>`payload ->> '$.recordingId'`, 'in', anyOf(ids)),
      ]),
    )
    .execute();
  return rows.map((row) => TABLES.job.toRecord(row)) as PersonRows['jobs'];
}

/** Exports of the study that hold the person, or were to. */
export async function personExports(
  { db }: Session,
  subjectId: string,
  studyId: string,
): Promise<PersonRows['exports']> {
  const rows = await db
    .selectFrom('studyExport')
    .select(['id', 'subjectIds', 'fileName', 'finishedTs', 'removedTs'])
    .where('studyId', '=', studyId)
    .where((eb) =>
      eb.or([
        eb('subjectIds', 'is', null),
        eb(sql<string>`${subjectId}`, 'in', sql<string>`(SELECT value FROM json_each(subjectIds))`),
      ]),
    )
    .execute();
  return rows.map(({ id, subjectIds, fileName, finishedTs, removedTs }) => ({
    id,
    subjectIds: subjectIds === null ? null : (JSON.parse(subjectIds) as string[]),
    fileName,
    isFinished: finishedTs !== null,
    isRemoved: removedTs !== null,
  }));
}

/** Ids of the person and of the person's records, by which entries of the audit trail are found. */
export function personIds(rows: PersonRows): Set<string> {
  return new Set([
    rows.subjectId,
    ...rows.recordings.map(({ id }) => id),
    ...rows.uploads.flatMap(({ id, recordingId }) => [id, recordingId]),
    ...rows.transfers,
    ...rows.credentials,
    ...rows.pairings,
    ...rows.jobs.filter(({ kind }) => kind !== 'archive').map(({ id }) => id),
    ...rows.annotations,
    ...rows.corrections,
    ...rows.messages.map(({ id }) => id),
    ...rows.notes,
    ...rows.queries,
    ...rows.participationSteps,
    ...rows.visits,
    ...rows.others,
  ]);
}

export function personMarks(rows: PersonRows): string[] {
  return [
    ...new Set([
      ...rows.recordings.flatMap(({ id, contentSha256 }) => [markOf(id), markOf(contentSha256)]),
      ...rows.uploads.flatMap(({ recordingId, sha256 }) => [markOf(recordingId), markOf(sha256)]),
      ...rows.credentials.map(markOf),
    ]),
  ].sort();
}

/** Removes every row of the person. @returns the places in the site that have to follow; a `*` ends a prefix */
export async function deletePersonRows(session: Session, rows: PersonRows): Promise<string[]> {
  const { db } = session;
  const { subjectId } = rows;
  const recordings = anyOf(rows.recordings.map(({ id }) => id));
  const credentials = anyOf(rows.credentials);
  const events = db.selectFrom('event').select('sequence').where('subjectId', '=', subjectId);
  await db.deleteFrom('webhookDelivery').where('eventSequence', 'in', events).execute();
  await db.deleteFrom('webhookDelivery').where(sql<boolean>`instr(body, ${subjectId}) > 0`).execute();
  for (const table of [
    'event',
    'conversation',
    'message',
    'noteVersion',
    'note',
    'dataQueryStep',
    'dataQuery',
    'visit',
    'participationStep',
    'participation',
  ] as const)
    await deleteOf(session, table, subjectId);
  await deleteOf(session, 'correction', subjectId);
  for (const table of ['annotation', 'fault'] as const) {
    await db
      .deleteFrom(table)
      .where((eb) => eb.or([eb('subjectId', '=', subjectId), eb('recordingId', 'in', recordings)]))
      .execute();
  }
  await db.deleteFrom('recordingClock').where('recordingId', 'in', recordings).execute();
  await db
    .deleteFrom('deviceUpload')
    .where('id', 'in', anyOf(rows.uploads.map(({ id }) => id)))
    .execute();
  for (const table of [
    'transfer',
    'signature',
    'taskMonth',
    'recordingDay',
    'subjectSummary',
    'analyticsDay',
    'uncorrectedDay',
    'analysisRunDay',
    'analysisRunUncorrectedDay',
    'analysisRunSubject',
  ] as const)
    await deleteOf(session, table, subjectId);
  const columns = await deleteWindows(session, subjectId);
  await deleteHeld(session, rows);
  await deleteOf(session, 'recording', subjectId);
  await db
    .deleteFrom('job')
    .where('id', 'in', anyOf(rows.jobs.map(({ id }) => id)))
    .execute();
  const sources = db.selectFrom('clockSource').select('id').where('credentialId', 'in', credentials);
  await db.deleteFrom('clockReading').where('sourceId', 'in', sources).execute();
  await db.deleteFrom('clockSource').where('credentialId', 'in', credentials).execute();
  await db.deleteFrom('pairing').where('id', 'in', anyOf(rows.pairings)).execute();
  await db.deleteFrom('deviceCredential').where('id', 'in', credentials).execute();
  for (const table of ['equipmentAssignment', 'subjectZone', 'subjectToken'] as const)
    await deleteOf(session, table, subjectId);
  // Who opened something stays, of whom does not.
  await db.updateTable('accessEntry').set({ subjectId: null }).where('subjectId', '=', subjectId).execute();
  await db.deleteFrom('subject').where('id', '=', subjectId).execute();
  return [...filesOf(rows), ...columns];
}

type TableOfSubject =
  | 'correction'
  | 'uncorrectedDay'
  | 'analysisRunDay'
  | 'analysisRunUncorrectedDay'
  | 'analysisRunSubject'
  | 'transfer'
  | 'event'
  | 'conversation'
  | 'message'
  | 'note'
  | 'noteVersion'
  | 'dataQuery'
  | 'dataQueryStep'
  | 'visit'
  | 'participationStep'
  | 'participation'
  | 'signature'
  | 'taskMonth'
  | 'recordingDay'
  | 'subjectSummary'
  | 'analyticsDay'
  | 'recording'
  | 'equipmentAssignment'
  | 'subjectZone'
  | 'subjectToken';

async function deleteOf({ db }: Session, table: TableOfSubject, subjectId: string): Promise<void> {
  await db.deleteFrom(table).where('subjectId', '=', subjectId).execute();
}

/** What hubs say that they still hold of the person's recordings. */
async function deleteHeld({ db }: Session, { recordings, wears }: PersonRows): Promise<void> {
  const ids = anyOf(recordings.map(({ id }) => id));
  await db.deleteFrom('heldRecording').where('recordingId', 'in', ids).execute();
  for (const { equipmentId, fromTs, toTs } of wears) {
    await db
      .deleteFrom('heldRecording')
      .where('sensorId', '=', equipmentId)
      .where('startTs', '>=', fromTs)
      .where('startTs', '<', toTs)
      .execute();
  }
}

/** Tables whose rows name column files: results in use, and those of analysis runs. */
const NAMING_COLUMNS = ['analyticsWindow', 'analysisRunWindow'] as const;

/** @returns the column files that no row names any more: of this person, and of anybody's former results */
async function deleteWindows({ db }: Session, subjectId: string): Promise<string[]> {
  const hashes = new Set<string>();
  for (const table of NAMING_COLUMNS) {
    const own = await db
      .selectFrom(table)
      .select((eb) => eb.ref('columnsSha256').$notNull().as('sha256'))
      .distinct()
      .where('subjectId', '=', subjectId)
      .where('columnsSha256', 'is not', null)
      .execute();
    for (const { sha256 } of own) hashes.add(sha256);
    await db.deleteFrom(table).where('subjectId', '=', subjectId).execute();
  }
  for (const { sha256 } of await db.deleteFrom('unusedColumns').returning('sha256').execute()) hashes.add(sha256);
  for (const table of NAMING_COLUMNS) {
    const kept = await db
      .selectFrom(table)
      .select((eb) => eb.ref('columnsSha256').$notNull().as('sha256'))
      .where('columnsSha256', 'in', anyOf([...hashes]))
      .execute();
    for (const { sha256 } of kept) hashes.delete(sha256);
  }
  return [...hashes].map((sha256) => `${columnPath(sha256)}*`);
}

/** Where the files of the rows lie, whole or unfinished. */
function filesOf({ recordings, uploads, transfers, messages, documents, jobs, exports }: PersonRows): string[] {
  const folders = jobs.flatMap(({ kind, payload }) => {
    const { ownsFiles, paths } = payload as ImportPayload;
    if (kind !== 'import' || !ownsFiles) return [];
    return paths.flatMap((path) => path.split(/[\\/]/).slice(-2, -1));
  });
  return [
    ...recordings.flatMap(({ id }) => [`signals/${id}.*`, `exports/${id}.*`, `inbox/orphaned/${id}*`]),
    ...uploads.flatMap(({ id, recordingId }) => [
      ...[`inbox/uploads/${id}.*`, `inbox/quarantine/${id}.*`, `inbox/orphaned/${id}*`],
      ...[`signals/${recordingId}.*`, `inbox/orphaned/${recordingId}*`],
    ]),
    ...transfers.flatMap((id) => [`inbox/docks/${id}.*`, `inbox/${id}`, `inbox/orphaned/${id}*`]),
    ...documents.map((file) => `images/${file}`),
    ...messages.flatMap(({ imageFile }) => (imageFile === null ? [] : [`images/${imageFile}`])),
    ...[...new Set(folders)].flatMap((name) => [`inbox/${name}`, `inbox/orphaned/${name}`]),
    ...jobs.map(({ id }) => `inbox/import-${id}`),
    ...exports.flatMap(({ id, fileName }) => [
      ...(fileName === null ? [] : [`exports/${fileName}*`]),
      ...[`exports/parts-${id}`, `exports/study-*${id}*`],
    ]),
    // Copies of single recordings under neutral names can be made again.
    'exports/deidentified-recording-*',
    // Copies of the database as it was before a migration.
    'backups/before-schema-*',
  ];
}
