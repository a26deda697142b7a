/** Writes, rebuilds and reads the overview's sidecar file (recording-format.md, section 8). */
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { hashFile } from '../../files/content-hash.ts';
import { BLOCK_HEAD_BYTES, BLOCK_OVERVIEW, type BlockEntry } from '../codec/block.ts';
import { planContents } from '../container/contents.ts';
import { type ReadPlan, runAsync } from '../container/io.ts';
import { OVERVIEW_MAGIC } from '../container/magic.ts';
import {
  decodeColumns,
  encodeBlock,
  encodeContainerHeader,
  encodeFooter,
  isIntactPayload,
  readBlockHead,
} from '../node-codec.ts';
import { openSignalFile } from '../reader.ts';
import { LEVEL_BIN_US, OverviewBuilder } from './builder.ts';

/** Evenly spaced bins over a time range; a bin with count 0 is a gap. */
export interface OverviewBins {
  /** Start of the first bin, epoch microseconds. */
  startUs: number;
  /** Width of each bin. */
  binUs: number;
  /** Samples per bin. */
  sampleCounts: Uint32Array;
  /** Per dimension, one count per bin; 0 where the bin is empty. */
  minima: Int32Array[];
  maxima: Int32Array[];
}

/** Upper bound of bins per response. */
export const MAX_OVERVIEW_BINS = 100_000;

const headerSchema = z.object({
  version: z.literal(1),
  signalSha256: z.string(),
  channels: z.array(
    z.object({ dimensions: z.number().int().min(1).max(1024), sampleBits: z.union([z.literal(16), z.literal(32)]) }),
  ),
  binUs: z.array(z.number()).length(LEVEL_BIN_US.length),
});

/** Returns the path of a signal file's overview: `x.overview` for `x.sig`. */
export function overviewPath(signalPath: string): string {
  return `${signalPath.replace(/\.sig$/, '')}.overview`;
}

/** Writes an overview atomically. `signalSha256` ties it to its signal file. */
export async function writeOverview(path: string, builder: OverviewBuilder, signalSha256: string): Promise<void> {
  const header = encodeContainerHeader(OVERVIEW_MAGIC, {
    version: 1,
    signalSha256,
    channels: builder.channels.map(({ dimensions, sampleBits }) => ({ dimensions: dimensions.length, sampleBits })),
    binUs: LEVEL_BIN_US,
  });
  const pieces: Uint8Array[] = [header];
  const entries: BlockEntry[] = [];
  let offset = header.length;
  for (const { head, parts } of builder.finish()) {
    const block = encodeBlock({ ...head, sequence: entries.length }, parts);
    const written = readBlockHead(block, 0);
    if (written === null) throw new OutpostError('INTERNAL', 'An encoded overview block could not be read back.');
    entries.push({ ...written, offset });
    pieces.push(block);
    offset += block.length;
  }
  pieces.push(encodeFooter(entries, builder.sampleCounts, offset, entries.length));
  const temporary = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(temporary, Buffer.concat(pieces), { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw toOutpostError(error);
  }
}

/** Builds the overview beside a finished signal file, identical to one built while writing. */
export async function buildOverview(signalPath: string): Promise<void> {
  const file = await openSignalFile(signalPath);
  try {
    const builder = new OverviewBuilder(file.header.channels);
    for await (const page of file.streamInTurn()) builder.add(page);
    await writeOverview(overviewPath(signalPath), builder, (await hashFile(signalPath)).sha256);
  } finally {
    await file.close();
  }
}

/**
 * Returns bins of one channel over [fromUs, toUs], at most `maxBins` (1 to {@link MAX_OVERVIEW_BINS}) and never finer than
 * 1 s. Bins are aligned to multiples of their width since the epoch, so adjacent responses line up. A missing, damaged or stale
 * overview (not of `signalSha256`) is rebuilt from the signal file first.
 *
 * @throws INVALID_INPUT, NOT_FOUND for an unknown channel, SIGNAL_FILE_DAMAGED
 */
export async function readOverview(
  signalPath: string,
  channel: number,
  fromUs: number,
  toUs: number,
  maxBins: number,
  signalSha256?: string,
): Promise<OverviewBins> {
  if (!(fromUs <= toUs) || !Number.isSafeInteger(Math.floor(fromUs)) || !Number.isSafeInteger(Math.floor(toUs))) {
    throw new OutpostError('INVALID_INPUT', 'The range of an overview must have a start before its end.');
  }
  if (!Number.isInteger(maxBins) || maxBins < 1 || maxBins > MAX_OVERVIEW_BINS) {
    throw new OutpostError('INVALID_INPUT', `An overview has 1 to ${MAX_OVERVIEW_BINS} bins.`);
  }
  const path = overviewPath(signalPath);
  const existing = await tryRead(path, channel, fromUs, toUs, maxBins, signalSha256);
  if (existing) return existing;
  await buildOverview(signalPath);
  const rebuilt = await tryRead(path, channel, fromUs, toUs, maxBins, undefined);
  if (rebuilt) return rebuilt;
  throw new OutpostError('SIGNAL_FILE_DAMAGED', `The overview ${path} could not be read after it was rebuilt.`);
}

/** True when the overview exists, is intact, and belongs to the signal file with this SHA-256. */
export async function isCurrentOverview(path: string, signalSha256: string): Promise<boolean> {
  const bytes = await readFile(path).catch(() => null);
  if (bytes === null) return false;
  const plan = planContents(OVERVIEW_MAGIC, path, bytes.length, countChannels);
  try {
    let step = plan.next();
    while (!step.done) step = plan.next(bytes.subarray(step.value.position, step.value.position + step.value.length));
    const { header, entries, indexOffset } = step.value;
    const whole = entries.every((entry) => {
      const start = entry.offset + BLOCK_HEAD_BYTES;
      return isIntactPayload(entry, bytes.subarray(start, start + entry.payloadLength));
    });
    return indexOffset !== null && whole && headerSchema.parse(header).signalSha256 === signalSha256;
  } catch {
    return false;
  }
}

async function tryRead(
  path: string,
  channel: number,
  fromUs: number,
  toUs: number,
  maxBins: number,
  signalSha256: string | undefined,
): Promise<OverviewBins | null> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    return await runAsync(handle.fd, planBins(path, size, channel, fromUs, toUs, maxBins, signalSha256));
  } catch (error) {
    if (error instanceof OutpostError && error.code === 'SIGNAL_FILE_DAMAGED') return null;
    throw error;
  } finally {
    await handle.close();
  }
}

function countChannels(header: unknown): number {
  const parsed = headerSchema.safeParse(header);
  return parsed.success ? parsed.data.channels.length : 0;
}

function* planBins(
  path: string,
  size: number,
  channel: number,
  fromUs: number,
  toUs: number,
  maxBins: number,
  signalSha256: string | undefined,
): ReadPlan<OverviewBins | null> {
  const contents = yield* planContents(OVERVIEW_MAGIC, path, size, countChannels);
  const parsed = headerSchema.safeParse(contents.header);
  if (contents.indexOffset === null || !parsed.success) return null;
  if (signalSha256 !== undefined && parsed.data.signalSha256 !== signalSha256) return null;
  const shape = parsed.data.channels[channel];
  if (shape === undefined) throw new OutpostError('NOT_FOUND', `The recording has no channel ${channel}.`);
  const { level, factor } = chooseBins(fromUs, toUs, maxBins);
  const levelUs = LEVEL_BIN_US[level]!;
  const binUs = levelUs * factor;
  const firstBin = Math.floor(fromUs / binUs);
  const count = Math.floor(toUs / binUs) - firstBin + 1;
  const bins: OverviewBins = {
    startUs: firstBin * binUs,
    binUs,
    sampleCounts: new Uint32Array(count),
    minima: Array.from({ length: shape.dimensions }, () => new Int32Array(count)),
    maxima: Array.from({ length: shape.dimensions }, () => new Int32Array(count)),
  };
  const stopUs = bins.startUs + count * binUs;
  for (const entry of contents.entries) {
    if (entry.kind !== BLOCK_OVERVIEW || entry.channel !== channel || entry.flags !== level) continue;
    if (entry.lastUs < bins.startUs || entry.firstUs >= stopUs) continue;
    const block = yield { position: entry.offset, length: BLOCK_HEAD_BYTES + entry.payloadLength };
    const payload = block.subarray(BLOCK_HEAD_BYTES);
    const columns = isIntactPayload(entry, payload) ? decodeColumns(entry, payload, 2 + 2 * shape.dimensions) : null;
    if (columns === null) return null;
    addBlock(bins, columns, entry.startUs / levelUs, factor, firstBin);
  }
  return bins;
}

function addBlock(
  bins: OverviewBins,
  columns: ArrayLike<number>[],
  startBin: number,
  factor: number,
  firstBin: number,
): void {
  const [offsets = [], counts = [], ...extremes] = columns;
  for (let i = 0; i < offsets.length; i++) {
    const bin = Math.floor((startBin + offsets[i]!) / factor) - firstBin;
    if (bin < 0 || bin >= bins.sampleCounts.length) continue;
    const isFirst = bins.sampleCounts[bin] === 0;
    bins.sampleCounts[bin]! += counts[i]!;
    for (let d = 0; d < bins.minima.length; d++) {
      const minimum = extremes[2 * d]![i]!;
      const maximum = extremes[2 * d + 1]![i]!;
      if (isFirst || minimum < bins.minima[d]![bin]!) bins.minima[d]![bin] = minimum;
      if (isFirst || maximum > bins.maxima[d]![bin]!) bins.maxima[d]![bin] = maximum;
    }
  }
}

/** Returns the coarsest level that is fine enough, and how many of its bins make one bin of the response. */
function chooseBins(fromUs: number, toUs: number, maxBins: number): { level: number; factor: number } {
  const wantedUs = (toUs - fromUs) / maxBins;
  let level = 0;
  while (level + 1 < LEVEL_BIN_US.length && LEVEL_BIN_US[level + 1]! <= wantedUs) level += 1;
  let factor = Math.max(1, Math.ceil(wantedUs / LEVEL_BIN_US[level]!));
  const binsAt = (binUs: number): number => Math.floor(toUs / binUs) - Math.floor(fromUs / binUs) + 1;
  while (binsAt(LEVEL_BIN_US[level]! * factor) > maxBins) factor += 1;
  return { level, factor };
}
