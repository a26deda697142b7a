/**
 * What somebody with the files of a site does to its audit trail: rewrites rows and computes the whole chain again, digests of
 * erasures included, so that the chain alone is clean.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { ErasedDigest } from '../db/erased-audit.ts';
import { unpackChanges } from '../db/packed-changes.ts';
import { AUDIT_START, type AuditContent, type AuditRow, auditRowOf } from '../db/session.ts';
import { sha256Hex } from '../files/content-hash.ts';
import { NO_ANCHOR, signAnchor } from '../integrity/anchors/anchor.ts';
import { newAnchorKey } from '../integrity/anchors/anchor-key.ts';
import { sitePaths } from '../integrity/site-file.ts';
import { canonicalJson } from '../study/changes.ts';

/** Changes the rows in place, or returns others. */
export type Rewrite = (rows: AuditRow[]) => AuditRow[] | undefined;

/** Content of a row that a rewrite wants to see or change. */
function changesOf(row: AuditRow): string {
  return unpackChanges({ changes: row.changes, packedChanges: row.packedChanges });
}

/** Opens the database past every rule of it. */
function withDatabase<T>(dir: string, work: (database: BetterSqlite3.Database) => T): T {
  const database = new BetterSqlite3(sitePaths(dir).database);
  try {
    const triggers = database
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'",
      )
      .all();
    return database.transaction(() => {
      for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
      const result = work(database);
      for (const { sql } of triggers) database.exec(sql);
      return result;
    })();
  } finally {
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
  }
}

/** Rewrites rows, numbers them again and computes every hash again. */
export function rewriteAudit(dir: string, rewrite: Rewrite): void {
  withDatabase(dir, (database) => {
    const found = database.prepare<[], AuditRow>('SELECT * FROM audit ORDER BY sequence').all();
    const before = new Map(found.map((row, index) => [row, index + 1]));
    const rows = rewrite(found) ?? found;
    const numbers = new Map(rows.flatMap((row, index) => (before.has(row) ? [[before.get(row)!, index + 1]] : [])));
    const digests = new Map<number, ErasedDigest>();
    let previousHash = AUDIT_START;
    const made = rows.map((row, index) => {
      const { hash, packedChanges, erasedBy, ...content } = row;
      const sequence = index + 1;
      if (erasedBy !== null) {
        const kept = { ...content, sequence, previousHash, hash };
        const erasure = numbers.get(erasedBy) ?? rows.length;
        digests.set(erasure, digests.get(erasure) ?? new ErasedDigest());
        digests.get(erasure)!.add(kept);
        previousHash = hash;
        return { ...kept, packedChanges: null, erasedBy: erasure };
      }
      const next: AuditContent = { ...content, sequence, previousHash, changes: changesOf(row) };
      const digest = digests.get(sequence)?.result();
      if (row.action === 'subject.erase' && digest) {
        const told = JSON.parse(next.changes) as Record<string, { new?: unknown }>;
        next.changes = canonicalJson({
          ...told,
          entries: { ...told.entries, new: digest.entries },
          entriesSha256: { ...told.entriesSha256, new: digest.entriesSha256 },
        });
      }
      const stored = auditRowOf(next);
      previousHash = stored.hash;
      return stored;
    });
    database.exec('DELETE FROM audit');
    const names = Object.keys(found[0]!);
    const insert = database.prepare(
      `INSERT INTO audit (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
    );
    for (const row of made) insert.run({ ...Object.fromEntries(names.map((name) => [name, null])), ...row });
    database.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit'").run(made.length);
  });
}

/** Makes the database forget, or remember otherwise, what it was anchored by. */
export function rewriteKnownAnchor(dir: string, known: object | null): void {
  withDatabase(dir, (database) => {
    if (known === null) database.exec("DELETE FROM setting WHERE key = 'audit.anchored'");
    else database.prepare("UPDATE setting SET value = ? WHERE key = 'audit.anchored'").run(JSON.stringify(known));
  });
}

/** Signs the whole log again with another key, over the trail as it is now, and puts that key in place. */
export async function signAgain(dir: string): Promise<void> {
  const { anchorKey, anchorLog } = sitePaths(dir);
  const hashes = withDatabase(dir, (database) => {
    const rows = database.prepare<[], AuditRow>('SELECT sequence, hash FROM audit').all();
    return new Map(rows.map(({ sequence, hash }) => [sequence, hash]));
  });
  const key = await newAnchorKey(anchorKey);
  let previous = NO_ANCHOR;
  let last = { n: 0, branch: '' };
  const lines = readFileSync(anchorLog, 'utf8').split('\n').slice(0, -1);
  const made = lines.map((line) => {
    const { v: _v, keyId: _key, signature: _signature, ...anchor } = JSON.parse(line);
    const sequence = Math.min(anchor.sequence, hashes.size);
    const signed = signAnchor(key, {
      ...anchor,
      sequence,
      hash: hashes.get(sequence) ?? AUDIT_START,
      previous,
      ...(anchor.publicKey !== undefined && { publicKey: key.publicKey }),
    });
    previous = sha256Hex(signed);
    last = { n: anchor.n, branch: anchor.branch };
    return `${signed}\n`;
  });
  writeFileSync(anchorLog, made.join(''));
  rewriteKnownAnchor(dir, { ...last, lineHash: previous, keyId: key.id });
}
