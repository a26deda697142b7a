/** Bits of a FLAC stream, highest first. */

/** The bytes end inside what is read. */
export class FlacEnd extends Error {}

export class FlacBits {
  readonly #bytes: Uint8Array;
  #bit: number;

  constructor(bytes: Uint8Array, byte = 0) {
    this.#bytes = bytes;
    this.#bit = byte * 8;
  }

  get byte(): number {
    return (this.#bit + 7) >> 3;
  }

  alignToByte(): void {
    this.#bit = this.byte * 8;
  }

  /** @param count at most 32 */
  unsigned(count: number): number {
    if (this.#bit + count > this.#bytes.length * 8) throw new FlacEnd();
    let value = 0;
    let left = count;
    while (left > 0) {
      const used = this.#bit & 7;
      const take = Math.min(8 - used, left);
      const part = (this.#bytes[this.#bit >> 3]! >> (8 - used - take)) & ((1 << take) - 1);
      // Not shifted: 32 bits would become negative.
      value = value * (1 << take) + part;
      this.#bit += take;
      left -= take;
    }
    return value;
  }

  signed(count: number): number {
    if (count === 0) return 0;
    const value = this.unsigned(count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** The number of zeros before the next one. */
  unary(): number {
    let zeros = 0;
    for (;;) {
      const byte = this.#bytes[this.#bit >> 3];
      if (byte === undefined) throw new FlacEnd();
      const rest = (byte << (this.#bit & 7)) & 0xff;
      if (rest !== 0) {
        const lead = Math.clz32(rest) - 24;
        this.#bit += lead + 1;
        return zeros + lead;
      }
      const skipped = 8 - (this.#bit & 7);
      zeros += skipped;
      this.#bit += skipped;
    }
  }
}
