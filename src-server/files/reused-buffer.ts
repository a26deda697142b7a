/** Memory for one piece of content after the other: large buffers that live for one read each are what the collector is slowest at. */
export class ReusedBuffer {
  #bytes = Buffer.alloc(0);

  /** Returns a buffer of `length` bytes with any content, which must have been used before the next request. */
  bytes(length: number): Buffer {
    if (this.#bytes.length < length) this.#bytes = Buffer.allocUnsafeSlow(2 * length);
    return this.#bytes.subarray(0, length);
  }
}
