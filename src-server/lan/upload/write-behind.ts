/**
 * Writes behind the one who receives: in order, in large blocks, synced now and then. A socket brings a new small buffer for
 * every 64 KiB; copied into a few blocks that are used again they die young, which costs far less than collecting them late.
 */
import type { FileHandle } from 'node:fs/promises';

const BLOCK_BYTES = 1 << 20;
/** So many blocks may wait for the disk while more is received. */
const MAX_WAITING_BLOCKS = 3;
/** The disk begins with so much while more is received, so that little is left to wait for before the answer. */
const SYNC_BYTES = 4 << 20;
/** What rests between uploads. */
const MAX_SPARE_BLOCKS = 8;

const spare: Buffer[] = [];

/** Writes all of it. @throws what the disk says */
export async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

export class WriteBehind {
  readonly #file: FileHandle;
  /** Sees every byte once, in order, some time before it is written. */
  readonly #see: (bytes: Buffer) => void;
  #position: number;
  #block: Buffer | undefined;
  #filledBytes = 0;
  #waiting: Buffer[] = [];
  #unsyncedBytes = 0;
  #writing: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  /** What a write or a sync beside the receiving threw; a sync tells of a loss only once. */
  #failure: { thrown: unknown } | undefined;

  constructor(file: FileHandle, position: number, see: (bytes: Buffer) => void) {
    this.#file = file;
    this.#position = position;
    this.#see = see;
  }

  /** Takes bytes; undefined when more may come at once. @throws what the disk said of earlier ones */
  add(chunk: Buffer): Promise<void> | undefined {
    if (this.#failure) throw this.#failure.thrown;
    for (let at = 0; at < chunk.length; ) {
      this.#block ??= spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
      const copied = chunk.copy(this.#block, this.#filledBytes, at);
      at += copied;
      this.#filledBytes += copied;
      if (this.#filledBytes === BLOCK_BYTES) this.flush();
    }
    return this.#waiting.length < MAX_WAITING_BLOCKS ? undefined : this.#writing;
  }

  /** Hands on what is there, though it fills no block. */
  flush(): void {
    if (!this.#block) return;
    const bytes = this.#block.subarray(0, this.#filledBytes);
    this.#block = undefined;
    this.#filledBytes = 0;
    this.#see(bytes);
    this.#waiting.push(bytes);
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    try {
      for (let bytes = this.#waiting.shift(); bytes && !this.#failure; bytes = this.#waiting.shift()) {
        await writeWhole(this.#file, bytes, this.#position);
        this.#position += bytes.length;
        this.#unsyncedBytes += bytes.length;
        if (spare.length < MAX_SPARE_BLOCKS) spare.push(Buffer.from(bytes.buffer));
        if (this.#unsyncedBytes >= SYNC_BYTES) this.#syncing ??= this.#sync();
      }
    } catch (thrown) {
      this.#failure ??= { thrown };
    } finally {
      this.#writing = undefined;
    }
  }

  async #sync(): Promise<void> {
    this.#unsyncedBytes = 0;
    try {
      await this.#file.datasync();
    } catch (thrown) {
      this.#failure ??= { thrown };
    } finally {
      this.#syncing = undefined;
    }
  }

  /** Waits until everything taken is written, though perhaps not synced, and nothing is under way. */
  async drain(): Promise<void> {
    this.flush();
    await this.settle();
    if (this.#failure) throw this.#failure.thrown;
  }

  /** Waits until nothing is under way. */
  async settle(): Promise<void> {
    while (this.#writing ?? this.#syncing) {
      await this.#writing;
      await this.#syncing;
    }
  }
}
