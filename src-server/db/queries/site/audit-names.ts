/** Names of the records that audit entries are about: present ones or, for deleted records, the last that the audit knows. */
import { type RawBuilder, sql } from 'kysely';
import { personName } from '../../../study/person-name.ts';
import { unpackChanges } from '../../packed-changes.ts';
import type { Session } from '../../session.ts';
import { anyOf, parseJson } from '../shared.ts';
import type { AuditRecord } from './audit-record.ts';

/** What distinguishes one record from others of its type. */
export interface AuditEntity {
  displayName?: string;
  /** Format of an export, kind of a job. */
  code?: string;
  /** When it begins or was made, of records that a time tells apart. */
  startTs?: number;
  /** The record was deleted; its name is the last that the audit knows. */
  isGone?: true;
}

export interface AuditNames {
  /** By {@link entityKey}. */
  entities: ReadonlyMap<string, AuditEntity>;
  studies: ReadonlyMap<string, string>;
  subjects: ReadonlyMap<string, string>;
  users: ReadonlyMap<string, string>;
}

export const entityKey = ({ entityType, entityId }: Pick<AuditRecord, 'entityType' | 'entityId'>): string =>
  `${entityType} ${entityId}`;

type Ids = RawBuilder<unknown>;

/** One query for each type of record; each gives `id` and members of {@link AuditEntity}. */
const SOURCES: Readonly<Record<string, (ids: Ids) => RawBuilder<AuditEntity & { id: string }>>> = {
  account: (ids) => sql`SELECT id, displayName FROM account WHERE id IN ${ids}`,
  study: (ids) => sql`SELECT id, displayName FROM study WHERE id IN ${ids}`,
  subject: (ids) => sql`SELECT id, displayName FROM subject WHERE id IN ${ids}`,
  analytics: (ids) => sql`SELECT id, displayName FROM subject WHERE id IN ${ids}`,
  'analysis-run': (ids) =>
    sql`SELECT id, name AS displayName, createdTs AS startTs FROM analysisRun WHERE id IN ${ids}`,
  equipment: (ids) => sql`SELECT id, displayName FROM equipment WHERE id IN ${ids}`,
  webhook: (ids) => sql`SELECT id, displayName FROM webhook WHERE id IN ${ids}`,
  annotation: (ids) => sql`SELECT id, displayName, startTs FROM annotation WHERE id IN ${ids}`,
  message: (ids) => sql`SELECT id, createdTs AS startTs FROM message WHERE id IN ${ids}`,
  note: (ids) => sql`SELECT id, kind AS code, createdTs AS startTs FROM note WHERE id IN ${ids}`,
  query: (ids) =>
    sql`SELECT id, coalesce(targetName, target) AS code, coalesce(targetTs, openedTs) AS startTs FROM dataQuery WHERE id IN ${ids}`,
  participation: (ids) =>
    sql`SELECT id, coalesce(visitName, kind) AS code, createdTs AS startTs FROM participationStep WHERE id IN ${ids}`,
  export: (ids) => sql`SELECT id, format AS code, requestedTs AS startTs FROM studyExport WHERE id IN ${ids}`,
  job: (ids) => sql`SELECT id, kind AS code, createdTs AS startTs FROM job WHERE id IN ${ids}`,
  pairing: (ids) =>
    sql`SELECT id, device ->> '$.displayName' AS displayName, createdTs AS startTs FROM pairing WHERE id IN ${ids}`,
  device: (ids) => sql`
    SELECT credential.id, coalesce(equipment.displayName, credential.serial) AS displayName
    FROM deviceCredential AS credential LEFT JOIN equipment ON equipment.id = credential.equipmentId
    WHERE credential.id IN ${ids}`,
  recording: (ids) => sql`
    SELECT recording.id, coalesce(equipment.displayName, nullif(recording.udid, '')) AS displayName,
      recording.startUs / 1000 AS startTs
    FROM recording LEFT JOIN equipment ON equipment.id = recording.equipmentId
    WHERE recording.id IN ${ids}`,
  upload: (ids) => sql`
    SELECT upload.id, coalesce(equipment.displayName, upload.sensorId) AS displayName, upload.startUs / 1000 AS startTs
    FROM deviceUpload AS upload LEFT JOIN equipment ON equipment.id = upload.sensorId
    WHERE upload.id IN ${ids}`,
  transfer: (ids) => sql`SELECT id, displayName, startTs FROM transfer WHERE id IN ${ids}`,
  fault: (ids) => sql`
    SELECT fault.id, coalesce(equipment.displayName, fault.sensorId) AS displayName, fault.faultTs AS startTs
    FROM fault LEFT JOIN equipment ON equipment.id = fault.equipmentId
    WHERE fault.id IN ${ids}`,
};

/** Fields whose values are ids of subjects or users. */
const PERSON_FIELDS: ReadonlySet<string> = new Set([
  'holder',
  'subjectId',
  'userId',
  'authorId',
  'assigneeId',
  'decidedBy',
  'confirmedBy',
]);

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * Returns names for a page of entries, with one query by primary key for each type of record on the page, and one by index for deleted
 * records.
 */
export async function auditNames(session: Session, rows: readonly AuditRecord[]): Promise<AuditNames> {
  const people = rows.flatMap(({ changes }) =>
    Object.entries(changes).flatMap(([field, change]) =>
      PERSON_FIELDS.has(field) ? [change.old, change.new].filter(isText) : [],
    ),
  );
  const members = rows.filter(({ entityType }) => entityType === 'user' || entityType === 'membership');
  const users = await userNames(session, [...people, ...members.map(({ entityId }) => entityId)]);
  const entities = new Map<string, AuditEntity>();
  for (const { entityType, entityId } of members) {
    const displayName = users.get(entityId);
    if (displayName !== undefined) entities.set(entityKey({ entityType, entityId }), { displayName });
  }
  for (const [entityType, own] of Map.groupBy(rows, (row) => row.entityType)) {
    const ids = own.map(({ entityId }) => entityId);
    if (entityType === 'setting') {
      for (const entityId of ids) entities.set(entityKey({ entityType, entityId }), { displayName: entityId });
      continue;
    }
    for (const [entityId, entity] of await entitiesOf(session, entityType, ids))
      entities.set(entityKey({ entityType, entityId }), entity);
  }
  for (const [key, entity] of await goneEntities(
    session,
    rows.filter((row) => row.entityId !== '' && row.entityType in SOURCES && !entities.has(entityKey(row))),
  ))
    entities.set(key, entity);
  const named = async (entityType: 'study' | 'subject', ids: readonly (string | undefined)[]) =>
    new Map(
      [...(await entitiesOf(session, entityType, ids.filter(isText)))].map(([id, { displayName = id }]) => [
        id,
        displayName,
      ]),
    );
  const studies = await named(
    'study',
    rows.map(({ studyId }) => studyId),
  );
  const subjects = await named('subject', [...rows.map(({ subjectId }) => subjectId), ...people]);
  return { entities, studies, subjects, users };
}

async function entitiesOf(
  { db }: Session,
  entityType: string,
  ids: readonly string[],
): Promise<Map<string, AuditEntity>> {
  const source = SOURCES[entityType];
  const different = [...new Set(ids)];
  if (!source || different.length === 0) return new Map();
  const { rows } = await source(anyOf(different)).execute(db);
  return new Map(
    rows.map(({ id, ...entity }) => [
      id,
      Object.fromEntries(Object.entries(entity).filter(([, value]) => value !== null)) as AuditEntity,
    ]),
  );
}

async function userNames({ db }: Session, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('user')
    .select(['id', 'firstName', 'lastName'])
    .where('id', 'in', anyOf([...new Set(ids)]))
    .execute();
  return new Map(rows.map((user) => [user.id, personName(user)]));
}

/** Names of deleted records, from the newest of their entries that has one. */
async function goneEntities({ db }: Session, rows: readonly AuditRecord[]): Promise<Map<string, AuditEntity>> {
  const gone = new Map<string, AuditEntity>();
  for (const [entityType, own] of Map.groupBy(rows, (row) => row.entityType)) {
    const entries = await db
      .selectFrom('audit')
      .select(['entityId', 'changes', 'packedChanges'])
      .where('entityType', '=', entityType)
      .where('entityId', 'in', anyOf([...new Set(own.map(({ entityId }) => entityId))]))
      .where('erasedBy', 'is', null)
      .orderBy('sequence', 'desc')
      .execute();
    for (const { entityId, ...stored } of entries) {
      const key = entityKey({ entityType, entityId });
      const fields = parseJson<AuditRecord['changes']>(unpackChanges(stored));
      const last = (field: string) => fields[field]?.new ?? fields[field]?.old;
      const { displayName = last('displayName'), startTs = last('startTs') } = gone.get(key) ?? {};
      gone.set(key, {
        ...(isText(displayName) && { displayName }),
        ...(typeof startTs === 'number' && { startTs }),
        isGone: true,
      });
    }
  }
  return gone;
}
