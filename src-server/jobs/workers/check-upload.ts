/** Checks a file from a device in full, corrects its clock, and builds its overview in corrected time. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { OutpostError } from '../../errors.ts';
import {
  clockPath,
  correctClock,
  OverviewBuilder,
  openSignalFile,
  overviewPath,
  type SignalFile,
  verifySignalFile,
  writeClockMap,
  writeOverview,
} from '../../signals/index.ts';
import type { UploadCheckOutcome, UploadCheckTask, WorkerContext } from './tasks.ts';

/** A page of flat zeros packs a million samples into a few bytes: what it unpacks to is bounded before it is unpacked. */
const MAX_DECODED_BYTES = 32 * 2 ** 30;
/** No sensor holds more; a longer file has a wrong time in it. */
const MAX_SPAN_US = 92 * 86_400e6;

export async function checkUpload(task: UploadCheckTask, context: WorkerContext): Promise<UploadCheckOutcome> {
  const { path } = task;
  await rm(clockPath(path), { force: true });
  const sha256 = await hashOf(path);
  if (sha256 !== task.sha256) return { kind: 'other-hash', sha256 };
  context.throwIfCancelled();
  let sensorSpan: { startUs: number; stopUs: number };
  try {
    const file = await openSignalFile(path);
    try {
      const problem = plausibilityProblem(file, task.recordingId);
      if (problem !== undefined) return { kind: 'damaged', message: problem };
      sensorSpan = { startUs: file.startUs, stopUs: file.stopUs };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (!(thrown instanceof OutpostError) || !IS_DAMAGE.has(thrown.code)) throw thrown;
    return { kind: 'damaged', message: thrown.message.replaceAll(path, 'the file') };
  }
  const checked = await verifySignalFile(path);
  if (checked.problems.length > 0) {
    return { kind: 'damaged', message: checked.problems[0].replaceAll(path, 'the file') };
  }
  context.throwIfCancelled();
  return await corrected(task, sensorSpan, context);
}

const IS_DAMAGE: ReadonlySet<string> = new Set(['SIGNAL_FILE_DAMAGED', 'UNSUPPORTED_FORMAT', 'INVALID_INPUT']);

/** What the index alone shows to be impossible. */
function plausibilityProblem(file: SignalFile, recordingId: string): string | undefined {
  if (!file.complete) {
    return 'The file was not finished: its footer is missing or damaged. Complete it as recording-format.md, section 7, says.';
  }
  if (file.header.recordingId !== recordingId) {
    return `The file is of recording ${file.header.recordingId.slice(0, 64)}, but was announced as ${recordingId}.`;
  }
  if (Number.isNaN(file.startUs)) return 'The file has a header and no samples.';
  if (file.stopUs - file.startUs > MAX_SPAN_US)
    return 'The file covers more than 92 days, so its times cannot be right.';
  const decodedBytes = file.pageIndex.flat().reduce((sum, { rawLength, count, channel }) => {
    const { dimensions, sampleBits } = file.header.channels[channel];
    return sum + rawLength + (count * dimensions.length * sampleBits) / 8;
  }, 0);
  if (decodedBytes > MAX_DECODED_BYTES) return 'The file would unpack to more than any sensor records.';
  return undefined;
}

async function corrected(
  task: UploadCheckTask,
  sensor: { startUs: number; stopUs: number },
  context: WorkerContext,
): Promise<UploadCheckOutcome> {
  const { path } = task;
  const raw = await openSignalFile(path);
  const syncPoints = [...raw.header.syncPoints, ...task.syncPoints];
  await raw.close();
  const clock = correctClock(syncPoints);
  if (clock) await writeClockMap(clockPath(path), clock);
  const file = await openSignalFile(path);
  try {
    const overview = new OverviewBuilder(file.header.channels);
    let done = 0;
    const total = file.sampleCounts.reduce((sum, count) => sum + count, 0);
    for await (const page of file.stream()) {
      context.throwIfCancelled();
      overview.add(page);
      done += page.count;
      context.progress({ done, total, step: 'checking' });
    }
    await writeOverview(overviewPath(path), overview, task.sha256);
    return {
      kind: 'good',
      upload: {
        header: file.header,
        sizeBytes: file.sizeBytes,
        sampleCounts: [...file.sampleCounts],
        startUs: file.startUs,
        stopUs: file.stopUs,
        sensorStartUs: sensor.startUs,
        sensorStopUs: sensor.stopUs,
        syncPoints,
        ...(clock && { clock }),
      },
    };
  } finally {
    await file.close();
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
