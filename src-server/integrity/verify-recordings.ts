/** The recordings part of `verify`: every row against its signal file and its clock map. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { FileFacts } from '../db/index.ts';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import { stopIfCancelled } from '../files/content-hash.ts';
import type { Store } from '../services/index.ts';
import { CheckMemory, checkSignalFile, clockPath, readClockMap, verifySignalFile } from '../signals/index.ts';
import type { SyncPoint } from '../study/recording.ts';
import type { VerifyOptions, VerifyReport } from './verify-report.ts';

const SLICE = 200;
/** A cancellation is a message, which only an idle event loop receives. */
const MOST_BLOCKED_MS = 50;

type Knots = SyncPoint[] | undefined;

export async function verifyRecordings(
  store: Store,
  signalsDir: string,
  report: VerifyReport,
  options: VerifyOptions,
): Promise<void> {
  const total = store.countRows().recording ?? 0;
  const memory = new CheckMemory();
  let blockedSince = performance.now();
  let after = '';
  for (;;) {
    const slice = await store.recordings.fileFactsAfter(after, SLICE);
    const knots = await store.clocks.knotsOf(slice.map(({ id }) => id));
    for (const facts of slice) {
      if (performance.now() - blockedSince > MOST_BLOCKED_MS) {
        await turn();
        blockedSince = performance.now();
      }
      stopIfCancelled(options.signal);
      const path = join(signalsDir, `${facts.id}.sig`);
      let { sizeBytes, problems } = await compare(facts, knots.get(facts.id), path, options, memory);
      if (problems.length > 0) {
        // The site may be running: what was read of the row may be older than the file.
        const now = await store.recordings.fileFacts(facts.id);
        if (now && !isSame(now, facts)) {
          const nowKnots = (await store.clocks.knotsOf([facts.id])).get(facts.id);
          ({ sizeBytes, problems } = await compare(now, nowKnots, path, options, memory));
        }
      }
      for (const problem of problems) report.problems.push({ ...problem, step: 'recordings', id: facts.id });
      report.checked.bytes += sizeBytes;
      report.checked.recordings += 1;
      const done = report.checked.recordings;
      options.onProgress?.({ step: 'recordings', done, total: Math.max(total, done) });
      after = facts.id;
    }
    if (slice.length < SLICE) return;
  }
}

const isSame = (a: FileFacts, b: FileFacts): boolean => JSON.stringify(a) === JSON.stringify(b);

interface Compared {
  sizeBytes: number;
  problems: Diagnostic[];
}

async function compare(
  facts: FileFacts,
  knots: Knots,
  path: string,
  { isDeep }: VerifyOptions,
  memory: CheckMemory,
): Promise<Compared> {
  const recordingId = facts.id;
  if (!existsSync(path)) return { sizeBytes: 0, problems: [diagnostic('RECORDING_FILE_MISSING', { recordingId })] };
  const found = isDeep ? await verifySignalFile(path, facts.sha256) : await checkSignalFile(path, facts.sha256, memory);
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
  const clockProblem = await clockMapProblem(knots, path, recordingId);
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

/** Returns the problem with a recording's clock map, the sidecar file that corrects its sample times. */
async function clockMapProblem(expected: Knots, path: string, recordingId: string): Promise<Diagnostic | undefined> {
  const found = existsSync(clockPath(path)) ? await readClockMap(path) : null;
  if (!expected) return found ? diagnostic('CLOCK_MAP_UNWANTED', { recordingId }) : undefined;
  if (!found) return diagnostic('CLOCK_MAP_MISSING', { recordingId });
  const areSame = JSON.stringify(found.knots) === JSON.stringify(expected);
  return areSame ? undefined : diagnostic('CLOCK_MAP_OTHER', { recordingId });
}
