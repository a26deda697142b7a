/** Statements on the index of the search: finding, adding rows that are older than the index, and comparing it with the rows. */
import { sql } from 'kysely';
import type { SearchedEvent, SearchKind } from '../../../vocabulary/search.ts';
import {
  addToIndex,
  ofRow,
  placeOfAccount,
  placeOfKind,
  placeOfStudy,
  SEARCH_SOURCES,
  SEARCH_VERSION,
  type SearchSource,
} from '../../search-sources.ts';
import { Queries } from '../queries.ts';

/** Something that was found. */
export interface FoundRow {
  /** Of what it leads to. */
  id: string;
  /** Of the row itself, where that is another. */
  recordId?: string;
  kind: SearchKind;
  studyId?: string;
  subjectId?: string;
  title?: string;
  /** Of an event. */
  action?: SearchedEvent;
  /** All of it. */
  text: string;
  /** Present where true. */
  isWithdrawn?: true;
  ts: number;
  /** Place in the index; newer ones are greater. */
  entry: number;
}

export interface SearchFor {
  kind: SearchKind;
  /** See `searchPhrases`; at least one. */
  phrases: readonly string[];
  /** Only what belongs to these, or to the account. */
  within: { studyIds: readonly string[] } | { accountId: string };
  limit: number;
  /** Only what is older than this entry, to continue. */
  before?: number;
}

export interface SearchProgress {
  /** Sources whose rows are all in the index, of how many. */
  done: number;
  total: number;
}

/** What differs between the index and the rows, if anything. */
export interface SearchDifference {
  source: string;
  /** Rows that the index lacks or has with other words. */
  missing: number;
  /** Entries without such a row. */
  surplus: number;
}

const BEGINNING = '';

/** Entries of one source that are read at once, and how often, until enough of them lead to different targets. */
const ENTRIES_AT_ONCE = 50;
const MOST_ROUNDS = 20;

export class SearchQueries extends Queries {
  /** Newest first. What several entries lead to is found once, by the newest of them. */
  async find({ kind, phrases, within, limit, before }: SearchFor): Promise<FoundRow[]> {
    const places =
      'accountId' in within ? [placeOfAccount(within.accountId)] : within.studyIds.map((id) => placeOfStudy(id));
    if (places.length === 0 || phrases.length === 0) return [];
    const match = `{place} : (${placeOfKind(kind)} AND (${places.join(' OR ')})) AND {words} : (${phrases.map(queryOf).join(' AND ')})`;
    const found: FoundRow[] = [];
    for (const source of SEARCH_SOURCES)
      if (source.kind === kind) found.push(...(await this.#targetsIn(source, match, limit, before)));
    const targets = new Map<string, FoundRow>();
    for (const row of found.sort((a, b) => b.entry - a.entry)) if (!targets.has(row.id)) targets.set(row.id, row);
    return [...targets.values()].slice(0, limit);
  }

  /** Pages by entry instead of grouping, which would read every match of a common word. */
  async #targetsIn(source: SearchSource, match: string, limit: number, before?: number): Promise<FoundRow[]> {
    if (source.target === undefined) return await this.#entriesIn(source, match, limit, before);
    const targets = new Map<string, FoundRow>();
    const atOnce = Math.max(limit, ENTRIES_AT_ONCE);
    let from = before;
    for (let round = 0; round < MOST_ROUNDS && targets.size < limit; round++) {
      const rows = await this.#entriesIn(source, match, atOnce, from);
      for (const row of rows) if (!targets.has(row.id)) targets.set(row.id, row);
      if (rows.length < atOnce) break;
      from = rows.at(-1)!.entry;
    }
    return [...targets.values()].slice(0, limit);
  }

  async #entriesIn(source: SearchSource, match: string, limit: number, before?: number): Promise<FoundRow[]> {
    const { name, kind, table, key, isNumericKey, text, study, subject, target, title, action, isWithdrawn, ts } =
      source;
    const column = (of: string | undefined) => sql.raw(of === undefined ? 'NULL' : ofRow(of, 'r'));
    const ofEntry = isNumericKey ? 'CAST(searchEntry.entityId AS INTEGER)' : 'searchEntry.entityId';
    const { rows } = await sql<{
      entry: number;
      id: string;
      recordId: string | null;
      studyId: string | null;
      subjectId: string | null;
      title: string | null;
      action: SearchedEvent | null;
      text: string;
      isWithdrawn: number | null;
      ts: number;
    }>`
      SELECT searchEntry.id AS entry, ${column(target ?? `CAST(ROW.${key} AS TEXT)`)} AS id,
        ${target === undefined ? sql`NULL` : sql`searchEntry.entityId`} AS recordId, ${column(study)} AS studyId,
        ${column(subject)} AS subjectId, ${column(title)} AS title,
        ${column(action)} AS action, ${column(text)} AS text,
        ${column(isWithdrawn)} AS isWithdrawn, ${column(ts)} AS ts
      FROM searchIndex
      CROSS JOIN searchEntry ON searchEntry.id = searchIndex.rowid AND searchEntry.source = ${name}
      CROSS JOIN ${sql.table(table)} AS r ON r.${sql.ref(key)} = ${sql.raw(ofEntry)}
      WHERE searchIndex MATCH ${match} ${before === undefined ? sql`` : sql`AND searchIndex.rowid < ${before}`}
      ORDER BY searchIndex.rowid DESC LIMIT ${limit}`.execute(this.session.db);
    return rows.map(({ recordId, studyId, subjectId, title: heading, action, isWithdrawn: flag, ...row }) => ({
      ...row,
      kind,
      ...(recordId !== null && { recordId }),
      ...(action !== null && { action }),
      ...(studyId !== null && { studyId }),
      ...(subjectId !== null && { subjectId }),
      ...(heading !== null && { title: heading }),
      ...(flag === 1 && { isWithdrawn: true as const }),
    }));
  }

  /** Undefined when the index holds every row. */
  async progress(): Promise<SearchProgress | undefined> {
    const done = await this.#done();
    const total = SEARCH_SOURCES.length;
    return done.size < total ? { done: done.size, total } : undefined;
  }

  async #done(): Promise<Set<string>> {
    const rows = await this.session.db
      .selectFrom('searchBuild')
      .select('source')
      .where('isDone', '=', 1)
      .where('version', '=', SEARCH_VERSION)
      .execute();
    return new Set(rows.map(({ source }) => source));
  }

  /**
   * Adds the next rows that are older than the index, in one transaction.
   * @returns false when there are none left
   */
  async buildSome(limit: number): Promise<boolean> {
    return await this.session.write(async (session) => {
      const search = new SearchQueries(session);
      const states = await session.db.selectFrom('searchBuild').selectAll().execute();
      if (states.some(({ version }) => version !== SEARCH_VERSION)) {
        await search.clear();
        return true;
      }
      const stateOf = new Map(states.map((state) => [state.source, state]));
      const source = SEARCH_SOURCES.find(({ name }) => stateOf.get(name)?.isDone !== 1);
      if (!source) return false;
      await search.#addRows(source, stateOf.get(source.name)?.lastKey ?? BEGINNING, limit);
      return true;
    });
  }

  async #addRows(source: SearchSource, after: string, limit: number): Promise<void> {
    const { db } = this.session;
    const { name, table, key, isNumericKey, where = 'TRUE' } = source;
    const last = isNumericKey ? Number(after) : after;
    // By the key alone: a condition would read far for few rows, and hold the writer meanwhile.
    const { rows } = await sql<{ key: string; isMeant: number }>`
      SELECT r.${sql.ref(key)} AS key, (${sql.raw(ofRow(where, 'r'))}) AS isMeant FROM ${sql.table(table)} AS r
      WHERE r.${sql.ref(key)} > ${last} ORDER BY r.${sql.ref(key)} LIMIT ${limit}`.execute(db);
    for (const row of rows) {
      if (row.isMeant === 1) await this.#add(source, row.key);
    }
    const isDone = rows.length < limit;
    const lastKey = String(rows.at(-1)?.key ?? after);
    const state = { version: SEARCH_VERSION, lastKey, isDone: isDone ? 1 : 0 } as const;
    await db
      .insertInto('searchBuild')
      .values({ source: name, ...state })
      .onConflict((conflict) => conflict.column('source').doUpdateSet(state))
      .execute();
  }

  async #add(source: SearchSource, key: string): Promise<void> {
    const { db } = this.session;
    const entry = await db
      .selectFrom('searchEntry')
      .select('id')
      .where('source', '=', source.name)
      .where('entityId', '=', String(key))
      .executeTakeFirst();
    // A trigger was first.
    if (entry) return;
    const from = `FROM (SELECT * FROM "${source.table}" WHERE "${source.key}" = `;
    for (const statement of addToIndex(source, 'r', `${from}?) AS r`)) {
      const [before = '', after = ''] = statement.split('?');
      await sql`${sql.raw(before)}${key}${sql.raw(after)}`.execute(db);
    }
  }

  /** Empties the index; the running site builds it again. */
  async clear(): Promise<void> {
    await this.session.write(async ({ db }) => {
      const { rows } = await sql<{ sql: string }>`
        SELECT sql FROM sqlite_schema WHERE name = 'searchIndex'`.execute(db);
      // Deleting every row would take its words out one by one.
      await sql`DROP TABLE searchIndex`.execute(db);
      await sql.raw(rows[0]!.sql).execute(db);
      await sql`INSERT INTO searchIndex (searchIndex, rank) VALUES ('secure-delete', 1)`.execute(db);
      await db.deleteFrom('searchEntry').execute();
      await db.deleteFrom('searchBuild').execute();
    });
  }

  /** Compares the index with the rows; reads all of both. Sources that are not built yet are left out. */
  async differences(): Promise<SearchDifference[]> {
    const { db } = this.session;
    const done = await this.#done();
    const wrong: SearchDifference[] = [];
    for (const { name, kind, table, key, isNumericKey, text, where = 'TRUE', study } of SEARCH_SOURCES) {
      if (!done.has(name)) continue;
      const words = `searchWords(${ofRow(text, 'r')})`;
      const place =
        study === undefined
          ? "'a_' || replace(r.accountId, '-', '')"
          : `'s_' || replace(${ofRow(study, 'r')}, '-', '')`;
      const rowKey = isNumericKey ? `CAST(r."${key}" AS TEXT)` : `r."${key}"`;
      const ofEntry = isNumericKey ? 'CAST(searchEntry.entityId AS INTEGER)' : 'searchEntry.entityId';
      const isMeant = `(${ofRow(where, 'r')}) AND ${words} <> ''`;
      const { rows } = await sql<{ missing: number; surplus: number }>`
        SELECT
          (SELECT count(*) FROM ${sql.table(table)} AS r
           LEFT JOIN searchEntry ON searchEntry.source = ${name} AND searchEntry.entityId = ${sql.raw(rowKey)}
           LEFT JOIN searchIndex ON searchIndex.rowid = searchEntry.id
           WHERE ${sql.raw(isMeant)} AND (searchIndex.words IS NOT ${sql.raw(words)}
             OR searchIndex.place IS NOT ${sql.raw(`'k_${kind} ' || ${place}`)})) AS missing,
          (SELECT count(*) FROM searchEntry WHERE source = ${name} AND NOT EXISTS (
             SELECT 1 FROM ${sql.table(table)} AS r WHERE r.${sql.ref(key)} = ${sql.raw(ofEntry)} AND ${sql.raw(isMeant)}
           )) AS surplus`.execute(db);
      const { missing, surplus } = rows[0]!;
      if (missing > 0 || surplus > 0) wrong.push({ source: name, missing, surplus });
    }
    const orphans = await this.#wordsWithoutEntry();
    if (orphans > 0) wrong.push({ source: 'index', missing: 0, surplus: orphans });
    return wrong;
  }

  async #wordsWithoutEntry(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM searchIndex
      WHERE NOT EXISTS (SELECT 1 FROM searchEntry WHERE searchEntry.id = searchIndex.rowid)`.execute(this.session.db);
    return rows[0]!.count;
  }
}

/** A phrase holds letters, digits and spaces alone, so nothing in it can be syntax. The last word is a prefix, unless it is one letter. */
function queryOf(phrase: string): string {
  const last = phrase.slice(phrase.lastIndexOf(' ') + 1);
  return `"${phrase}"${[...last].length > 1 ? ' *' : ''}`;
}
