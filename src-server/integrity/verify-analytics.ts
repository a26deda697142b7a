/**
 * The analytics part of `verify`: every window against its column file (present, SHA-256, decodable, of this window), and the
 * files of `columns` against the rows. A file that no row names is no problem: it is removed in time.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeSecondColumns } from '../db/index.ts';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import { toOutpostError } from '../errors.ts';
import { COLUMN_PREFIXES, columnOfFile, isPartialColumn } from '../files/column-files.ts';
import { stopIfCancelled } from '../files/content-hash.ts';
import type { Store } from '../services/index.ts';
import type { VerifyOptions, VerifyReport } from './verify-report.ts';

const SLICE = 200;
const FILE_SLICE = 5000;

type WindowKey = Awaited<ReturnType<Store['analytics']['windowKeysAfter']>>[number];

export async function verifyAnalytics(store: Store, report: VerifyReport, options: VerifyOptions): Promise<void> {
  const total = store.countRows().analyticsWindow ?? 0;
  let after: WindowKey | null = null;
  for (;;) {
    const keys: WindowKey[] = await store.analytics.windowKeysAfter(after, SLICE);
    for (const key of keys) {
      stopIfCancelled(options.signal);
      const detail = await windowProblem(store, key, report);
      if (detail) {
        const message = `Analytics of ${key.date}: ${detail}`;
        const found = { ...diagnostic('ANALYTICS_DAMAGED', { date: key.date }), message };
        report.problems.push({ ...found, step: 'analytics', id: key.subjectId });
      }
      report.checked.windows += 1;
      const done = report.checked.windows;
      options.onProgress?.({ step: 'analytics', done, total: Math.max(total, done) });
      after = key;
    }
    if (keys.length < SLICE) return;
  }
}

async function windowProblem(store: Store, key: WindowKey, report: VerifyReport): Promise<string | null> {
  try {
    const bytes = await store.analytics.windowBytes(key.subjectId, key.date);
    if (!bytes) return null;
    report.checked.bytes += bytes.length;
    const { startMs, count, lengths } = describeSecondColumns(bytes);
    const other = lengths.find(([, length]) => length !== count);
    if (other) return `column ${other[0]} has ${other[1]} seconds, not ${count}. Compute the day again.`;
    if (startMs !== Math.floor(key.startTs / 1000) * 1000) {
      return 'the stored seconds are those of another time. Compute the day again.';
    }
    return null;
  } catch (thrown) {
    const error = toOutpostError(thrown);
    if (error.kind === 'cancelled') throw error;
    return error.message;
  }
}

export async function verifyColumnFiles(
  store: Store,
  columnsDir: string,
  report: VerifyReport,
  options: VerifyOptions,
): Promise<void> {
  const problem = (id: string, found: Diagnostic) => report.problems.push({ ...found, step: 'files', id });
  const files: string[] = [];
  for (const name of await namesIn(columnsDir)) {
    if (!COLUMN_PREFIXES.includes(name)) {
      problem(name, diagnostic('COLUMN_FILE_FOREIGN', { file: name }));
      continue;
    }
    stopIfCancelled(options.signal);
    for (const file of await namesIn(join(columnsDir, name))) {
      const sha256 = columnOfFile(file);
      if (sha256?.startsWith(name)) files.push(sha256);
      else if (!isPartialColumn(file)) problem(file, diagnostic('COLUMN_FILE_FOREIGN', { file: `${name}/${file}` }));
    }
  }
  // Read the rows after the names, so that a file whose row commits in between is known.
  const used = new Set<string>();
  for (let after = ''; ; ) {
    const contents = await store.analytics.columnFilesAfter(after, FILE_SLICE);
    for (const { sha256 } of contents) used.add(sha256);
    if (contents.length < FILE_SLICE) break;
    after = contents.at(-1)!.sha256;
  }
  report.checked.unusedColumnFiles = files.filter((sha256) => !used.has(sha256)).length;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw thrown;
  }
}
