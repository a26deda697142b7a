/**
 * Seeded random numbers: xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS
 * 47(4), 2021), seeded by splitmix32. The same seed gives the same numbers on every machine.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
    let state = this.#seed;
    const splitmix = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return (z ^ (z >>> 15)) >>> 0;
    };
    this.#a = splitmix();
    this.#b = splitmix();
    this.#c = splitmix();
    this.#d = splitmix() | 1;
  }

  /** Returns an independent, named stream, so that adding a draw to one part of a simulation changes no other part. */
  fork(name: string): Random {
    // FNV-1a over the name, started from the parent's seed.
    let hash = (0x811c9dc5 ^ this.#seed) >>> 0;
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193) >>> 0;
    return new Random(hash);
  }

  /** A whole number from 0 to 2^32 - 1. */
  uint32(): number {
    const b = this.#b;
    let result = Math.imul(b, 5);
    result = Math.imul((result << 7) | (result >>> 25), 9);
    const t = b << 9;
    this.#c ^= this.#a;
    this.#d ^= b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result >>> 0;
  }

  /** Uniform in [0, 1). */
  uniform(): number {
    return this.uint32() / 4294967296;
  }

  /** Uniform in [low, high). */
  range(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** A whole number from low to high, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.uniform() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** Standard normal (Box and Muller 1958). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /**
   * Nearly normal, mean 0, deviation 1, within +-3.5: the sum of the four bytes of one draw (Irwin-Hall). Several times
   * faster than `normal`; meant for sample noise.
   */
  fastNormal(): number {
    const r = this.uint32();
    return ((r & 255) + ((r >>> 8) & 255) + ((r >>> 16) & 255) + (r >>> 24) - 510) * 0.006766;
  }

  /** Seconds to the next event of a Poisson process. */
  waitSeconds(eventsPerSecond: number): number {
    return eventsPerSecond > 0 ? -Math.log(1 - this.uniform()) / eventsPerSecond : Number.POSITIVE_INFINITY;
  }
}
