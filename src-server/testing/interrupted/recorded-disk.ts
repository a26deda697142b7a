/**
 * A disk that keeps a record of everything that was written to it, so that the state after a power cut at any moment can be made
 * afterwards. A write counts as durable once a flush has ended that began after it, as disks promise; of the writes since the last
 * flush each one may have reached the disk, or not, or in part, in any order.
 */
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';

/** What a disk writes at once or not at all, and what file systems rely on. */
export const BLOCK_BYTES = 4096;

type Blocks = Map<number, Buffer>;

type Entry =
  | { kind: 'write'; offset: number; bytes: Buffer }
  | { kind: 'flush' }
  /** Something that was reported as stored. */
  | { kind: 'acknowledged'; what: string };

/** The state of the disk after a cut. */
export interface Cut {
  /** What was acknowledged before. */
  acknowledged: string[];
  /** Writes since the last flush, and how many of them reached the disk whole or in part. */
  unflushed: number;
  kept: number;
  /** Writes the disk to a sparse file. */
  save(path: string): void;
}

export class RecordedDisk {
  readonly sizeBytes: number;
  readonly #now: Blocks = new Map();
  #before: Blocks = new Map();
  #record: Entry[] = [];
  #pulledAfter = Number.POSITIVE_INFINITY;
  #isLying = false;
  readonly #pulled = Promise.withResolvers<void>();

  constructor(sizeBytes: number) {
    this.sizeBytes = sizeBytes;
  }

  /** Everything written so far is durable, and cuts come later. */
  beginRecord(): void {
    this.#before = new Map(this.#now);
    this.#record = [];
  }

  /** Of the record: writes, flushes and acknowledgements. A cut comes after any number of them. */
  get length(): number {
    return this.#record.length;
  }

  /** Every request fails once the record has so many entries. */
  pullAfter(entries: number): void {
    this.#pulledAfter = entries;
  }

  get isPulled(): boolean {
    return this.#record.length >= this.#pulledAfter;
  }

  /** Resolves with the first request that fails. */
  get whenPulled(): Promise<void> {
    return this.#pulled.promise;
  }

  /** From now on flushes are answered and not done, as by a disk with a volatile cache that reports them as durable. */
  lie(): void {
    this.#isLying = true;
  }

  /** @returns nothing once the disk was pulled */
  read(offset: number, length: number): Buffer | undefined {
    if (this.#isRefused()) return undefined;
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const [index, within] = placeOf(offset + at);
      const count = Math.min(BLOCK_BYTES - within, length - at);
      this.#now.get(index)?.copy(bytes, at, within, within + count);
      at += count;
    }
    return bytes;
  }

  /** @returns false once the disk was pulled */
  write(offset: number, bytes: Buffer): boolean {
    if (this.#isRefused()) return false;
    put(this.#now, offset, bytes);
    this.#record.push({ kind: 'write', offset, bytes });
    return true;
  }

  flush(): boolean {
    if (this.#isRefused()) return false;
    if (!this.#isLying) this.#record.push({ kind: 'flush' });
    return true;
  }

  #isRefused(): boolean {
    if (this.isPulled) this.#pulled.resolve();
    return this.isPulled;
  }

  acknowledge(what: string): void {
    this.#record.push({ kind: 'acknowledged', what });
  }

  /** The disk as a cut after the first `entries` of the record leaves it. The same numbers from `random` give the same disk. */
  cutAfter(entries: number, random: () => number): Cut {
    const until = this.#record.slice(0, entries);
    const lastFlush = until.findLastIndex(({ kind }) => kind === 'flush');
    const blocks = new Map(this.#before);
    for (const entry of until.slice(0, lastFlush + 1))
      if (entry.kind === 'write') put(blocks, entry.offset, entry.bytes);
    const unflushed = until.slice(lastFlush + 1).filter((entry) => entry.kind === 'write');
    const share = [0, 0.5, 1, random()][Math.floor(random() * 4)]!;
    let kept = 0;
    for (const { offset, bytes } of unflushed) {
      if (random() >= share) continue;
      kept += 1;
      // Some of the larger writes are torn.
      if (random() < 0.8) put(blocks, offset, bytes);
      else putSome(blocks, offset, bytes, random);
    }
    return {
      acknowledged: until.flatMap((entry) => (entry.kind === 'acknowledged' ? [entry.what] : [])),
      unflushed: unflushed.length,
      kept,
      save: (path) => save(blocks, this.sizeBytes, path),
    };
  }
}

function placeOf(offset: number): [index: number, within: number] {
  const within = offset % BLOCK_BYTES;
  return [(offset - within) / BLOCK_BYTES, within];
}

/** Blocks are replaced, never changed: copies of the map share them. */
function put(blocks: Blocks, offset: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    const [index, within] = placeOf(offset + at);
    const count = Math.min(BLOCK_BYTES - within, bytes.length - at);
    const piece = bytes.subarray(at, at + count);
    if (count === BLOCK_BYTES) blocks.set(index, piece);
    else {
      const block = Buffer.alloc(BLOCK_BYTES);
      blocks.get(index)?.copy(block);
      piece.copy(block, within);
      blocks.set(index, block);
    }
    at += count;
  }
}

function putSome(blocks: Blocks, offset: number, bytes: Buffer, random: () => number): void {
  for (let at = 0; at < bytes.length; ) {
    const count = Math.min(BLOCK_BYTES - ((offset + at) % BLOCK_BYTES), bytes.length - at);
    if (random() < 0.5) put(blocks, offset + at, bytes.subarray(at, at + count));
    at += count;
  }
}

function save(blocks: Blocks, sizeBytes: number, path: string): void {
  const file = openSync(path, 'w');
  try {
    ftruncateSync(file, sizeBytes);
    for (const [index, block] of blocks) writeSync(file, block, 0, block.length, index * BLOCK_BYTES);
  } finally {
    closeSync(file);
  }
}
