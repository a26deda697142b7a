/**
 * Write-behind buffer: writes in order, in large blocks, with periodic syncs, while more is received. A socket delivers a new buffer
 * for every 64 KiB; copying them into a few reused blocks lets them die young, which is far cheaper than a late collection.
 */
import type { FileHandle } from 'node:fs/promises';

const BLOCK_BYTES = 1 << 20;
/** Back-pressure: how many blocks may wait for the disk. */
const MAX_WAITING_BLOCKS = 3;
/** Bytes between background syncs, so that little is left to sync before the answer. */
const SYNC_BYTES = 4 << 20;
/** Blocks kept for reuse between uploads. */
const MAX_SPARE_BLOCKS = 8;

const spare: Buffer[] = [];

/** Writes all bytes. @throws file-system errors */
export async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

export class WriteBehind {
  readonly #file: FileHandle;
  /** Receives every byte once, in order, before it is written. */
  readonly #onBytes: (bytes: Buffer) => void;
  #position: number;
  #block: Buffer | undefined;
  #filledBytes = 0;
  #waiting: Buffer[] = [];
  #unsyncedBytes = 0;
  #writing: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  /** The error of a background write or sync; a sync reports a loss only once. */
  #failure: { thrown: unknown } | undefined;

  constructor(file: FileHandle, position: number, onBytes: (bytes: Buffer) => void) {
    this.#file = file;
    this.#position = position;
    this.#onBytes = onBytes;
  }

  /** Adds bytes. Returns a promise when the caller should wait. @throws the error of an earlier write or sync */
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

  /** Submits a partly filled block for writing. */
  flush(): void {
    if (!this.#block) return;
    const bytes = this.#block.subarray(0, this.#filledBytes);
    this.#block = undefined;
    this.#filledBytes = 0;
    this.#onBytes(bytes);
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

  /** Waits until everything is written, though perhaps not synced. */
  async drain(): Promise<void> {
    this.flush();
    await this.settle();
    if (this.#failure) throw this.#failure.thrown;
  }

  /** Waits until no write or sync is running. */
  async settle(): Promise<void> {
    while (this.#writing ?? this.#syncing) {
      await this.#writing;
      await this.#syncing;
    }
  }
}
