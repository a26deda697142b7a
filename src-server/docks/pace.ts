/** The rate of a copy and the time that the rest takes, both only once some seconds make them stable. */
export interface PaceProgress {
  receivedBytes: number;
  bytesPerSecond?: number;
  remainingMs?: number;
}

const STABLE_MS = 3000;
/** Only what happened in this time counts, so that a recorder that becomes slow is seen. */
const WINDOW_MS = 20_000;

export class Pace {
  readonly #sizeBytes: number;
  readonly #points: { atMs: number; bytes: number }[];

  constructor(sizeBytes: number, receivedBytes: number) {
    this.#sizeBytes = sizeBytes;
    this.#points = [{ atMs: performance.now(), bytes: receivedBytes }];
  }

  add(bytes: number, atMs = performance.now()): void {
    this.#points.push({ atMs, bytes });
    while (this.#points.length > 2 && atMs - this.#points[1]!.atMs > WINDOW_MS) this.#points.shift();
  }

  get progress(): PaceProgress {
    const [first, last] = [this.#points[0]!, this.#points.at(-1)!];
    const spanMs = last.atMs - first.atMs;
    if (spanMs < STABLE_MS || last.bytes <= first.bytes) return { receivedBytes: last.bytes };
    const bytesPerSecond = ((last.bytes - first.bytes) / spanMs) * 1000;
    const remainingMs = Math.round(((this.#sizeBytes - last.bytes) / bytesPerSecond) * 1000);
    return { receivedBytes: last.bytes, bytesPerSecond: Math.round(bytesPerSecond), remainingMs };
  }
}
