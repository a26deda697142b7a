/** Statements on recordings: their facts, their signal files and where their data is on its way. */
import type { Selectable } from 'kysely';
import type { FileState } from '../../../study/recording.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { inPages, isAfter, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, notFound, parseJson } from '../shared.ts';
import { addToSummary, rebuildSummary } from './recording-summaries.ts';

const { recording: RECORDING, sensorSetup: SETUP } = TABLES;
const { toRecord } = RECORDING;

/** How the sensor was worn and what it measured; recordings share it. */
type SensorSetup = Omit<RecordOf<typeof SETUP>, 'setupId'>;

export interface RecordingRecord extends Omit<RecordOf<typeof RECORDING>, 'setupId'>, SensorSetup {}
export type RecordingPatch = Omit<PatchOf<typeof RECORDING>, 'setupId'>;
type RecordingInsert = Omit<InsertOf<typeof RECORDING>, 'setupId'> & SensorSetup;

/** Which recordings of a list are wanted. */
export interface RecordingFilter {
  /** Epoch microseconds, both inclusive: only what shares time with the span. */
  fromUs?: number | undefined;
  toUs?: number | undefined;
  udid?: string | undefined;
  keyset?: Keyset | undefined;
  isNewestFirst?: boolean | undefined;
}

const SHOWN = [
  'id',
  'studyId',
  'subjectId',
  'deviceConfigId',
  'createdTs',
  'recordingId',
  'startUs',
  'stopUs',
  'uploadStartTs',
  'exportSizeBytes',
  'sizeBytes',
  'firmwareId',
  'hardwareId',
  'udid',
  'equipmentId',
  'physicalConfig',
  'sensorConfig',
  'status',
] as const;

/** What lists show of a recording. Reading the rest takes longer than all of this, and a study has a hundred thousand. */
export type ShownRecording = Pick<RecordingRecord, (typeof SHOWN)[number]>;

/** When a recording of which sensor ran. */
export interface RecordingTime {
  id: string;
  subjectId: string;
  startUs: number;
  stopUs: number;
  udid: string;
  equipmentId: string | null;
}

const FILE_FACTS = ['id', 'sizeBytes', 'sha256', 'startUs', 'stopUs', 'sampleCounts', 'setupId'] as const;

/** What the file of a recording must hold. Without a setup, which only damage removes, no list shows the recording. */
export type FileFacts = Pick<RecordOf<typeof RECORDING>, (typeof FILE_FACTS)[number]>;

const IN_ORDER = ['startUs', 'id'];

/** A row beside its setup. */
type WholeRow = Selectable<Tables['recording']> & Omit<Selectable<Tables['sensorSetup']>, 'setupId'>;

export class RecordingQueries extends Queries {
  async get(id: string): Promise<RecordingRecord | undefined> {
    const row = await this.#withSetup().selectAll().where('id', '=', id).executeTakeFirst();
    return row && this.#record(row);
  }

  /** @throws NOT_FOUND, also when the recording is of another study than the one given */
  async require(id: string, studyId?: string): Promise<RecordingRecord> {
    const recording = await this.get(id);
    if (!recording || (studyId !== undefined && recording.studyId !== studyId)) throw notFound('recording');
    return recording;
  }

  /** A recording made from this content, of any subject or of one. */
  async findByContent(contentSha256: string, subjectId?: string): Promise<RecordingRecord | undefined> {
    let query = this.#withSetup().selectAll().where('contentSha256', '=', contentSha256);
    if (subjectId !== undefined) query = query.where('subjectId', '=', subjectId);
    const row = await query.orderBy('createdTs').executeTakeFirst();
    return row && this.#record(row);
  }

  /** By start, then id. */
  async listForStudy(studyId: string, filter: RecordingFilter = {}): Promise<RecordingRecord[]> {
    return await this.#list('studyId', studyId, filter);
  }

  /** By start, then id. */
  async listForSubject(subjectId: string, filter: RecordingFilter = {}): Promise<RecordingRecord[]> {
    return await this.#list('subjectId', subjectId, filter);
  }

  /** The recording that began last of a subject with a sensor: when the site got it, and where the sensor was worn. */
  async lastOfSensor(
    subjectId: string,
    equipmentId: string,
  ): Promise<{ createdTs: number; deviceConfigId: string } | undefined> {
    return await this.session.db
      .selectFrom('recording')
      .select(['createdTs', 'deviceConfigId'])
      .where('subjectId', '=', subjectId)
      .where('equipmentId', '=', equipmentId)
      .orderBy('startUs', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  /** As {@link listForStudy}, without what lists do not show. Configs may be shared by several recordings. */
  async shownOfStudy(studyId: string, filter: RecordingFilter = {}): Promise<ShownRecording[]> {
    return await this.#listShown('studyId', studyId, filter);
  }

  /** As {@link listForSubject}, without what lists do not show. Configs may be shared by several recordings. */
  async shownOfSubject(subjectId: string, filter: RecordingFilter = {}): Promise<ShownRecording[]> {
    return await this.#listShown('subjectId', subjectId, filter);
  }

  async #list(place: 'studyId' | 'subjectId', id: string, filter: RecordingFilter): Promise<RecordingRecord[]> {
    const rows = await this.#listQuery(place, id, filter).selectAll().execute();
    const setups = new Map<number | null, SensorSetup>();
    return rows.map((row) => this.#record(row, setups));
  }

  async #listShown(place: 'studyId' | 'subjectId', id: string, filter: RecordingFilter): Promise<ShownRecording[]> {
    const rows = await this.#listQuery(place, id, filter).select(SHOWN).execute();
    // A sensor is worn and configured in a few ways only, so their JSON is parsed once.
    const physicalConfigOf = memoized(parseJson<RecordingRecord['physicalConfig']>);
    const sensorConfigOf = memoized(parseJson<RecordingRecord['sensorConfig']>);
    return rows.map((row) => ({
      ...row,
      exportSizeBytes: absent(row.exportSizeBytes),
      equipmentId: absent(row.equipmentId),
      physicalConfig: physicalConfigOf(row.physicalConfig),
      sensorConfig: sensorConfigOf(row.sensorConfig),
    }));
  }

  #listQuery(place: 'studyId' | 'subjectId', id: string, filter: RecordingFilter) {
    const { fromUs, toUs, udid, keyset, isNewestFirst } = filter;
    let query = this.#withSetup().where(place, '=', id);
    if (fromUs !== undefined) query = query.where('stopUs', '>=', fromUs);
    if (toUs !== undefined) query = query.where('startUs', '<=', toUs);
    if (udid !== undefined) query = query.where('udid', '=', udid);
    return inPages(query, IN_ORDER, { keyset, isDescending: isNewestFirst });
  }

  /** Recordings, each beside its setup. */
  #withSetup() {
    return this.session.db.selectFrom('recording').innerJoin('sensorSetup', 'sensorSetup.setupId', 'recording.setupId');
  }

  /** @param setups those of the rows before, which are parsed once and shared */
  #record(row: WholeRow, setups?: Map<number | null, SensorSetup>): RecordingRecord {
    const { setupId, physicalConfig, sensorConfig, channels, ...own } = row;
    let setup = setups?.get(setupId);
    if (!setup) {
      setup = SETUP.toRecord({ physicalConfig, sensorConfig, channels });
      setups?.set(setupId, setup);
    }
    return { ...toRecord(own), ...setup };
  }

  /** When recordings of a subject ran, by start. */
  async spansOfSubject(subjectId: string): Promise<{ startUs: number; stopUs: number }[]> {
    return await this.session.db
      .selectFrom('recording')
      .select(['startUs', 'stopUs'])
      .where('subjectId', '=', subjectId)
      .orderBy('startUs')
      .execute();
  }

  /** When recordings of subjects that share time with a span ran, by start, then id. */
  async timesOf(subjectIds: readonly string[], span: { fromUs: number; toUs: number }): Promise<RecordingTime[]> {
    if (subjectIds.length === 0) return [];
    return await this.session.db
      .selectFrom('recording')
      .select(['id', 'subjectId', 'startUs', 'stopUs', 'udid', 'equipmentId'])
      .where('subjectId', 'in', anyOf(subjectIds))
      .where('stopUs', '>=', span.fromUs)
      .where('startUs', '<=', span.toUs)
      .orderBy('startUs')
      .orderBy('id')
      .execute();
  }

  /** When recordings of subjects ran that start after one, by start and id, and until an instant; by start, then id. */
  async timesAfter(
    subjectIds: readonly string[],
    last: Pick<RecordingTime, 'startUs' | 'id'>,
    toUs: number,
  ): Promise<RecordingTime[]> {
    if (subjectIds.length === 0) return [];
    return await this.session.db
      .selectFrom('recording')
      .select(['id', 'subjectId', 'startUs', 'stopUs', 'udid', 'equipmentId'])
      .where('subjectId', 'in', anyOf(subjectIds))
      .where(isAfter(IN_ORDER, [last.startUs, last.id]))
      .where('startUs', '<=', toUs)
      .orderBy('startUs')
      .orderBy('id')
      .execute();
  }

  /** Recordings of one sensor, regardless of its wearer, that overlap with the span (epoch microseconds, both inclusive). */
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
  async filesAfter(id: string, limit: number): Promise<Pick<RecordingRecord, 'id' | 'sizeBytes' | 'sha256'>[]> {
    return await this.session.db
      .selectFrom('recording')
      .select(['id', 'sizeBytes', 'sha256'])
      .where('id', '>', id)
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  /** What the file of every recording must hold, in id order, a slice at a time. */
  async fileFactsAfter(id: string, limit: number): Promise<FileFacts[]> {
    const rows = await this.session.db
      .selectFrom('recording')
      .select(FILE_FACTS)
      .where('id', '>', id)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(toRecord);
  }

  async fileFacts(id: string): Promise<FileFacts | undefined> {
    const row = await this.session.db
      .selectFrom('recording')
      .select(FILE_FACTS)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toRecord(row);
  }

  /** Recordings whose files are lost or damaged. */
  async lost(limit: number): Promise<Pick<RecordingRecord, 'id' | 'sizeBytes' | 'sha256' | 'fileState'>[]> {
    return await this.session.db
      .selectFrom('recording')
      .select(['id', 'sizeBytes', 'sha256', 'fileState'])
      .where('fileState', 'in', ['MISSING', 'DAMAGED'])
      .limit(limit)
      .execute();
  }

  /** What is known of the file of every recording, by id. */
  async fileStates(): Promise<Map<string, FileState>> {
    const rows = await this.session.db.selectFrom('recording').select(['id', 'fileState']).execute();
    return new Map(rows.map((row) => [row.id, row.fileState]));
  }

  /** Bytes of all signal files, and how many files are in which state. */
  async fileTotals(): Promise<{ sizeBytes: number; byFileState: Record<string, number> }> {
    const { db } = this.session;
    const all = await db
      .selectFrom('subjectSummary')
      .select(({ fn }) => [
        fn.sum<number | null>('countRecordings').as('count'),
        fn.sum<number | null>('sizeBytes').as('sizeBytes'),
      ])
      .executeTakeFirstOrThrow();
    const absent = await db
      .selectFrom('recording')
      .select(['fileState', ({ fn }) => fn.countAll<number>().as('count')])
      .where('fileState', 'in', ['MISSING', 'DAMAGED'])
      .groupBy('fileState')
      .execute();
    const present = (all.count ?? 0) - absent.reduce((sum, { count }) => sum + count, 0);
    return {
      sizeBytes: all.sizeBytes ?? 0,
      byFileState: {
        ...Object.fromEntries(absent.map(({ fileState, count }) => [fileState, count])),
        ...(present > 0 && { PRESENT: present }),
      },
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

  /** Size of the ZIP once it was made; a fact about it, no change of the record. */
  async setExportSize(id: string, exportSizeBytes: number): Promise<void> {
    await this.session.db.updateTable('recording').set({ exportSizeBytes }).where('id', '=', id).execute();
  }

  protected async insert({ physicalConfig, sensorConfig, channels, ...own }: RecordingInsert): Promise<void> {
    await addToSummary(this.session, { ...own, equipmentId: own.equipmentId ?? null });
    const setupId = await this.#setupId({ physicalConfig, sensorConfig, channels });
    await this.session.db
      .insertInto('recording')
      .values(RECORDING.toRow({ ...own, setupId }))
      .execute();
  }

  /** The number of a setup; it is added when no recording had it. */
  async #setupId(setup: SensorSetup): Promise<number> {
    const row = SETUP.toRow(setup);
    const known = await this.session.db
      .selectFrom('sensorSetup')
      .select('setupId')
      .where('channels', '=', row.channels)
      .where('sensorConfig', '=', row.sensorConfig)
      .where('physicalConfig', '=', row.physicalConfig)
      .executeTakeFirst();
    if (known) return known.setupId;
    const added = await this.session.db
      .insertInto('sensorSetup')
      .values(row)
      .returning('setupId')
      .executeTakeFirstOrThrow();
    return added.setupId;
  }

  protected async patch(id: string, fields: RecordingPatch): Promise<void> {
    const { subjectId } = await this.session.db
      .updateTable('recording')
      .set(RECORDING.toRow(fields))
      .where('id', '=', id)
      .returning('subjectId')
      .executeTakeFirstOrThrow();
    const isSummarised = SUMMARISED.some((name) => fields[name] !== undefined);
    if (isSummarised) await rebuildSummary(this.session, subjectId);
  }
}

/** Columns that the summaries of a subject derive from. */
const SUMMARISED = ['startUs', 'stopUs', 'uploadStartTs', 'udid', 'equipmentId', 'sizeBytes'] as const;

function memoized<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    made.set(text, value);
    return value;
  };
}
