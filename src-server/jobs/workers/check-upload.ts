/**
 * Checks a file from a device in full, corrects its clock, and builds its overview in corrected time. Damage is an outcome, not
 * an error; where the file goes is decided elsewhere.
 */
import { rm } from 'node:fs/promises';
import { OutpostError } from '../../errors.ts';
import { type Content, hashFile } from '../../files/content-hash.ts';
import {
  type ClockCorrection,
  clockPath,
  correctClock,
  mapThrough,
  OverviewBuilder,
  openSignalFile,
  overviewPath,
  type SignalFile,
  verifySignalFile,
  writeClockMap,
  writeOverview,
} from '../../signals/index.ts';
import type { SignalHeader, SyncPoint } from '../../signals/types.ts';
import type { UploadCheckOutcome, UploadCheckTask, WorkerContext } from './tasks.ts';

/** Bounds the decoded size against decompression bombs: a page of zeros packs a million samples into a few bytes. */
const MAX_DECODED_BYTES = 32 * 2 ** 30;
/** Capacity of any sensor; a file that covers more contains a wrong time. */
const MAX_SPAN_US = 92 * 86_400e6;

export async function checkUpload(task: UploadCheckTask, context: WorkerContext): Promise<UploadCheckOutcome> {
  const { path } = task;
  await rm(clockPath(path), { force: true });
  const content = await hashFile(path);
  if (content.sha256 !== task.sha256) return { kind: 'other-hash', sha256: content.sha256 };
  context.throwIfCancelled();
  let raw: RawFacts;
  try {
    const file = await openSignalFile(path);
    try {
      const problem = plausibilityProblem(file, task.recordingId);
      if (problem !== undefined) return { kind: 'damaged', message: problem };
      const { header, startUs, stopUs } = file;
      raw = { header, startUs, stopUs, samples: file.sampleCounts.reduce((sum, count) => sum + count, 0) };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (!(thrown instanceof OutpostError) || !IS_DAMAGE.has(thrown.code)) throw thrown;
    return { kind: 'damaged', message: thrown.message.replaceAll(path, 'the file') };
  }
  return await checkPages(task, content, raw, context);
}

/** Facts of the file by the sensor's clock, before any correction. */
interface RawFacts {
  header: SignalHeader;
  startUs: number;
  stopUs: number;
  samples: number;
}

const IS_DAMAGE: ReadonlySet<string> = new Set(['SIGNAL_FILE_DAMAGED', 'UNSUPPORTED_FORMAT', 'INVALID_INPUT']);

/** Returns why the file is implausible, from its index alone. */
function plausibilityProblem(file: SignalFile, recordingId: string): string | undefined {
  if (!file.complete) {
    return 'The file is unfinished: its footer is missing or damaged. Complete it as described in recording-format.md, section 7.';
  }
  if (file.header.recordingId !== recordingId) {
    return `The file contains recording ${file.header.recordingId.slice(0, 64)}, but was announced as ${recordingId}.`;
  }
  if (Number.isNaN(file.startUs)) return 'The file has a header but no samples.';
  if (file.stopUs - file.startUs > MAX_SPAN_US) return 'The file covers more than 92 days. Its times must be wrong.';
  const decodedBytes = file.pageIndex.flat().reduce((sum, { rawLength, count, channel }) => {
    const { dimensions, sampleBits } = file.header.channels[channel]!;
    return sum + rawLength + (count * dimensions.length * sampleBits) / 8;
  }, 0);
  if (decodedBytes > MAX_DECODED_BYTES) return 'The file would decompress to more data than any sensor records.';
  return undefined;
}

/** A stored recording keeps its correction: its row, labels and metrics depend on it. */
function clockOf(task: UploadCheckTask, raw: RawFacts, delivered: readonly SyncPoint[]): ClockCorrection | null {
  const { storedClock } = task;
  if (storedClock !== undefined)
    return storedClock && { ...mapThrough(storedClock.knots), leftOut: storedClock.leftOut };
  const arrival = { sensorUs: Math.round(raw.stopUs), hostUs: task.arrivedUs };
  return correctClock(delivered, { reported: task.reportedPoints, arrival });
}

/** Checks all pages and builds the overview in one pass, in corrected time if there are clock readings. */
async function checkPages(
  task: UploadCheckTask,
  content: Content,
  raw: RawFacts,
  context: WorkerContext,
): Promise<UploadCheckOutcome> {
  const { path } = task;
  const delivered = [...raw.header.syncPoints, ...task.syncPoints];
  const syncPoints = [...delivered, ...task.reportedPoints];
  const clock = clockOf(task, raw, delivered);
  if (clock) await writeClockMap(clockPath(path), clock);
  const overview = new OverviewBuilder(raw.header.channels);
  let done = 0;
  const checked = await verifySignalFile(path, content, (page) => {
    context.throwIfCancelled();
    overview.add(page);
    done += page.count;
    context.progress({ done, total: raw.samples, step: 'checking' });
  });
  const [problem] = checked.problems;
  if (problem !== undefined) return { kind: 'damaged', message: problem.replaceAll(path, 'the file') };
  await writeOverview(overviewPath(path), overview, task.sha256);
  return {
    kind: 'good',
    upload: {
      header: raw.header,
      sizeBytes: checked.sizeBytes,
      sampleCounts: checked.sampleCounts,
      startUs: checked.startUs,
      stopUs: checked.stopUs,
      sensorStartUs: raw.startUs,
      sensorStopUs: raw.stopUs,
      syncPoints,
      ...(clock && { clock }),
    },
  };
}
