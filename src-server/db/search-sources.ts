/**
 * Which rows can be searched, and how each of them stands in the index. The index follows its rows by temporary triggers of the one
 * connection that writes, so it changes in the transaction of the row whatever statement changes that.
 *
 * Left out on purpose: chosen answers, reports of tasks and marks of single beats. A site has millions of them in a few distinct texts,
 * and those of tasks and questions are found in the definition of the study.
 */
import type BetterSqlite3 from 'better-sqlite3';
import { searchWords } from '../study/search-text.ts';
import { EVENT_WORDS, type SearchKind } from '../vocabulary/search.ts';
import type { TABLES } from './schema.ts';

/** Raised when words, places or sources change: every site then builds its index again. */
export const SEARCH_VERSION = 1;

export type SearchSourceName =
  | 'study'
  | 'subject'
  | 'equipment'
  | 'user'
  | 'note'
  | 'message'
  | 'dataQueryStep'
  | 'label'
  | 'answer'
  | 'task'
  | 'question'
  | 'event';

/** SQL in which `ROW` stands for the row. */
export interface SearchSource {
  name: SearchSourceName;
  kind: SearchKind;
  table: keyof typeof TABLES;
  /** Column that identifies the row. */
  key: string;
  isNumericKey?: boolean;
  /** Columns that make up the rest. */
  columns: readonly string[];
  text: string;
  /** Rows without it are not indexed. Its columns are among `columns`, or never change. */
  where?: string;
  /** Absent: it belongs to the account. */
  study?: string;
  subject?: string;
  /** What the result leads to, if not the row itself. */
  target?: string;
  title?: string;
  /** What happened, by which readers find the words of their own language. */
  action?: string;
  /** Whether the row is withdrawn; absent: it cannot be. */
  isWithdrawn?: string;
  ts: string;
}

const inList = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');
const eventText = Object.entries(EVENT_WORDS)
  .map(([action, { en, ja }]) => `WHEN '${action}' THEN '${en} / ${ja}'`)
  .join(' ');

export const SEARCH_SOURCES: readonly SearchSource[] = [
  {
    name: 'study',
    kind: 'study',
    table: 'study',
    key: 'id',
    columns: ['displayName', 'title'],
    text: "ROW.displayName || ' ' || ROW.title",
    study: 'ROW.id',
    ts: 'ROW.createdTs',
  },
  {
    name: 'subject',
    kind: 'subject',
    table: 'subject',
    key: 'id',
    columns: ['displayName'],
    text: 'ROW.displayName',
    study: 'ROW.studyId',
    subject: 'ROW.id',
    ts: 'ROW.createdTs',
  },
  {
    name: 'equipment',
    kind: 'equipment',
    table: 'equipment',
    key: 'id',
    columns: ['displayName', 'udid'],
    text: "ROW.displayName || ' ' || ROW.id || ' ' || coalesce(ROW.udid, '')",
    ts: 'ROW.createdTs',
  },
  {
    name: 'user',
    kind: 'staff',
    table: 'user',
    key: 'id',
    columns: ['firstName', 'lastName', 'email'],
    text: "ROW.firstName || ' ' || ROW.lastName || ' ' || ROW.email",
    ts: 'ROW.createdTs',
  },
  {
    name: 'note',
    kind: 'note',
    table: 'note',
    key: 'id',
    columns: ['body'],
    text: 'ROW.body',
    study: 'ROW.studyId',
    subject: 'ROW.subjectId',
    isWithdrawn: 'ROW.withdrawnTs IS NOT NULL',
    ts: 'ROW.createdTs',
  },
  {
    name: 'message',
    kind: 'message',
    table: 'message',
    key: 'id',
    columns: ['body'],
    text: 'ROW.body',
    study: 'ROW.studyId',
    subject: 'ROW.subjectId',
    ts: 'ROW.createdTs',
  },
  {
    name: 'dataQueryStep',
    kind: 'query',
    table: 'dataQueryStep',
    key: 'id',
    columns: ['text'],
    text: 'ROW.text',
    study: 'ROW.studyId',
    subject: 'ROW.subjectId',
    target: 'ROW.queryId',
    ts: 'ROW.createdTs',
  },
  {
    name: 'label',
    kind: 'label',
    table: 'annotation',
    key: 'id',
    columns: ['displayName', 'value', 'startTs', 'stopTs'],
    text: "ROW.displayName || ' ' || coalesce(ROW.value, '')",
    // An imported day of beats is 100,000 labels with a code each.
    where:
      "ROW.type IN ('recording', 'subject') AND NOT (ROW.startTs = ROW.stopTs AND length(coalesce(ROW.value, '---')) <= 2)",
    study: 'ROW.studyId',
    subject: 'ROW.subjectId',
    ts: 'ROW.startTs',
  },
  {
    name: 'answer',
    kind: 'answer',
    table: 'annotation',
    key: 'id',
    columns: ['value', 'startTs'],
    text: 'ROW.value',
    where: "ROW.type = 'question' AND ROW.questionType = 'FREETEXT' AND ROW.value IS NOT NULL",
    study: 'ROW.studyId',
    subject: 'ROW.subjectId',
    target: 'coalesce(ROW.parentId, ROW.id)',
    title: 'ROW.displayName',
    ts: 'ROW.startTs',
  },
  {
    name: 'task',
    kind: 'task',
    table: 'task',
    key: 'id',
    columns: ['displayName', 'instructions'],
    text: "ROW.displayName || ' ' || coalesce(ROW.instructions, '')",
    study: 'ROW.studyId',
    ts: 'ROW.createdTs',
  },
  {
    name: 'question',
    kind: 'task',
    table: 'question',
    key: 'id',
    columns: ['text', 'choices'],
    text: "ROW.text || coalesce(': ' || (SELECT group_concat(value, ' / ') FROM json_each(ROW.choices)), '')",
    study: '(SELECT studyId FROM task WHERE id = ROW.taskId)',
    target: 'ROW.taskId',
    title: '(SELECT displayName FROM task WHERE id = ROW.taskId)',
    ts: 'ROW.createdTs',
  },
  {
    name: 'event',
    kind: 'event',
    table: 'event',
    key: 'sequence',
    isNumericKey: true,
    columns: ['action'],
    text: `CASE ROW.action ${eventText} END`,
    where: `ROW.action IN (${inList(Object.keys(EVENT_WORDS))})`,
    study: 'ROW.studyId',
    subject: 'ROW.subjectId',
    action: 'ROW.action',
    ts: 'ROW.actualTs',
  },
];

/** Names of the tables and index, and of what SQLite keeps behind it: they hold nothing that other tables do not. */
export const isSearchTable = (name: string): boolean => /^search(?:Entry|Build|Index)/.test(name);

/** SQL of a member of a source, of the row that goes by the given name. */
export const ofRow = (text: string, row: string): string => text.replaceAll('ROW.', `${row}.`);

/** The words under which a row is found by those who may see its study, or its account. */
export const placeOfStudy = (studyId: string): string => `s_${studyId.replaceAll('-', '')}`;
export const placeOfAccount = (accountId: string): string => `a_${accountId.replaceAll('-', '')}`;
export const placeOfKind = (kind: SearchKind): string => `k_${kind}`;

/**
 * Ids rise with the time of the row, so that the newest results are read first and the rest not at all: two million places in each
 * second, up to the largest integer that JavaScript has.
 */
const PLACES_PER_SECOND = 2 ** 21;
const LAST_SECOND = 2 ** 32 - 1;

/** Both statements that add one row to the index, unless it is there. `from`: SQL of the row, `row`: its name in it. */
export function addToIndex(source: SearchSource, row: string, from: string): [entry: string, words: string] {
  const { name, kind, key, text, where = 'TRUE', study, ts } = source;
  const base = `(min(max(${ofRow(ts, row)} / 1000, 0), ${LAST_SECOND}) * ${PLACES_PER_SECOND})`;
  const id = `1 + max(${base} - 1, coalesce((SELECT max(id) FROM searchEntry WHERE id >= ${base} AND id < ${base} + ${PLACES_PER_SECOND}), 0))`;
  const place =
    study === undefined
      ? `'a_' || replace(${row}.accountId, '-', '')`
      : `'s_' || replace(${ofRow(study, row)}, '-', '')`;
  const isMeant = `(${ofRow(where, row)}) AND searchWords(${ofRow(text, row)}) <> ''`;
  return [
    `INSERT INTO searchEntry (id, source, entityId) SELECT ${id}, '${name}', CAST(${row}.${key} AS TEXT) ${from} WHERE ${isMeant}`,
    `INSERT INTO searchIndex (rowid, place, words)
     SELECT (SELECT id FROM searchEntry WHERE source = '${name}' AND entityId = CAST(${row}.${key} AS TEXT)),
       'k_${kind} ' || ${place}, searchWords(${ofRow(text, row)}) ${from} WHERE ${isMeant}`,
  ];
}

function removeFromIndex({ name, key }: SearchSource, row: string): string[] {
  const isEntry = `source = '${name}' AND entityId = CAST(${row}.${key} AS TEXT)`;
  return [
    `DELETE FROM searchIndex WHERE rowid = (SELECT id FROM searchEntry WHERE ${isEntry})`,
    `DELETE FROM searchEntry WHERE ${isEntry}`,
  ];
}

/** From now on every change of a row by this connection changes the index. For the connection that writes. */
export function keepSearchIndex(sqlite: BetterSqlite3.Database): void {
  registerSearchWords(sqlite);
  const triggers = SEARCH_SOURCES.flatMap((source) => {
    const { name, table, columns, where = 'TRUE' } = source;
    const isOther = columns.map((column) => `OLD."${column}" IS NOT NEW."${column}"`).join(' OR ');
    // A row of nothing, so that the same statement serves a trigger, which has no table to read from.
    const add = addToIndex(source, 'NEW', 'FROM (SELECT 1)');
    const remove = removeFromIndex(source, 'OLD');
    const events: readonly [event: string, when: string, statements: readonly string[]][] = [
      ['INSERT', ofRow(where, 'NEW'), add],
      [`UPDATE OF ${columns.map((column) => `"${column}"`).join(', ')}`, isOther, [...remove, ...add]],
      ['DELETE', ofRow(where, 'OLD'), remove],
    ];
    return events.map(
      ([event, when, statements]) =>
        `CREATE TEMP TRIGGER "search ${name} ${event.slice(0, 6)}" AFTER ${event} ON main."${table}"
         WHEN ${when} BEGIN ${statements.map((sql) => `${sql};`).join('\n')} END;`,
    );
  });
  sqlite.exec(`BEGIN; ${triggers.join('\n')} COMMIT;`);
}

/** Also for connections that read: they compare the index with the rows. */
export function registerSearchWords(sqlite: BetterSqlite3.Database): void {
  sqlite.function('searchWords', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? searchWords(text) : '',
  );
}
