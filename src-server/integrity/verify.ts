/**
 * Checks a whole site and changes nothing: the database, every recording against its file (size, SHA-256, pages), the
 * audit chain, stored analytics, and files that belong to nothing. Works beside a running server, on a read-only connection.
 */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeSecondColumns, openDatabase, type Store } from '../db/index.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { quarantinePath } from '../inbox.ts';
import { readClockMap, verifySignalFile } from '../signals/index.ts';
import { ORPHANED, readSiteFile, recordingIdOfFile, sitePaths } from './site-file.ts';

export type VerifyStep = 'database' | 'recordings' | 'audit' | 'analytics' | 'files';

export interface VerifyProblem {
  step: VerifyStep;
  /** The recording, subject or file that it is about. */
  id?: string;
  /** What is wrong and, where something can be done, what. */
  message: string;
}

export interface VerifyReport {
  siteId: string;
  problems: VerifyProblem[];
  checked: { recordings: number; bytes: number; auditRows: number; windows: number };
  /** Newest audit row: kept elsewhere, it proves later that nothing before it changed. */
  auditHead: { sequence: number; hash: string };
}

export interface VerifyOptions {
  onProgress?: (progress: { step: VerifyStep; done: number; total: number }) => void;
  signal?: AbortSignal;
  /** An audit row kept elsewhere, to compare the chain with. */
  auditSince?: { sequence: number; hash: string };
}

const SLICE = 200;
/** A running import moves a file to its place just before its row commits; younger files are not called orphans. */
const SETTLED_MS = 60_000;

/**
 * @throws SITE_MISSING, SITE_NEWER, SITE_MIGRATION_FAILED (not yet brought up to date), CANCELLED; damage is reported, not
 *   thrown, unless the database cannot be opened at all (SITE_CORRUPT)
 */
export async function verifySite(dir: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const paths = sitePaths(dir);
  const site = await readSiteFile(dir);
  const store = openDatabase(paths.database, { readonly: true });
  const report: VerifyReport = {
    siteId: site.id,
    problems: [],
    checked: { recordings: 0, bytes: 0, auditRows: 0, windows: 0 },
    auditHead: { sequence: 0, hash: '' },
  };
  try {
    options.onProgress?.({ step: 'database', done: 0, total: 1 });
    for (const message of store.integrityProblems()) report.problems.push({ step: 'database', message });
    options.onProgress?.({ step: 'database', done: 1, total: 1 });
    await verifyRecordings(store, paths.signalsDir, report, options);
    await verifyAudit(store, report, options);
    await verifyAnalytics(store, report, options);
    await verifyFolders(store, paths, report, options);
    return report;
  } catch (thrown) {
    throw toOutpostError(thrown);
  } finally {
    await store.close();
  }
}

function stopIfCancelled(options: VerifyOptions): void {
  if (options.signal?.aborted) throw new OutpostError('CANCELLED', 'The check was cancelled.');
}

async function verifyRecordings(
  store: Store,
  signalsDir: string,
  report: VerifyReport,
  options: VerifyOptions,
): Promise<void> {
  const total = (await store.recordings.fileStates()).size;
  let after = '';
  for (;;) {
    const rows = await store.recordings.filesAfter(after, SLICE);
    for (const row of rows) {
      stopIfCancelled(options);
      const problem = (message: string) => report.problems.push({ step: 'recordings', id: row.id, message });
      const path = join(signalsDir, `${row.id}.sig`);
      if (!existsSync(path)) {
        problem(
          `The signal file of recording ${row.id} is missing. Put it back from a backup, or import the recording again.`,
        );
      } else {
        const found = await verifySignalFile(path, row.sha256);
        if (found.sizeBytes !== row.sizeBytes) {
          problem(`The signal file of recording ${row.id} has ${found.sizeBytes} bytes, not ${row.sizeBytes}.`);
        }
        for (const message of found.problems) problem(`Signal file of recording ${row.id}: ${message}`);
        const facts = await store.recordings.require(row.id);
        const clockProblem = found.problems.length === 0 ? await clockMapProblem(store, path, row.id) : undefined;
        if (clockProblem) problem(clockProblem);
        const isWhole = found.problems.length === 0 && !clockProblem;
        // A row that places the samples elsewhere makes them unreachable, though every byte is right.
        if (isWhole && (found.startUs !== facts.startUs || found.stopUs !== facts.stopUs)) {
          problem(
            `The file of recording ${row.id} begins at ${found.startUs} us and ends at ${found.stopUs} us, its row says ${facts.startUs} and ${facts.stopUs}. Import it again with the start it had.`,
          );
        }
        if (isWhole && String(found.sampleCounts) !== String(facts.sampleCounts)) {
          problem(
            `Recording ${row.id} holds ${String(found.sampleCounts)} samples, its row says ${String(facts.sampleCounts)}.`,
          );
        }
        report.checked.bytes += found.sizeBytes;
      }
      report.checked.recordings += 1;
      options.onProgress?.({
        step: 'recordings',
        done: report.checked.recordings,
        total: Math.max(total, report.checked.recordings),
      });
      after = row.id;
    }
    if (rows.length < SLICE) return;
  }
}

/** What is wrong with the file beside a recording that places its samples in time. */
async function clockMapProblem(store: Store, path: string, id: string): Promise<string | undefined> {
  const expected = await store.clocks.correctionOf(id);
  const found = await readClockMap(path);
  if (!expected) {
    return found ? `A clock map lies beside recording ${id}, whose clock was never corrected. Remove it.` : undefined;
  }
  const advice = 'Put it back from a backup; until then the times of the recording are wrong.';
  if (!found) return `The clock map of recording ${id} is missing. ${advice}`;
  const isSame = JSON.stringify(found.knots) === JSON.stringify(expected.knots);
  return isSame ? undefined : `The clock map of recording ${id} is not the one that its row was made with. ${advice}`;
}

async function verifyAudit(store: Store, report: VerifyReport, options: VerifyOptions): Promise<void> {
  stopIfCancelled(options);
  report.auditHead = await store.audit.head();
  const problems = await store.audit.verify({
    since: options.auditSince,
    onRow: (sequence) => {
      report.checked.auditRows = sequence;
      options.onProgress?.({ step: 'audit', done: sequence, total: Math.max(report.auditHead.sequence, sequence) });
    },
  });
  for (const { sequence, message } of problems) report.problems.push({ step: 'audit', id: String(sequence), message });
}

async function verifyAnalytics(store: Store, report: VerifyReport, options: VerifyOptions): Promise<void> {
  let after: { subjectId: string; date: string } | null = null;
  for (;;) {
    const keys: { subjectId: string; date: string }[] = await store.analytics.windowKeysAfter(after, SLICE);
    for (const key of keys) {
      stopIfCancelled(options);
      const message = await windowProblem(store, key);
      if (message)
        report.problems.push({ step: 'analytics', id: key.subjectId, message: `Analytics of ${key.date}: ${message}` });
      report.checked.windows += 1;
      options.onProgress?.({ step: 'analytics', done: report.checked.windows, total: report.checked.windows });
      after = key;
    }
    if (keys.length < SLICE) return;
  }
}

async function windowProblem(store: Store, key: { subjectId: string; date: string }): Promise<string | null> {
  const bytes = await store.analytics.windowBytes(key.subjectId, key.date);
  if (!bytes) return null;
  try {
    const seconds = decodeSecondColumns(bytes);
    for (const [name, column] of Object.entries(seconds)) {
      if (ArrayBuffer.isView(column) && (column as Uint8Array).length !== seconds.count) {
        return `column ${name} has ${(column as Uint8Array).length} seconds, not ${seconds.count}. Compute the day again.`;
      }
    }
    return null;
  } catch (thrown) {
    return toOutpostError(thrown).message;
  }
}

async function verifyFolders(
  store: Store,
  paths: ReturnType<typeof sitePaths>,
  report: VerifyReport,
  options: VerifyOptions,
): Promise<void> {
  stopIfCancelled(options);
  const problem = (id: string, message: string) => report.problems.push({ step: 'files', id, message });
  const names = await listed(paths.signalsDir);
  // Rows come after the names: a file whose row commits in between is then known.
  const known = await store.recordings.fileStates();
  const claimed = new Set(
    (await store.jobs.unfinished()).flatMap((job) => (job.checkpoint?.recordingIds as string[] | undefined) ?? []),
  );
  for (const upload of await store.uploads.list({ states: ['RECEIVED'] })) claimed.add(upload.recordingId);
  for (const name of names) {
    const id = recordingIdOfFile(name);
    if (id === undefined) {
      problem(name, `${name} in signals is not Outpost's and stays untouched. Move it elsewhere.`);
      continue;
    }
    if ((known.has(id) && /\.(sig|overview|clock)$/.test(name)) || claimed.has(id)) continue;
    const facts = await stat(join(paths.signalsDir, name)).catch(() => null);
    if (!facts || Date.now() - facts.mtimeMs < SETTLED_MS) continue;
    problem(name, `The file ${name} in signals belongs to no recording. The next start of the site puts it aside.`);
  }
  for (const name of await listed(join(paths.inboxDir, ORPHANED))) {
    problem(name, `The signal file ${name} was put aside as it belongs to no recording. Import it, or delete it.`);
  }
  for (const { id, sizeBytes } of await store.uploads.list({ states: ['QUARANTINED'] })) {
    const found = (await stat(quarantinePath(paths.inboxDir, id)).catch(() => null))?.size;
    // A decision that was made meanwhile has moved it.
    if (found === sizeBytes || (await store.uploads.get(id))?.state !== 'QUARANTINED') continue;
    const what = found === undefined ? 'is missing' : `has ${found} bytes, not ${sizeBytes}`;
    problem(id, `The file of upload ${id}, which waits for a decision, ${what}. Put it back from a backup.`);
  }
  const pictures = new Set(await listed(paths.imagesDir));
  for (const name of await store.messages.imageFiles()) {
    if (!pictures.has(name)) problem(name, `The picture ${name} of a message is missing. Put it back from a backup.`);
  }
  options.onProgress?.({ step: 'files', done: 1, total: 1 });
}

async function listed(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}
