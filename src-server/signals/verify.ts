/** Verifies one signal file in full: checksums, pages, times, the index against the blocks, and the hash of the whole file. */
import { open } from 'node:fs/promises';
import { OutpostError, toOutpostError } from '../errors.ts';
import { type Content, hashFile } from '../files/content-hash.ts';
import { ReusedBuffer } from '../files/reused-buffer.ts';
import { BLOCK_PAGE, type BlockEntry } from './codec/block.ts';
import { type Contents, planScan } from './container/contents.ts';
import { type ReadPlan, runAsync } from './container/io.ts';
import { openSignalFile, planSignalContents } from './reader.ts';
import type { SignalPage } from './types.ts';

export interface SignalFileProblems {
  /** SHA-256 of the file's bytes, in hex; empty when it cannot be read. */
  sha256: string;
  sizeBytes: number;
  sampleCounts: number[];
  /** Epoch microseconds of the first sample over all channels; Infinity when there is none. */
  startUs: number;
  /** Epoch microseconds of the last sample; -Infinity when there is none. */
  stopUs: number;
  /** One sentence each; empty when the file is intact. */
  problems: string[];
}

/**
 * Reads the whole file and returns its problems. Damage is never thrown.
 *
 * @param expected the hash stored in the database; or size and hash, when the caller has just hashed the file, which is then not
 *   read once more for them
 * @param onPage receives every readable page, valid until the next one; its errors are passed on
 */
export async function verifySignalFile(
  path: string,
  expected?: string | Content,
  onPage: (page: SignalPage) => void = () => undefined,
): Promise<SignalFileProblems> {
  const result: SignalFileProblems = {
    sha256: '',
    sizeBytes: 0,
    sampleCounts: [],
    startUs: Infinity,
    stopUs: -Infinity,
    problems: [],
  };
  let stop: { thrown: unknown } | undefined;
  try {
    Object.assign(result, typeof expected === 'object' ? expected : await hashFile(path));
    if (typeof expected === 'string' && result.sha256 !== expected) {
      result.problems.push(`The file's SHA-256 is ${result.sha256}, not ${expected}.`);
    }
    result.problems.push(...(await structureProblems(path, result.sizeBytes)));
    const file = await openSignalFile(path);
    for (const { firstUs, lastUs } of file.pageIndex.flat()) {
      result.startUs = Math.min(result.startUs, firstUs);
      result.stopUs = Math.max(result.stopUs, lastUs);
    }
    try {
      for await (const page of file.streamInTurn()) {
        result.sampleCounts[page.channel] = (result.sampleCounts[page.channel] ?? 0) + page.count;
        try {
          onPage(page);
        } catch (thrown) {
          stop = { thrown };
          throw thrown;
        }
      }
      await file.marks();
      result.problems.push(...file.problems);
      result.sampleCounts = file.header.channels.map((_, channel) => result.sampleCounts[channel] ?? 0);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (stop) throw stop.thrown;
    const known = error instanceof OutpostError ? error : toOutpostError(error);
    result.problems.push(known.message);
  }
  result.problems = [...new Set(result.problems)];
  return result;
}

async function structureProblems(path: string, size: number): Promise<string[]> {
  const handle = await open(path, 'r');
  try {
    return (await runAsync(handle.fd, planStructure(path, size), inTurn())).problems;
  } finally {
    await handle.close();
  }
}

/** Two buffers in turn, for {@link planStructure}. */
export function inTurn(): (length: number) => Buffer {
  const [one, other] = [new ReusedBuffer(), new ReusedBuffer()];
  let isOne = false;
  return (length) => {
    isOne = !isOne;
    return (isOne ? one : other).bytes(length);
  };
}

/**
 * Compares the index with a scan of all blocks, which also checks every block against its sums. Bytes of a read are not kept past
 * the second read after it.
 */
export function* planStructure(path: string, size: number): ReadPlan<{ contents: Contents; problems: string[] }> {
  const contents = yield* planSignalContents(path, size);
  if (contents.indexOffset === null) return { contents, problems: contents.problems };
  const scanned = yield* planScan(contents.headerBytes, size);
  const problems = [...scanned.problems];
  const found = new Map(scanned.entries.map((entry) => [entry.offset, entry]));
  for (const entry of contents.entries) {
    const block = found.get(entry.offset);
    found.delete(entry.offset);
    if (block === undefined) problems.push(`The index lists a block at byte ${entry.offset} that is not intact.`);
    else if (!isSame(entry, block)) problems.push(`The index and the block at byte ${entry.offset} disagree.`);
  }
  for (const offset of found.keys()) problems.push(`The block at byte ${offset} is not in the index.`);
  contents.totals?.forEach((total, channel) => {
    const pages = contents.entries.filter((entry) => entry.channel === channel && entry.kind === BLOCK_PAGE);
    const sum = pages.reduce((samples, entry) => samples + entry.count, 0);
    if (sum !== total) problems.push(`The index counts ${total} samples of channel ${channel}; its pages have ${sum}.`);
  });
  return { contents, problems };
}

function isSame(a: BlockEntry, b: BlockEntry): boolean {
  return (Object.keys(a) as (keyof BlockEntry)[]).every((member) => a[member] === b[member]);
}
