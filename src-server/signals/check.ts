/**
 * Checks one stored signal file against what was recorded when it was accepted: the hash of all bytes, the sums of all blocks,
 * the index against the blocks. Samples are not decoded: they were when the file was accepted, and bytes with the same hash
 * decode to the same samples (decision 0019).
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { type Content, hashFile, sha256Hex } from '../files/content-hash.ts';
import { ReusedBuffer } from '../files/reused-buffer.ts';
import type { ClockMap } from './clock/clock-map.ts';
import { readClockMapSync } from './clock/sidecar.ts';
import { runAsync, runOn } from './container/io.ts';
import { SignalFile } from './reader.ts';
import { inTurn, planStructure, type SignalFileProblems, verifySignalFile } from './verify.ts';

/** Larger files are read by pieces. */
const MOST_WHOLE_BYTES = 4 << 20;

/** Memory for checks one after the other. */
export class CheckMemory {
  readonly file = new ReusedBuffer();
  readonly room = inTurn();
}

/**
 * Returns what {@link verifySignalFile} returns. A file in which anything is wrong is read once more in full, for the details.
 *
 * @param expected what is recorded of the file
 * @param clock what is known of its clock map, so that the file system need not be asked again; default: what there is
 * @throws ENOENT when the file is missing
 */
export async function checkSignalFile(
  path: string,
  expected: Content,
  memory: CheckMemory = new CheckMemory(),
  clock: ClockMap | null | undefined = undefined,
): Promise<SignalFileProblems> {
  try {
    const facts = await factsIfIntact(path, expected, memory, clock);
    if (facts) return facts;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(path)) throw thrown;
  }
  return await verifySignalFile(path, expected.sha256);
}

async function factsIfIntact(
  path: string,
  { sizeBytes, sha256 }: Content,
  memory: CheckMemory,
  clock: ClockMap | null | undefined,
): Promise<SignalFileProblems | undefined> {
  const descriptor = openSync(path, 'r');
  try {
    const { content, structure } =
      sizeBytes <= MOST_WHOLE_BYTES
        ? // One byte more, to see whether the file is longer.
          checkWhole(path, descriptor, memory.file.bytes(sizeBytes + 1))
        : {
            content: await hashFile(path),
            structure: await runAsync(descriptor, planStructure(path, sizeBytes), memory.room),
          };
    if (content.sha256 !== sha256 || content.sizeBytes !== sizeBytes || structure.problems.length > 0) return undefined;
    const map = clock === undefined ? readClockMapSync(path) : clock;
    const file = new SignalFile(path, descriptor, sizeBytes, structure.contents, map);
    if (file.problems.length > 0) return undefined;
    const { sampleCounts, startUs, stopUs } = file;
    const isEmpty = Number.isNaN(startUs);
    return {
      ...content,
      sampleCounts: [...sampleCounts],
      startUs: isEmpty ? Infinity : startUs,
      stopUs: isEmpty ? -Infinity : stopUs,
      problems: [],
    };
  } finally {
    closeSync(descriptor);
  }
}

function checkWhole(path: string, descriptor: number, buffer: Buffer) {
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, length);
    if (count === 0) break;
    length += count;
  }
  const bytes = buffer.subarray(0, length);
  return {
    content: { sizeBytes: length, sha256: sha256Hex(bytes) },
    structure: runOn(bytes, planStructure(path, length)),
  };
}
