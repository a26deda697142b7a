/** Like a text stream, for answers made of millions of numbers: text is put together as bytes, in pieces of 256 KB. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { drained, readerGone, TURN_MS } from './stream.ts';

const CHUNK_BYTES = 256 * 1024;
/** Writers may put down whole words beyond the end of their text; what comes next overwrites them. */
const OVERHANG_BYTES = 32;

/** Writes into `view` from byte `at` on and answers where it ended. */
type ByteWriter = (view: DataView, at: number) => number;

export class ByteStream {
  readonly #response: Response;
  #piece: Buffer = Buffer.alloc(0);
  #view = new DataView(new ArrayBuffer(0));
  #at = 0;
  #turnStarted = performance.now();

  constructor(response: Response) {
    this.#response = response;
  }

  /** Adds text. */
  async text(text: string): Promise<void> {
    await this.#reserve(text.length * 3);
    this.#at += this.#piece.write(text, this.#at);
    await this.giveWay();
  }

  /** Lets `write` put down at most `room` bytes, then gives way to others when this turn has lasted long enough. */
  async bytes(room: number, write: ByteWriter): Promise<void> {
    await this.#reserve(room);
    this.#at = write(this.#view, this.#at);
    await this.giveWay();
  }

  /** Sends bytes that are ready as they are. */
  async raw(bytes: Uint8Array): Promise<void> {
    await this.#flush();
    this.#piece = Buffer.alloc(0);
    this.#at = 0;
    if (this.#response.destroyed) throw readerGone();
    if (!this.#response.write(bytes)) await drained(this.#response);
    await this.giveWay();
  }

  /** Takes the last byte back: a comma behind the last of a row of numbers. */
  dropLastByte(): void {
    this.#at--;
  }

  async end(): Promise<void> {
    await this.#flush();
    this.#response.end();
  }

  async #reserve(room: number): Promise<void> {
    if (this.#at + room + OVERHANG_BYTES <= this.#piece.length) return;
    // A byte stays behind, so that it can still be taken back.
    await this.#flush(1);
    const size = Math.max(CHUNK_BYTES, room + 1 + OVERHANG_BYTES);
    const piece = Buffer.allocUnsafeSlow(size);
    if (this.#at > 0) piece[0] = this.#piece[this.#at - 1]!;
    this.#at = Math.min(this.#at, 1);
    this.#piece = piece;
    this.#view = new DataView(piece.buffer, piece.byteOffset, piece.length);
  }

  /** Sends all but the last `kept` bytes; waits while the reader is slow. @throws CANCELLED when the reader has gone */
  async #flush(kept = 0): Promise<void> {
    const length = this.#at - kept;
    if (length <= 0) return;
    if (this.#response.destroyed) throw readerGone();
    if (!this.#response.write(this.#piece.subarray(0, length))) await drained(this.#response);
  }

  /** Lets others run when this turn has lasted long enough. @throws CANCELLED when the reader has gone */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#turnStarted < TURN_MS) return;
    await nextTurn();
    this.#turnStarted = performance.now();
    if (this.#response.destroyed) throw readerGone();
  }
}
