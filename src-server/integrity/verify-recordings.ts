/** The recordings part of `verify`: every row against its signal file and its clock map. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FileFacts } from '../db/index.ts';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import { stopIfCancelled } from '../files/content-hash.ts';
import type { Store } from '../services/index.ts';
import {
  CheckMemory,
  type ClockMap,
  checkSignalFile,
  clockPath,
  holdsClockMap,
  mapThrough,
  readClockMap,
  type SignalFileProblems,
  verifySignalFile,
} from '../signals/index.ts';
import type { SyncPoint } from '../study/recording.ts';
import { namesIn } from './file-census.ts';
import { turns } from './turns.ts';
import { countedRows, type VerifyOptions, type VerifyReport } from './verify-report.ts';

const SLICE = 200;

type Knots = SyncPoint[] | undefined;

export async function verifyRecordings(
  store: Store,
  signalsDir: string,
  report: VerifyReport,
  options: VerifyOptions,
): Promise<void> {
  const total = countedRows(store, 'recording');
  const check: FileCheck = { ...options, memory: new CheckMemory(), clockMaps: await clockMapsIn(signalsDir) };
  const turn = turns();
  let after = '';
  for (;;) {
    const slice = await store.recordings.fileFactsAfter(after, SLICE);
    const knots = await store.clocks.knotsOf(slice.map(({ id }) => id));
    for (const facts of slice) {
      await turn();
      stopIfCancelled(options.signal);
      const path = join(signalsDir, `${facts.id}.sig`);
      let { sizeBytes, problems } = await compare(facts, knots.get(facts.id), path, check);
      if (problems.length > 0) {
        // The site may be running: what was read of the row may be older than the file.
        const now = await store.recordings.fileFacts(facts.id);
        const nowKnots = (await store.clocks.knotsOf([facts.id])).get(facts.id);
        const isSameRow = isDeepStrictEqual([now, nowKnots], [facts, knots.get(facts.id)]);
        if (now && !(isSameRow && hasClockMap(path) === hasClockMap(path, check.clockMaps))) {
          ({ sizeBytes, problems } = await compare(now, nowKnots, path, { ...check, clockMaps: undefined }));
        }
      }
      for (const problem of problems) report.problems.push({ ...problem, step: 'recordings', id: facts.id });
      if (facts.setupId === undefined) {
        const message = `Recording ${facts.id} names no sensor setup, so no list shows it. Restore a backup.`;
        report.problems.push({ ...diagnostic('DATABASE_DAMAGED'), message, step: 'database', id: facts.id });
      }
      report.checked.bytes += sizeBytes;
      report.checked.recordings += 1;
      const done = report.checked.recordings;
      options.onProgress?.({ step: 'recordings', done, total: Math.max(total, done) });
      after = facts.id;
    }
    if (slice.length < SLICE) return;
  }
}

interface FileCheck extends VerifyOptions {
  memory: CheckMemory;
  /** Recordings that had a clock map when the check began; undefined asks the file system. */
  clockMaps: ReadonlySet<string> | undefined;
}

/**
 * Few recordings have one, and asking for each takes longer than one list of all names. Undefined when there is no such list, which
 * the check of files reports.
 */
async function clockMapsIn(signalsDir: string): Promise<Set<string> | undefined> {
  const names = await namesIn(signalsDir).catch(() => undefined);
  return names && new Set(names.filter((name) => name.endsWith('.clock')).map((name) => join(signalsDir, name)));
}

/** @param clockMaps where the file system need not be asked */
function hasClockMap(path: string, clockMaps?: ReadonlySet<string>): boolean {
  return clockMaps?.has(clockPath(path)) ?? existsSync(clockPath(path));
}

interface Compared {
  sizeBytes: number;
  problems: Diagnostic[];
}

async function compare(
  facts: FileFacts,
  knots: Knots,
  path: string,
  { isDeep, memory, clockMaps }: FileCheck,
): Promise<Compared> {
  const recordingId = facts.id;
  const stored = knots && mapThrough(knots);
  const isAsStored = stored ? holdsClockMap(clockPath(path), stored) : !hasClockMap(path, clockMaps);
  const map = isAsStored ? (stored ?? null) : undefined;
  const found = await readFile(facts, path, map, { isDeep, memory });
  if (!found) return { sizeBytes: 0, problems: [diagnostic('RECORDING_FILE_MISSING', { recordingId })] };
  const { sizeBytes } = found;
  const problems: Diagnostic[] = [];
  if (sizeBytes !== facts.sizeBytes) {
    const sizes = { foundBytes: sizeBytes, expectedBytes: facts.sizeBytes };
    problems.push(diagnostic('RECORDING_FILE_SIZE', { recordingId, ...sizes }));
  }
  for (const detail of found.problems) {
    const message = `Signal file of recording ${recordingId}: ${detail}`;
    problems.push({ ...diagnostic('RECORDING_FILE_DAMAGED', { recordingId }), message });
  }
  if (found.problems.length > 0) return { sizeBytes, problems };
  const clockProblem = isAsStored ? undefined : await clockMapProblem(knots, path, recordingId);
  if (clockProblem) return { sizeBytes, problems: [...problems, clockProblem] };
  // A row with other times makes the samples unreachable, although every byte is intact.
  if (found.startUs !== facts.startUs || found.stopUs !== facts.stopUs) {
    const { startUs, stopUs } = facts;
    const times = { recordingId, foundStartUs: found.startUs, foundStopUs: found.stopUs, startUs, stopUs };
    problems.push(diagnostic('RECORDING_MOVED', times));
  }
  if (String(found.sampleCounts) !== String(facts.sampleCounts)) {
    const samples = { foundSamples: String(found.sampleCounts), samples: String(facts.sampleCounts) };
    problems.push(diagnostic('RECORDING_SAMPLES', { recordingId, ...samples }));
  }
  return { sizeBytes, problems };
}

/**
 * Undefined when the file is missing.
 *
 * @param map null for a recording without one; undefined reads it
 */
async function readFile(
  facts: FileFacts,
  path: string,
  map: ClockMap | null | undefined,
  { isDeep, memory }: Pick<FileCheck, 'isDeep' | 'memory'>,
): Promise<SignalFileProblems | undefined> {
  if (isDeep) return existsSync(path) ? await verifySignalFile(path, facts.sha256) : undefined;
  try {
    return await checkSignalFile(path, facts, memory, map);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Returns the problem with a recording's clock map, the sidecar file that corrects its sample times. */
async function clockMapProblem(expected: Knots, path: string, recordingId: string): Promise<Diagnostic | undefined> {
  const found = existsSync(clockPath(path)) ? await readClockMap(path) : null;
  if (!expected) return found ? diagnostic('CLOCK_MAP_UNWANTED', { recordingId }) : undefined;
  if (!found) return diagnostic('CLOCK_MAP_MISSING', { recordingId });
  const areSame = JSON.stringify(found.knots) === JSON.stringify(expected);
  return areSame ? undefined : diagnostic('CLOCK_MAP_OTHER', { recordingId });
}
