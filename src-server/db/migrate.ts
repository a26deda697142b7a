/** Migrates a database to this program's schema: a verified backup first, then each step in its own transaction. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { OutpostError } from '../errors.ts';
import { sha256Hex } from '../files/content-hash.ts';
import { syncDirectoryNow } from '../files/durable-files.ts';
import { databaseError } from './errors.ts';
import { registerFunctions } from './functions.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';

interface AppliedRow {
  version: number;
  name: string;
  contentHash: string;
}

/** SQLite application id ("OuTp"), which tells a site from another program's database. */
export const APPLICATION_ID = 0x4f755470;

export function latestSchemaVersion(migrations: readonly Migration[] = MIGRATIONS): number {
  return migrations.at(-1)?.version ?? 0;
}

export function contentHashOf(migration: Migration): string {
  return sha256Hex(`${migration.version}\n${migration.name}\n${migration.sql}`);
}

export function appliedMigrations(database: BetterSqlite3.Database): AppliedRow[] {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schemaMigration'").get();
  if (!known) return [];
  return database
    .prepare<[], AppliedRow>('SELECT version, name, contentHash FROM schemaMigration ORDER BY version')
    .all();
}

/**
 * Compares the applied migrations with those of this program.
 * @returns the pending ones
 * @throws SITE_NEWER when a newer program has migrated the database
 * @throws SITE_MIGRATION_FAILED when the text of an applied migration differs
 */
export function pendingMigrations(
  database: BetterSqlite3.Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Migration[] {
  const applied = appliedMigrations(database);
  const newest = applied.at(-1)?.version ?? 0;
  const latest = latestSchemaVersion(migrations);
  if (newest > latest) {
    throw new OutpostError(
      'SITE_NEWER',
      `This site was last used by a newer Outpost (its schema is ${newest}, this program knows up to ${latest}). Install that version or a later one, then open the site again.`,
      { details: { schemaVersion: newest, knownVersion: latest } },
    );
  }
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = known.get(row.version);
    if (!migration || contentHashOf(migration) !== row.contentHash) {
      throw new OutpostError(
        'SITE_MIGRATION_FAILED',
        `Step ${row.version} (${row.name}) of this site's schema differs from the one in this program. The site was made by another build: open it with that build, or restore a backup.`,
        { details: { schemaVersion: row.version } },
      );
    }
  }
  const done = new Set(applied.map((row) => row.version));
  return migrations.filter((migration) => !done.has(migration.version));
}

/**
 * Writes a copy of the database atomically and durably: temporary name, integrity check, fsync, rename, fsync of the folder.
 * @throws when the copy fails or its check finds damage; no file remains then
 */
export function writeVerifiedCopy(database: BetterSqlite3.Database, path: string): void {
  const partial = `${path}.partial`;
  rmSync(partial, { force: true });
  try {
    database.prepare('VACUUM INTO ?').run(partial);
    const copy = new BetterSqlite3(partial, { readonly: true });
    try {
      const verdict = copy.pragma('integrity_check', { simple: true });
      if (verdict !== 'ok') throw new Error(`The copy failed its check: ${String(verdict)}`);
    } finally {
      copy.close();
    }
    const file = openSync(partial, 'r+');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(partial, path);
    syncDirectoryNow(dirname(path));
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw databaseError(thrown);
  }
}

/** Fails before a copy of many minutes, and before it fills the disk. @throws DISK_FULL, with the figures */
function requireRoomForCopy(database: BetterSqlite3.Database, folder: string): void {
  const pragma = (name: string) => Number(database.pragma(name, { simple: true }));
  const neededBytes = (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  const { bavail, bsize } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new OutpostError(
    'DISK_FULL',
    `The database of this site is copied before this version changes it. That needs ${megabytes(neededBytes)}, and the disk has ${megabytes(freeBytes)} free. Free some space, then open the site again. Nothing was changed.`,
    { details: { neededBytes, freeBytes } },
  );
}

/**
 * Applies the pending migrations. A new, empty database is not backed up.
 * @param options `backupsDir` receives a copy before an existing database is changed
 * @throws SITE_NEWER, SITE_MIGRATION_FAILED (the failing step and every later one are not applied), DISK_FULL
 */
export function migrate(
  database: BetterSqlite3.Database,
  options: { backupsDir: string; nowTs: number; migrations?: readonly Migration[] },
): void {
  const migrations = options.migrations ?? MIGRATIONS;
  const pending = pendingMigrations(database, migrations);
  if (pending.length === 0) return;
  registerFunctions(database);
  const from = appliedMigrations(database).at(-1)?.version ?? 0;
  if (from > 0) {
    // Before the first step commits, the copy has to be on the disk, with the folder that it is in.
    if (mkdirSync(options.backupsDir, { recursive: true }) !== undefined) syncDirectoryNow(dirname(options.backupsDir));
    requireRoomForCopy(database, options.backupsDir);
    const stamp = new Date(options.nowTs).toISOString().replaceAll(/[:.]/g, '-');
    writeVerifiedCopy(database, join(options.backupsDir, `before-schema-${pending.at(-1)?.version}-${stamp}.db`));
  }
  for (const migration of pending) applyOne(database, migration, options.nowTs);
}

function applyOne(database: BetterSqlite3.Database, migration: Migration, nowTs: number): void {
  const step = database.transaction(() => {
    database.exec(
      `CREATE TABLE IF NOT EXISTS schemaMigration (
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, contentHash TEXT NOT NULL, appliedTs INTEGER NOT NULL
      ) STRICT`,
    );
    database.exec(migration.sql);
    const broken = database.pragma('foreign_key_check') as unknown[];
    if (broken.length > 0) throw new Error(`${broken.length} rows refer to missing rows.`);
    database
      .prepare('INSERT INTO schemaMigration (version, name, contentHash, appliedTs) VALUES (?, ?, ?, ?)')
      .run(migration.version, migration.name, contentHashOf(migration), nowTs);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${migration.version}`);
  });
  try {
    step.immediate();
  } catch (thrown) {
    const mapped = databaseError(thrown);
    if (mapped instanceof OutpostError && mapped.code !== 'CONFLICT') throw mapped;
    throw new OutpostError(
      'SITE_MIGRATION_FAILED',
      `The site's database could not be brought to schema ${migration.version} (${migration.name}): ${String((thrown as Error).message)} Nothing of this step was kept; a backup from before it is in the backups folder. Report this with the log.`,
      { details: { schemaVersion: migration.version }, cause: thrown },
    );
  }
}
