import { ReusedBuffer } from '../files/reused-buffer.ts';
import { type ColumnMemory, newColumn } from './codec/page.ts';
import type { SampleArray } from './types.ts';

/** Reusable memory for one page: a decoded page is valid until the next one is decoded. */
export class PageMemory implements ColumnMemory {
  readonly #block = new ReusedBuffer();
  readonly #columns: SampleArray[] = [];

  /** Returns a buffer for a block of `length` bytes, which must be decoded before the next request. */
  bytes(length: number): Buffer {
    return this.#block.bytes(length);
  }

  column(index: number, widthBytes: 2 | 4, count: number): SampleArray {
    const kept = this.#columns[index];
    if (kept === undefined || kept.BYTES_PER_ELEMENT !== widthBytes || kept.length < count) {
      this.#columns[index] = newColumn(widthBytes, count);
      return this.#columns[index];
    }
    return kept.length === count ? kept : kept.subarray(0, count);
  }
}
