/** One connection to a device: its characteristics, and a queue, because a browser runs one GATT operation at a time. */
import { SensorProblem } from '../problem.ts';
import type { Timing } from '../timing.ts';
import type { GattCharacteristic, GattServer } from './gatt.ts';

/** Bluetooth ends an operation without an answer after 30 s; a browser that never answers must not block the queue. */
const OPERATION_TIMEOUT_MS = 31_000;

export class GattSession {
  readonly #server: GattServer;
  readonly #timing: Timing;
  readonly #characteristics = new Map<string, GattCharacteristic>();
  readonly #ended = new AbortController();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(server: GattServer, timing: Timing) {
    this.#server = server;
    this.#timing = timing;
  }

  /** Aborted when the connection is gone; all objects of this session are dead then. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  end(): void {
    this.#ended.abort();
  }

  /** Returns null when the device has no such service or characteristic. */
  async find(service: string, characteristic: string): Promise<GattCharacteristic | null> {
    const known = this.#characteristics.get(characteristic);
    if (known) return known;
    try {
      const found = await this.#run(async () => {
        const owner = await this.#server.getPrimaryService(service);
        return await owner.getCharacteristic(characteristic);
      });
      this.#characteristics.set(characteristic, found);
      return found;
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFoundError') return null;
      throw error;
    }
  }

  async read(characteristic: GattCharacteristic): Promise<Uint8Array> {
    const value = await this.#run(() => characteristic.readValue());
    return copyOf(value);
  }

  async write(characteristic: GattCharacteristic, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#run(() => characteristic.writeValueWithResponse(bytes));
  }

  /** The handler gets a copy of the bytes: the next notification replaces the value. */
  async listen(characteristic: GattCharacteristic, handler: (bytes: Uint8Array) => void): Promise<void> {
    characteristic.addEventListener('characteristicvaluechanged', () => {
      if (characteristic.value && !this.ended.aborted) handler(copyOf(characteristic.value));
    });
    await this.#run(() => characteristic.startNotifications());
  }

  #run<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(async () => {
      if (this.ended.aborted) throw lost();
      const over = new AbortController();
      const tooLong = this.#timing
        .wait(OPERATION_TIMEOUT_MS, AbortSignal.any([over.signal, this.ended]))
        .then(() => Promise.reject<T>(lost()));
      try {
        return await Promise.race([operation(), tooLong]);
      } finally {
        over.abort();
        tooLong.catch(() => undefined);
      }
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

const lost = () => new SensorProblem('LINK_LOST', 'The connection to the sensor was lost.');

const copyOf = (view: DataView): Uint8Array =>
  new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) as ArrayBuffer);
