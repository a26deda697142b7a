/**
 * The first start of a new version with a site of an old schema, until its analysed days have moved into files. Afterwards the rows
 * are the same as after an undisturbed one, and a sound copy of the old database is there as soon as anything was changed.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { databaseFileProblems } from '../../db/index.ts';
import { sitePaths } from '../../integrity/site-file.ts';
import { makeOldSite } from '../old-site.ts';
import { type Activity, DONE, runCommand, siteProblems } from './activity.ts';

const OPEN_SITE = join(import.meta.dirname, '..', 'open-site-process.ts');

/** What the program notes of its own starts and steps. */
const TIMES = new Set(['appliedTs']);
const OWN_TABLES = new Set(['setting']);

export interface MigrationTemplate {
  schema: number;
  dir: string;
  /** Of the old database, and of the new one. */
  before: string;
  after: string;
}

/** @param folder for the old site */
export async function makeMigrationTemplate(folder: string, schema: number): Promise<MigrationTemplate> {
  const dir = join(folder, `schema-${schema}`);
  await makeOldSite(dir, schema);
  const before = rowsHash(sitePaths(dir).database);
  const reference = join(folder, `schema-${schema}-reference`);
  await cp(dir, reference, { recursive: true });
  await runCommand([OPEN_SITE, reference]);
  const problems = await siteProblems(reference, 1);
  if (problems.length > 0) throw new Error(`The old site of schema ${schema}: ${problems.join(' ')}`);
  const after = rowsHash(sitePaths(reference).database);
  await rm(reference, { recursive: true });
  return { schema, dir, before, after };
}

export function migrationActivity(template: MigrationTemplate, folder: string): Activity {
  const dir = join(folder, 'site');
  const words = [OPEN_SITE, dir];
  return {
    name: `migration from ${template.schema}`,
    prepare: () => cp(template.dir, dir, { recursive: true }),
    work: (interruption) => runCommand(words, interruption),
    problems: async (acknowledged) => {
      const problems: string[] = [];
      const { schema, blobs } = await stateOf(dir);
      const isChanged = schema !== template.schema;
      const isDone = isChanged && blobs === 0;
      if (acknowledged.includes(DONE) && !isDone) problems.push('The migration is undone.');
      if (isChanged) problems.push(...(await copyProblems(dir, template)));
      await runCommand(words);
      problems.push(...(await siteProblems(dir, 1)));
      if (rowsHash(sitePaths(dir).database) !== template.after)
        problems.push('The rows differ from an undisturbed migration.');
      return problems;
    },
  };
}

/**
 * Schema, and analysed days with columns in their rows. The database is not opened in its place, which would fold its log into it.
 */
async function stateOf(dir: string): Promise<{ schema: number; blobs: number }> {
  const place = await mkdtemp(join(tmpdir(), 'outpost-schema-'));
  try {
    for (const suffix of ['', '-wal']) {
      const file = sitePaths(dir).database + suffix;
      if (existsSync(file)) await copyFile(file, join(place, `copy.db${suffix}`));
    }
    const database = new BetterSqlite3(join(place, 'copy.db'));
    try {
      const schema = Number(database.pragma('user_version', { simple: true }));
      const isAnalysed = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'analyticsWindow'").get();
      const count = 'SELECT count(*) FROM analyticsWindow WHERE length(columns) > 0';
      return { schema, blobs: isAnalysed ? Number(database.prepare(count).pluck().get()) : 0 };
    } finally {
      database.close();
    }
  } finally {
    await rm(place, { recursive: true });
  }
}

/** Of the copy that is made before anything is changed. */
async function copyProblems(dir: string, { schema, before }: MigrationTemplate): Promise<string[]> {
  const { backupsDir } = sitePaths(dir);
  const names = (await readdir(backupsDir)).filter((name) => /^before-schema-.*\.db$/.test(name));
  if (names.length === 0) return ['The database was changed, and there is no copy of the old one.'];
  const problems: string[] = [];
  for (const path of names.map((name) => join(backupsDir, name))) {
    problems.push(...databaseFileProblems(path));
    const copy = new BetterSqlite3(path, { readonly: true });
    const version = copy.pragma('user_version', { simple: true });
    copy.close();
    // A repeated migration begins at the step that the first one reached.
    if (version === schema && rowsHash(path) !== before) problems.push('The copy of the old database has other rows.');
  }
  return problems;
}

/** Of all rows of all tables, except the times of the migration itself. */
function rowsHash(path: string): string {
  const database = new BetterSqlite3(path);
  const hash = createHash('sha256');
  try {
    const tables = database
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .pluck()
      .all()
      .filter((name) => !OWN_TABLES.has(name));
    for (const table of tables) {
      const rows = database.prepare<[], Record<string, unknown>>(`SELECT * FROM "${table}"`).all();
      const texts = rows.map((row) =>
        JSON.stringify(Object.entries(row).map(([name, value]) => [name, TIMES.has(name) ? 0 : value])),
      );
      hash.update(`${table}\n${texts.sort().join('\n')}\n`);
    }
    return hash.digest('hex');
  } finally {
    database.close();
  }
}
