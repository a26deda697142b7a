/**
 * Verifies a whole site without changing it: the database, every recording against its file (size, SHA-256, blocks, times), the
 * audit chain, signatures and corrections against the chain, stored analytics against their column files, summaries against what they summarise, and orphaned files. It uses a read-only connection, so the server may
 * be running. Content with the recorded hash is decoded only by a deep verification (decision 0019).
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import { MINUTE_MS } from '../durations.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { ORPHANED, quarantinePath } from '../files/inbox.ts';
import { openStore, type Store } from '../services/index.ts';
import { claimedRecordings, isWholeName } from './file-census.ts';
import { readSiteFile, recordingIdOfFile, sitePaths } from './site-file.ts';
import { verifyAnalytics, verifyColumnFiles } from './verify-analytics.ts';
import { verifyAudit } from './verify-audit.ts';
import { verifyCorrections } from './verify-corrections.ts';
import { verifyRecordings } from './verify-recordings.ts';
import { reportedNames, type VerifyOptions, type VerifyReport } from './verify-report.ts';
import { verifySignatures } from './verify-signatures.ts';
import { verifySummaries } from './verify-summaries.ts';

export type { VerifyOptions, VerifyReport } from './verify-report.ts';

/** A running import moves a file into place just before its row commits, so younger files are not reported as orphans. */
const SETTLED_MS = MINUTE_MS;

/**
 * Verifies the site in `dir`. Damage is reported, not thrown, unless the database cannot be opened at all (SITE_CORRUPT).
 *
 * @throws SITE_MISSING, SITE_NEWER, SITE_MIGRATION_FAILED when it has not been migrated yet, SITE_CORRUPT, CANCELLED
 */
export async function verifySite(dir: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const paths = sitePaths(dir);
  const site = await readSiteFile(dir);
  const store = openStore(paths.database, { readonly: true });
  const report: VerifyReport = {
    siteId: site.id,
    problems: [],
    checked: { recordings: 0, bytes: 0, auditRows: 0, windows: 0, unusedColumnFiles: 0, subjects: 0 },
    auditHead: { sequence: 0, hash: '' },
  };
  try {
    options.onProgress?.({ step: 'database', done: 0, total: 1 });
    for (const message of store.integrityProblems()) {
      report.problems.push({ ...diagnostic('DATABASE_DAMAGED'), step: 'database', message });
    }
    options.onProgress?.({ step: 'database', done: 1, total: 1 });
    for (const [what, verify] of [
      ['recordings', () => verifyRecordings(store, paths.signalsDir, report, options)],
      ['audit trail', () => verifyAudit(store, paths.dir, report, options)],
      ['signatures', () => verifySignatures(paths.database, report, options)],
      ['corrections', () => verifyCorrections(paths.database, report, options)],
      ['analysis results', () => verifyAnalytics(store, report, options)],
      ['column files', () => verifyColumnFiles(store, paths.columnsDir, report, options)],
      ['summaries', () => verifySummaries(paths.database, report, options)],
      ['folders', () => verifyFolders(store, paths, report, options)],
    ] as const) {
      await verify().catch((thrown: unknown) => reportUnread(thrown, what, report));
    }
    return report;
  } catch (thrown) {
    throw toOutpostError(thrown);
  } finally {
    await store.close();
  }
}

/** A page of the database that cannot be read ends one part of the check. The others still find what they can. */
function reportUnread(thrown: unknown, what: string, report: VerifyReport): void {
  const error = toOutpostError(thrown);
  if (error.code !== 'SITE_CORRUPT' && error.code !== 'DISK_FAILED') throw error;
  const message = `The check of the ${what} ended early. ${error.message}`;
  report.problems.push({ ...diagnostic('DATABASE_DAMAGED'), step: 'database', message });
}

function stopIfCancelled(options: VerifyOptions): void {
  if (options.signal?.aborted) throw new OutpostError('CANCELLED', 'The check was cancelled.');
}

async function verifyFolders(
  store: Store,
  paths: ReturnType<typeof sitePaths>,
  report: VerifyReport,
  options: VerifyOptions,
): Promise<void> {
  stopIfCancelled(options);
  const problem = (id: string, found: Diagnostic) => report.problems.push({ ...found, step: 'files', id });
  const names = (await reportedNames(paths.signalsDir, 'signals', report)) ?? [];
  // Read the rows after the names, so that a file whose row commits in between is known.
  const known = await store.recordings.fileStates();
  const claimed = await claimedRecordings(store);
  for (const name of names) {
    const id = recordingIdOfFile(name);
    if (id === undefined) {
      problem(name, diagnostic('FILE_FOREIGN', { file: name }));
      continue;
    }
    if ((known.has(id) && isWholeName(name)) || claimed.has(id)) continue;
    const facts = await stat(join(paths.signalsDir, name)).catch(() => null);
    if (!facts || Date.now() - facts.mtimeMs < SETTLED_MS) continue;
    problem(name, diagnostic('FILE_ORPHANED', { file: name }));
  }
  const orphaned = await reportedNames(join(paths.inboxDir, ORPHANED), `inbox/${ORPHANED}`, report);
  for (const name of orphaned ?? []) {
    problem(name, diagnostic(name.endsWith('.sig') ? 'FILE_SET_ASIDE' : 'INBOX_SET_ASIDE', { file: name }));
  }
  for (const { id, sizeBytes } of await store.uploads.list({ states: ['QUARANTINED'] })) {
    const found = (await stat(quarantinePath(paths.inboxDir, id)).catch(() => null))?.size;
    // A decision made in the meantime has moved the file.
    if (found === sizeBytes || (await store.uploads.get(id))?.state !== 'QUARANTINED') continue;
    const isMissing = found === undefined;
    const sizes = { foundBytes: found ?? 0, expectedBytes: sizeBytes };
    problem(
      id,
      isMissing
        ? diagnostic('UPLOAD_FILE_MISSING', { uploadId: id })
        : diagnostic('UPLOAD_FILE_SIZE', { uploadId: id, ...sizes }),
    );
  }
  const images = await reportedNames(paths.imagesDir, 'images', report);
  const pictures = new Set(images);
  for (const name of images ? await store.messages.imageFiles() : []) {
    if (!pictures.has(name)) problem(name, diagnostic('PICTURE_MISSING', { file: name }));
  }
  options.onProgress?.({ step: 'files', done: 1, total: 1 });
}
