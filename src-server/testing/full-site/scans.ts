/** Finds statements that read a whole growing table, from SQLite's own plan. */
import BetterSqlite3 from 'better-sqlite3';

/** Tables that do not grow with subjects, days, devices or use. Every other table does. */
const BOUNDED = new Set([
  'account',
  'attentionSnooze',
  'definitionVersion',
  'deviceConfig',
  'digestChoice',
  'jobCount',
  'membership',
  'question',
  'schemaVersion',
  'searchBuild',
  'setting',
  'study',
  'studyExport',
  'task',
  'user',
  'webhook',
]);

export interface Scan {
  name: string;
  steps: string[];
  sql: string;
}

/** Opens a database for plans; its statements are never run. */
function openForPlans(path: string): BetterSqlite3.Database {
  const database = new BetterSqlite3(path, { readonly: true });
  for (const name of ['fold', 'localDate']) {
    database.function(name, { deterministic: true, varargs: true }, (text: unknown) => text);
  }
  return database;
}

/** Steps of the plan that read a whole growing table, through an index or not. */
function scansOf(database: BetterSqlite3.Database, sql: string): string[] {
  const values = Array.from({ length: sql.match(/\?/g)?.length ?? 0 }, () => null);
  const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  const tableOf = (name: string) =>
    new RegExp(`(?:from|join) "?(\\w+)"? as "?${name}"?\\b`, 'i').exec(sql)?.[1] ?? name;
  const isTable = database.prepare<[string], number>("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  const isSorted = plan.some(({ detail }) => detail.includes('TEMP B-TREE'));
  // Walking an index in the requested order up to a limit reads one page, unless a condition may skip row after row.
  const isPage = /order by [\s\S]* limit (\?|\d+)$/i.test(sql) && !isSorted && !/\bwhere\b/i.test(sql);
  if (isPage) return [];
  // A page that is sorted first has read all records that it could show.
  const sorted = /\blimit (\?|\d+)$/i.test(sql) && plan.find(({ detail }) => detail === 'USE TEMP B-TREE FOR ORDER BY');
  if (sorted) return [`${sorted.detail} of a page`];
  return plan.flatMap(({ detail }) => {
    const name = /^SCAN (\w+)/.exec(detail)?.[1];
    // A virtual table is always scanned; this one reads what matches.
    if (name === undefined || /VIRTUAL TABLE INDEX \d+:.*M/.test(detail)) return [];
    const table = tableOf(name);
    return isTable.get(table) !== undefined && !BOUNDED.has(table) ? [detail] : [];
  });
}

/** @param statements name of the query by its SQL */
export function findScans(path: string, statements: ReadonlyMap<string, string>): Scan[] {
  const database = openForPlans(path);
  try {
    return [...statements].flatMap(([sql, name]) => {
      if (!/^\s*(select|with|update|delete)\b/i.test(sql)) return [];
      const steps = scansOf(database, sql);
      return steps.length > 0 ? [{ name, steps, sql: sql.slice(0, 300) }] : [];
    });
  } finally {
    database.close();
  }
}
