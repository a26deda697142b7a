/** Statements on stored analytics: noon windows with their second columns, and the metrics of days. */
import { sql } from 'kysely';
import type { SecondColumns } from '../../../analytics/types.ts';
import type { Content } from '../../../files/content-hash.ts';
import type { ReusedBuffer } from '../../../files/reused-buffer.ts';
import { type ArrayPool, decodeArrays, describeArrays } from '../../array-codec.ts';
import type { InsertOf, RecordOf } from '../../columns.ts';
import { dayCells, type MetricNames, withNames } from '../../day-cells.ts';
import { TABLES } from '../../schema.ts';
import { inPages } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

const { analyticsDay: DAY, analyticsWindow: WINDOW, metricNames: NAMES } = TABLES;

/** A stored noon window without its columns. `date` is the local date whose sleep it holds. */
export type WindowRecord = Omit<RecordOf<typeof WINDOW>, 'columns' | 'columnsSha256' | 'columnsBytes'>;

interface WindowKey {
  subjectId: string;
  date: string;
}

/** The metrics of a day. `timezone` is the zone in force at the start of the day. */
export type DayRecord = Omit<RecordOf<typeof DAY>, 'namesId' | 'wearSeconds' | 'metrics' | 'validSeconds'> & {
  metrics: Record<string, number>;
  validSeconds: Record<string, number>;
};

/** The start, length and columns of a stored window without their values. @throws SITE_CORRUPT when the bytes are damaged */
export function describeSecondColumns(bytes: Uint8Array): {
  startMs: number;
  count: number;
  lengths: [string, number][];
} {
  const described = describeArrays(bytes) as Record<string, unknown>;
  // The sensor that sleep comes from is a word, not a column.
  const { startMs, count, fiveMinutes, epochs, rhythm, sleepSource: _source, ...columns } = described;
  const { details: _details, ...ofEpochs } = (epochs ?? {}) as Record<string, unknown>;
  const perRow = Object.entries({ ...columns, ...ofEpochs, ...(rhythm as Record<string, unknown>) });
  const lengths = [...perRow, ...perSecond(fiveMinutes, Number(count))].map(([name, column]): [string, number] => [
    name,
    (column as { length?: number } | null)?.length ?? -1,
  ]);
  return { startMs: Number(startMs), count: Number(count), lengths };
}

/** Columns of five minutes as columns of seconds: those of a window of `count` seconds are right if they have its five minutes. */
function perSecond(fiveMinutes: unknown, count: number): [string, unknown][] {
  if (fiveMinutes === undefined) return [];
  const { startMs: _startMs, ...columns } = fiveMinutes as Record<string, { length?: number } | number>;
  return Object.entries(columns).map(([name, column]) => {
    const rows = (column as { length?: number }).length ?? -1;
    // In a zone of odd seconds, as before 1972, a window may hold one start less.
    const isWhole = rows === Math.round(count / 300) || rows === Math.floor(count / 300);
    return [`fiveMinutes.${name}`, { length: isWhole ? count : rows }];
  });
}

/** @throws SITE_CORRUPT when the bytes are damaged */
export function decodeSecondColumns(bytes: Uint8Array, pool?: ArrayPool): SecondColumns {
  return decodeArrays(bytes, pool) as SecondColumns;
}

/** The first text after all hex texts with a prefix. */
const afterHex = (prefix: string) => `${prefix}g`;

/** Of which the size of all rows is estimated. */
const SAMPLE_ROWS = 200;

/** Stands for columns that are in a file. */
const NO_COLUMNS = new Uint8Array(0);

const WINDOW_CONTENT = ['subjectId', 'date', 'startTs', 'columnsSha256', 'columnsBytes'] as const;

/** A stored window and the content of its columns; null for columns that are still in the row. */
export type WindowContent = Pick<RecordOf<typeof WINDOW>, 'subjectId' | 'date' | 'startTs'> & {
  columnsSha256: string | null;
  columnsBytes: number | null;
};

export interface RunWindowContent extends WindowContent {
  runId: string;
}

/** Values of a day in the order of the names that were asked for. */
interface DayValues {
  subjectId: string;
  date: string;
  wearSeconds: number | null;
  metrics: (number | null)[];
  validSeconds: (number | null)[];
}

interface DateRange {
  fromDate?: string | undefined;
  toDate?: string | undefined;
  /** Of an analysis run instead of those in use. */
  runId?: string | undefined;
}

const OF_RUNS = {
  analyticsWindow: 'analysisRunWindow',
  analyticsDay: 'analysisRunDay',
  uncorrectedDay: 'analysisRunUncorrectedDay',
} as const;

/** The table of results in use, or that of runs under its name: both have the same columns. */
const tableOf = <T extends keyof typeof OF_RUNS>(table: T, { runId }: Pick<DateRange, 'runId'>): T =>
  (runId === undefined ? table : `${OF_RUNS[table]} as ${table}`) as T;

const ofRun = (runId: string) => sql<boolean>`runId = ${runId}`;

const UNCORRECTED_COLUMNS = [
  'subjectId',
  'date',
  'dayStartTs',
  'dayStopTs',
  'timezone',
  'dataStartTs',
  'dataStopTs',
  'metrics',
  'validSeconds',
  'inputsHash',
  'algorithmVersion',
  'computedTs',
] as const;
const DAY_COLUMNS = [...UNCORRECTED_COLUMNS, 'namesId', 'parameters', 'epochMethod'] as const;

const WINDOW_COLUMNS = [
  'subjectId',
  'date',
  'startTs',
  'stopTs',
  'timezone',
  'sleep',
  'inputsHash',
  'algorithmVersion',
  'computedTs',
  'parameters',
] as const;

export class AnalyticsQueries extends Queries {
  /** Days of a subject, ascending; dates inclusive. With `runId`, those of an analysis run. */
  async days(subjectId: string, range: DateRange = {}): Promise<DayRecord[]> {
    let query = this.session.db
      .selectFrom(tableOf('analyticsDay', range))
      .innerJoin('metricNames', 'metricNames.id', 'analyticsDay.namesId')
      .select(DAY_COLUMNS)
      .select('names')
      .where('subjectId', '=', subjectId);
    if (range.runId !== undefined) query = query.where(ofRun(range.runId));
    if (range.fromDate !== undefined) query = query.where('date', '>=', range.fromDate);
    if (range.toDate !== undefined) query = query.where('date', '<=', range.toDate);
    const rows = await query.orderBy('date').execute();
    const namesById = new Map<number, MetricNames>();
    return rows.map(({ namesId, names: json, ...row }) => {
      const names = namesById.get(namesId) ?? NAMES.toRecord({ names: json }).names;
      namesById.set(namesId, names);
      const { metrics, validSeconds, ...day } = DAY.toRecord(row);
      return {
        ...day,
        metrics: withNames(names.metrics, metrics),
        validSeconds: withNames(names.validSeconds, validSeconds),
      };
    });
  }

  /** Seconds worn per day of subjects, by subject and date; dates inclusive. */
  async wearOf(
    subjectIds: readonly string[],
    { fromDate, toDate }: { fromDate?: string | undefined; toDate?: string | undefined } = {},
  ): Promise<{ subjectId: string; date: string; wearSeconds: number }[]> {
    let query = this.session.db
      .selectFrom('analyticsDay')
      .select(['subjectId', 'date', 'wearSeconds'])
      .where('subjectId', 'in', anyOf(subjectIds));
    if (fromDate !== undefined) query = query.where('date', '>=', fromDate);
    if (toDate !== undefined) query = query.where('date', '<=', toDate);
    const rows = await query.orderBy('subjectId').orderBy('date').execute();
    return rows.flatMap(({ wearSeconds, ...day }) => (wearSeconds === null ? [] : [{ ...day, wearSeconds }]));
  }

  /**
   * Chosen values of each day of subjects, by subject and date; dates inclusive. Null where a day has none. Reads rows of days alone,
   * so its cost is that of the days that are asked for.
   */
  async valuesOf(
    subjectIds: readonly string[],
    names: { metrics?: readonly string[]; validSeconds?: readonly string[] },
    { fromDate, toDate }: Pick<DateRange, 'fromDate' | 'toDate'> = {},
  ): Promise<DayValues[]> {
    const { metrics = [], validSeconds = [] } = names;
    let query = this.session.db
      .selectFrom('analyticsDay')
      .select(['subjectId', 'date', 'wearSeconds', 'namesId'])
      .$if(metrics.length > 0, (one) => one.select('metrics'))
      .$if(validSeconds.length > 0, (one) => one.select('validSeconds'))
      .where('subjectId', 'in', anyOf(subjectIds));
    if (fromDate !== undefined) query = query.where('date', '>=', fromDate);
    if (toDate !== undefined) query = query.where('date', '<=', toDate);
    const rows = await query.orderBy('subjectId').orderBy('date').execute();
    const ids = JSON.stringify([...new Set(rows.map(({ namesId }) => namesId))]);
    const known = await this.session.db
      .selectFrom('metricNames')
      .selectAll()
      .where(sql<boolean>`id IN (SELECT value FROM json_each(${ids}))`)
      .execute();
    const placesOf = new Map(
      known.map((row) => {
        const { names: of } = NAMES.toRecord(row);
        return [
          row.id,
          {
            metrics: metrics.map((name) => of.metrics.indexOf(name)),
            validSeconds: validSeconds.map((name) => of.validSeconds.indexOf(name)),
          },
        ];
      }),
    );
    const pick = (json: string | undefined, places: readonly number[]): (number | null)[] => {
      if (json === undefined) return [];
      const values = JSON.parse(json) as (number | null)[];
      return places.map((place) => values[place] ?? null);
    };
    return rows.map((row) => {
      const places = placesOf.get(row.namesId) ?? { metrics: [], validSeconds: [] };
      return {
        subjectId: row.subjectId,
        date: row.date,
        wearSeconds: row.wearSeconds,
        metrics: pick(row.metrics, places.metrics),
        validSeconds: pick(row.validSeconds, places.validSeconds),
      };
    });
  }

  /** The first and the last day with wear of subjects that have any, up to a date. */
  async wornSpans(
    subjectIds: readonly string[],
    toDate: string | undefined,
  ): Promise<Map<string, { firstDate: string; lastDate: string }>> {
    const until = toDate ?? '9999';
    const end = (direction: 'asc' | 'desc') => sql<string | null>`(
      SELECT date FROM analyticsDay
      WHERE analyticsDay.subjectId = subject.id AND date <= ${until} AND wearSeconds > 0
      ORDER BY date ${sql.raw(direction)} LIMIT 1)`;
    const rows = await this.session.db
      .selectFrom('subject')
      .select(['id', end('asc').as('firstDate'), end('desc').as('lastDate')])
      .where('id', 'in', anyOf(subjectIds))
      .execute();
    return new Map(
      rows.flatMap(({ id, firstDate, lastDate }) =>
        firstDate === null || lastDate === null ? [] : [[id, { firstDate, lastDate }]],
      ),
    );
  }

  /** Windows that share time with [fromTs, toTs), ascending, without their columns. With `runId`, those of an analysis run. */
  async windows(
    subjectId: string,
    span: { fromTs?: number; toTs?: number; runId?: string | undefined } = {},
  ): Promise<WindowRecord[]> {
    let query = this.session.db
      .selectFrom(tableOf('analyticsWindow', span))
      .select(WINDOW_COLUMNS)
      .where('subjectId', '=', subjectId);
    if (span.runId !== undefined) query = query.where(ofRun(span.runId));
    if (span.fromTs !== undefined) query = query.where('stopTs', '>', span.fromTs);
    if (span.toTs !== undefined) query = query.where('startTs', '<', span.toTs);
    const rows = await query.orderBy('startTs').execute();
    return rows.map(WINDOW.toRecord);
  }

  /**
   * The second columns of one window, encoded as stored: a worker or process may decode them.
   * @throws SITE_CORRUPT when their file is missing or damaged
   */
  async windowBytes(subjectId: string, date: string, runId?: string): Promise<Uint8Array | undefined> {
    // In one statement: between two, the row may give up its columns to a file.
    let query = this.session.db
      .selectFrom(tableOf('analyticsWindow', { runId }))
      .select(['columnsSha256', 'columnsBytes', 'columns'])
      .where('subjectId', '=', subjectId)
      .where('date', '=', date);
    if (runId !== undefined) query = query.where(ofRun(runId));
    const row = await query.executeTakeFirst();
    if (!row) return undefined;
    const { columnsSha256: sha256, columnsBytes: sizeBytes, columns } = row;
    return sha256 !== null && sizeBytes !== null ? await this.session.columns.read({ sha256, sizeBytes }) : columns;
  }

  /** The second columns of one window; one at a time, so that memory stays flat over a long history. */
  async seconds(
    subjectId: string,
    date: string,
    { pool, runId }: { pool?: ArrayPool | undefined; runId?: string | undefined } = {},
  ): Promise<SecondColumns | undefined> {
    const bytes = await this.windowBytes(subjectId, date, runId);
    return bytes && decodeSecondColumns(bytes, pool);
  }

  /** Every column file that a row names, of results in use and of runs, once, in order of the hash, a slice at a time. */
  async columnFilesAfter(after: string, limit: number): Promise<Content[]> {
    const namedBy = (table: 'analyticsWindow' | 'analysisRunWindow') =>
      this.session.db
        .selectFrom(table as 'analyticsWindow')
        .select(['columnsSha256', 'columnsBytes'])
        .where('columnsSha256', '>', after);
    const rows = await namedBy('analyticsWindow')
      .union(namedBy('analysisRunWindow'))
      .orderBy('columnsSha256')
      .limit(limit)
      .execute();
    return rows.map(({ columnsSha256, columnsBytes }) => ({ sha256: columnsSha256!, sizeBytes: columnsBytes! }));
  }

  /** Windows in use and of runs whose column files begin with a prefix of hex digits, or with a whole hash. */
  async windowsByColumns(
    prefix: string,
  ): Promise<(WindowKey & { startTs: number; stopTs: number; sha256: string; runId?: string })[]> {
    const namedBy = (table: 'analyticsWindow' | 'analysisRunWindow') =>
      this.session.db
        .selectFrom(table as 'analyticsWindow')
        .select(['subjectId', 'date', 'startTs', 'stopTs'])
        .select((eb) => eb.ref('columnsSha256').$notNull().as('sha256'))
        .where('columnsSha256', '>=', prefix)
        .where('columnsSha256', '<', afterHex(prefix));
    const inUse = await namedBy('analyticsWindow').execute();
    const ofRuns = await namedBy('analysisRunWindow').select(sql<string>`runId`.as('runId')).execute();
    return [...inUse, ...ofRuns];
  }

  /**
   * How many rows of older versions still hold their columns, and how many bytes these are: an estimate from the first rows, since
   * reading a page of each takes minutes from a slow disk.
   */
  async columnsInRows(): Promise<{ count: number; sizeBytes: number }> {
    const { db } = this.session;
    const { count } = await db
      .selectFrom('analyticsWindow')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('columnsSha256', 'is', null)
      .executeTakeFirstOrThrow();
    const sample = await db
      .selectFrom('analyticsWindow')
      .select(sql<number>`length(columns)`.as('length'))
      .where('columnsSha256', 'is', null)
      .limit(SAMPLE_ROWS)
      .execute();
    const sampledBytes = sample.reduce((sum, { length }) => sum + length, 0);
    return { count, sizeBytes: Math.ceil((sampledBytes * count) / Math.max(1, sample.length)) };
  }

  /** Calls back with the hash of each column file that a read found missing or damaged. Returns a function that ends it. */
  onLostColumns(listener: (sha256: string) => void): () => void {
    return this.session.columns.onLost(listener);
  }

  /** Rows of older versions with their columns, in order, a slice at a time. */
  protected async rowsWithColumns(
    after: WindowKey | undefined,
    limit: number,
  ): Promise<(WindowKey & { columns: Uint8Array })[]> {
    let query = this.session.db
      .selectFrom('analyticsWindow')
      .select(['subjectId', 'date', 'columns'])
      .where('columnsSha256', 'is', null);
    if (after) query = query.where(sql<boolean>`(subjectId, date) > (${after.subjectId}, ${after.date})`);
    return await query.orderBy('subjectId').orderBy('date').limit(limit).execute();
  }

  /** Replaces the columns in a row by the name of their file. */
  protected async nameColumns({ subjectId, date }: WindowKey, { sha256, sizeBytes }: Content): Promise<void> {
    await this.session.db
      .updateTable('analyticsWindow')
      .set({ columns: NO_COLUMNS, columnsSha256: sha256, columnsBytes: sizeBytes })
      .where('subjectId', '=', subjectId)
      .where('date', '=', date)
      .where('columnsSha256', 'is', null)
      .execute();
    await this.inUse(sha256);
  }

  /** Column files that were found unused, with a prefix of two hex digits, and since when. */
  async unusedColumns(prefix: string): Promise<{ sha256: string; sinceTs: number }[]> {
    return await this.session.db
      .selectFrom('unusedColumns')
      .selectAll()
      .where('sha256', '>=', prefix)
      .where('sha256', '<', afterHex(prefix))
      .execute();
  }

  protected async noteUnused(sha256: string, sinceTs: number): Promise<void> {
    await this.session.db
      .insertInto('unusedColumns')
      .values({ sha256, sinceTs })
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ sinceTs }))
      .execute();
  }

  /** Forgets that a column file was unused. */
  protected async inUse(sha256: string): Promise<void> {
    await this.session.db.deleteFrom('unusedColumns').where('sha256', '=', sha256).execute();
  }

  /** Keys, starts and contents of every stored window in order, a slice at a time, for verification. */
  async windowKeysAfter(after: { subjectId: string; date: string } | null, limit: number): Promise<WindowContent[]> {
    const query = this.session.db.selectFrom('analyticsWindow').select(WINDOW_CONTENT);
    const keyset = { limit, ...(after && { after: [after.subjectId, after.date] }) };
    return await inPages(query, ['subjectId', 'date'], { keyset }).execute();
  }

  async windowContent(subjectId: string, date: string): Promise<WindowContent | undefined> {
    return await this.session.db
      .selectFrom('analyticsWindow')
      .select(WINDOW_CONTENT)
      .where('subjectId', '=', subjectId)
      .where('date', '=', date)
      .executeTakeFirst();
  }

  /** As {@link windowKeysAfter}, of analysis runs. */
  async runWindowsAfter(after: RunWindowContent | null, limit: number): Promise<RunWindowContent[]> {
    const query = this.session.db.selectFrom('analysisRunWindow').select(['runId', ...WINDOW_CONTENT]);
    const keyset = { limit, ...(after && { after: [after.runId, after.subjectId, after.date] }) };
    return await inPages(query, ['runId', 'subjectId', 'date'], { keyset }).execute();
  }

  async runWindowContent(runId: string, subjectId: string, date: string): Promise<WindowContent | undefined> {
    return await this.session.db
      .selectFrom('analysisRunWindow')
      .select(WINDOW_CONTENT)
      .where('runId', '=', runId)
      .where('subjectId', '=', subjectId)
      .where('date', '=', date)
      .executeTakeFirst();
  }

  /** The content of a column file, by blocking reads. @throws SITE_CORRUPT when it is missing or damaged */
  columnContent(content: Content, memory: ReusedBuffer): Uint8Array {
    return this.session.columns.readSync(content, memory);
  }

  protected async deleteDates(subjectId: string, dates: readonly string[]): Promise<void> {
    for (const name of ['analyticsWindow', 'analyticsDay', 'uncorrectedDay'] as const) {
      await this.session.db
        .deleteFrom(name)
        .where('subjectId', '=', subjectId)
        .where('date', 'in', anyOf(dates))
        .execute();
    }
  }

  /** Stores a window whose columns are in a file, which from now on is in use. Of a run, the windows of the subject were deleted before. */
  protected async putWindow(
    {
      content,
      ...window
    }: Omit<InsertOf<typeof WINDOW>, 'columns' | 'columnsSha256' | 'columnsBytes'> & {
      content: Content;
    },
    runId?: string,
  ): Promise<void> {
    const { subjectId, date, ...columns } = WINDOW.toRow({
      ...window,
      parameters: window.parameters ?? null,
      columns: NO_COLUMNS,
      columnsSha256: content.sha256,
      columnsBytes: content.sizeBytes,
    });
    await this.inUse(content.sha256);
    if (runId !== undefined) {
      const row = { runId, subjectId, date, ...columns };
      await this.session.db.insertInto('analysisRunWindow').values(row).execute();
      return;
    }
    await this.session.db
      .insertInto('analyticsWindow')
      .values({ subjectId, date, ...columns })
      .onConflict((conflict) => conflict.columns(['subjectId', 'date']).doUpdateSet(columns))
      .execute();
  }

  /** Days that corrections touch, as computed without any, ascending; dates inclusive. */
  async uncorrectedDays(subjectId: string, range: DateRange = {}): Promise<DayRecord[]> {
    const { runId, fromDate, toDate } = range;
    let query = this.session.db
      .selectFrom(tableOf('uncorrectedDay', range))
      .select(UNCORRECTED_COLUMNS)
      .where('subjectId', '=', subjectId);
    if (runId !== undefined) query = query.where(ofRun(runId));
    if (fromDate !== undefined) query = query.where('date', '>=', fromDate);
    if (toDate !== undefined) query = query.where('date', '<=', toDate);
    return (await query.orderBy('date').execute()).map(TABLES.uncorrectedDay.toRecord);
  }

  protected async deleteUncorrected(subjectId: string, dates: readonly string[]): Promise<void> {
    await this.session.db
      .deleteFrom('uncorrectedDay')
      .where('subjectId', '=', subjectId)
      .where('date', 'in', anyOf(dates))
      .execute();
  }

  /** Its method is that of the day with corrections. */
  protected async putUncorrected({ parameters: _, epochMethod: __, ...day }: DayRecord, runId?: string): Promise<void> {
    const { subjectId, date, ...columns } = TABLES.uncorrectedDay.toRow(day);
    if (runId !== undefined) {
      const row = { runId, subjectId, date, ...columns };
      await this.session.db.insertInto('analysisRunUncorrectedDay').values(row).execute();
      return;
    }
    await this.session.db
      .insertInto('uncorrectedDay')
      .values({ subjectId, date, ...columns })
      .onConflict((conflict) => conflict.columns(['subjectId', 'date']).doUpdateSet(columns))
      .execute();
  }

  protected async putDay(
    { metrics, validSeconds, parameters, epochMethod, ...day }: DayRecord,
    runId?: string,
  ): Promise<void> {
    const { names, ...cells } = dayCells(metrics, validSeconds);
    const method = DAY.toRow({ parameters: parameters ?? null, epochMethod: epochMethod ?? null });
    const { subjectId, date, ...columns } = { ...day, ...method, ...cells, namesId: await this.#namesId(names) };
    if (runId !== undefined) {
      const row = { runId, subjectId, date, ...columns };
      await this.session.db.insertInto('analysisRunDay').values(row).execute();
      return;
    }
    await this.session.db
      .insertInto('analyticsDay')
      .values({ subjectId, date, ...columns })
      .onConflict((conflict) => conflict.columns(['subjectId', 'date']).doUpdateSet(columns))
      .execute();
  }

  async #namesId(names: string): Promise<number> {
    const known = await this.session.db
      .selectFrom('metricNames')
      .select('id')
      .where('names', '=', names)
      .executeTakeFirst();
    if (known) return known.id;
    const added = await this.session.db
      .insertInto('metricNames')
      .values({ names })
      .returning('id')
      .executeTakeFirstOrThrow();
    return added.id;
  }
}
