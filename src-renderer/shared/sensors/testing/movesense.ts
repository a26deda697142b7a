/** A Movesense made in software: answers subscriptions and sends ECG and acceleration in its layout. */
import { MOVESENSE_COMMAND, MOVESENSE_DATA, MOVESENSE_SERVICE } from '../bluetooth/gatt.ts';
import { type FakeClock, FakeDevice } from './fake-device.ts';

const ECG_SAMPLES = 16;
const ACC_SAMPLES = 4;

export class FakeMovesense extends FakeDevice {
  readonly sent: { reference: number; first: number; count: number }[] = [];
  readonly #running = new Set<number>();
  readonly #bootMs: number;

  /** @param awakeMs how long the sensor has been awake */
  constructor(name: string, clock: FakeClock, awakeMs: number) {
    super(name, clock);
    this.#bootMs = clock.monotonicMs() - awakeMs;
    this.offer(MOVESENSE_SERVICE, MOVESENSE_COMMAND, { write: (bytes) => this.#command(bytes) });
    this.offer(MOVESENSE_SERVICE, MOVESENSE_DATA, { canNotify: true });
  }

  ecgOf(sample: number): number {
    return Math.round(900 * Math.sin(sample / 20)) + (sample % 7);
  }

  protected override onDropped(): void {
    this.#running.clear();
  }

  #command(bytes: Uint8Array): void {
    const [code, reference = 0] = bytes;
    const path = new TextDecoder().decode(bytes.subarray(2));
    const rateHz = Number(/\/(\d+)/.exec(path)?.[1] ?? 0);
    const isKnown = /^\/Meas\/(ECG\/200\/mV|Acc\/52)$/.test(path);
    const status = code === 2 || isKnown ? 200 : 404;
    void this.clock
      .wait(10)
      .then(() => this.notify(MOVESENSE_DATA, Uint8Array.of(1, reference, status & 0xff, status >> 8)));
    if (code === 2) this.#running.delete(reference);
    else if (isKnown && !this.#running.has(reference)) {
      this.#running.add(reference);
      void this.#stream(reference, rateHz);
    }
  }

  async #stream(reference: number, rateHz: number): Promise<void> {
    const count = reference === 1 ? ECG_SAMPLES : ACC_SAMPLES;
    const connection = this.connections;
    for (let first = 0; ; first += count) {
      const firstMs = this.clock.monotonicMs();
      await this.clock.wait((count * 1000) / rateHz);
      if (!this.#running.has(reference) || connection !== this.connections) return;
      const bytes = new Uint8Array(6 + count * (reference === 1 ? 2 : 12));
      const view = new DataView(bytes.buffer);
      bytes.set([2, reference]);
      view.setUint32(2, Math.round(firstMs - this.#bootMs) % 2 ** 32, true);
      for (let i = 0; i < count; i++) {
        if (reference === 1) view.setInt16(6 + 2 * i, this.ecgOf(first + i), true);
        else for (let d = 0; d < 3; d++) view.setFloat32(6 + 12 * i + 4 * d, d === 2 ? 9.80665 : 0, true);
      }
      if (this.notify(MOVESENSE_DATA, bytes)) this.sent.push({ reference, first, count });
    }
  }
}
