/**
 * Checks one stored signal file against what was recorded when it was accepted: the hash of all bytes, the sums of all blocks,
 * the index against the blocks. Samples are not decoded: they were when the file was accepted, and bytes with the same hash
 * decode to the same samples (decision 0019).
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hashFile, sha256Hex } from '../files/content-hash.ts';
import { ReusedBuffer } from '../files/reused-buffer.ts';
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
 * @param sha256 the hash recorded for the file
 */
export async function checkSignalFile(
  path: string,
  sha256: string,
  memory: CheckMemory = new CheckMemory(),
): Promise<SignalFileProblems> {
  return (await factsIfIntact(path, sha256, memory).catch(() => undefined)) ?? (await verifySignalFile(path, sha256));
}

async function factsIfIntact(
  path: string,
  sha256: string,
  memory: CheckMemory,
): Promise<SignalFileProblems | undefined> {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const { content, structure } =
      size <= MOST_WHOLE_BYTES
        ? checkWhole(path, descriptor, memory.file.bytes(size))
        : {
            content: await hashFile(path),
            structure: await runAsync(descriptor, planStructure(path, size), memory.room),
          };
    if (content.sha256 !== sha256 || content.sizeBytes !== size || structure.problems.length > 0) return undefined;
    const file = new SignalFile(path, descriptor, size, structure.contents, readClockMapSync(path));
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
