/**
 * Text that is made in one order and sent in another: the bins of all channels are computed together, but each channel is
 * sent whole. Long parts wait compressed, so that a whole history at one second takes little memory.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { TextStream } from '../../framework/stream.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const PART_CHARACTERS = 256 * 1024;

/** Entries of one JSON array, joined by commas. */
export class ArraySpool {
  #parts: Promise<Buffer>[] = [];
  #open = '';
  #isEmpty = true;

  /** Adds entries that are JSON already. */
  add(entries: readonly string[]): void {
    if (entries.length === 0) return;
    this.#open += `${this.#isEmpty ? '' : ','}${entries.join(',')}`;
    this.#isEmpty = false;
    if (this.#open.length < PART_CHARACTERS) return;
    this.#parts.push(deflate(this.#open, { level: 1 }));
    this.#open = '';
  }

  /** Resolves once nothing waits to be compressed, so that making does not run ahead of it. */
  async settled(): Promise<void> {
    await this.#parts.at(-1);
  }

  /** Sends the entries without brackets; may be called more than once. */
  async sendTo(stream: TextStream): Promise<void> {
    for (const part of this.#parts) await stream.write((await inflate(await part)).toString('latin1'));
    await stream.write(this.#open);
  }
}
