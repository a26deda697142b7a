/** A byte stream for answers with millions of numbers. It assembles text as bytes, in chunks of 256 KB. */
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { compressedBody } from './compression.ts';
import { drained, readerGone, TURN_MS } from './stream.ts';

const CHUNK_BYTES = 256 * 1024;
/** Writers may write whole words past the end of their text; the next write overwrites them. */
const OVERHANG_BYTES = 32;

/** Writes into `view` from byte `at` and returns the end. */
type ByteWriter = (view: DataView, at: number) => number;

export class ByteStream {
  readonly #response: Response;
  #body: Writable | undefined;
  #chunk: Buffer = Buffer.alloc(0);
  #view = new DataView(new ArrayBuffer(0));
  #at = 0;
  #turnStarted = performance.now();

  constructor(response: Response) {
    this.#response = response;
  }

  /** Adds text. */
  async text(text: string): Promise<void> {
    await this.#reserve(text.length * 3);
    this.#at += this.#chunk.write(text, this.#at);
    await this.giveWay();
  }

  /** Lets `write` write at most `room` bytes, then yields to other requests when this turn has lasted long enough. */
  async bytes(room: number, write: ByteWriter): Promise<void> {
    await this.#reserve(room);
    this.#at = write(this.#view, this.#at);
    await this.giveWay();
  }

  /** Sends complete bytes unchanged. */
  async raw(bytes: Uint8Array): Promise<void> {
    await this.#flush();
    this.#chunk = Buffer.alloc(0);
    this.#at = 0;
    await this.#write(bytes);
    await this.giveWay();
  }

  /** Removes the last byte: the comma after the last number of a list. */
  dropLastByte(): void {
    this.#at--;
  }

  async end(): Promise<void> {
    await this.#flush();
    (this.#body ?? this.#response).end();
  }

  async #reserve(room: number): Promise<void> {
    if (this.#at + room + OVERHANG_BYTES <= this.#chunk.length) return;
    // One byte is held back, so that dropLastByte can still remove it.
    await this.#flush(1);
    const size = Math.max(CHUNK_BYTES, room + 1 + OVERHANG_BYTES);
    const chunk = Buffer.allocUnsafeSlow(size);
    if (this.#at > 0) chunk[0] = this.#chunk[this.#at - 1]!;
    this.#at = Math.min(this.#at, 1);
    this.#chunk = chunk;
    this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  }

  /** Sends all but the last `held` bytes, with back-pressure. @throws CANCELLED when the reader has disconnected */
  async #flush(held = 0): Promise<void> {
    const length = this.#at - held;
    if (length <= 0) return;
    await this.#write(this.#chunk.subarray(0, length));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#response.destroyed) throw readerGone();
    this.#body ??= compressedBody(this.#response);
    if (!this.#body.write(bytes)) await drained(this.#body);
  }

  /** Yields to other requests when this turn has lasted long enough. @throws CANCELLED when the reader has disconnected */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#turnStarted < TURN_MS) return;
    await nextTurn();
    this.#turnStarted = performance.now();
    if (this.#response.destroyed) throw readerGone();
  }
}
