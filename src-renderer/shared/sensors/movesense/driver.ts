/** Movesense with its default firmware (2.3 and later): ECG in microvolts and acceleration. */
import { type GattCharacteristic, MOVESENSE_COMMAND, MOVESENSE_DATA, MOVESENSE_SERVICE } from '../bluetooth/gatt.ts';
import type { GattSession } from '../bluetooth/session.ts';
import type { DriverEvents, SensorDriver, StreamPlan } from '../driver.ts';
import { SensorProblem } from '../problem.ts';
import type { Timing } from '../timing.ts';
import {
  ACC_RATE_HZ,
  ACC_REFERENCE,
  ACC_SCALE_G,
  ECG_RATE_HZ,
  ECG_REFERENCE,
  readResult,
  subscribe,
  unsubscribe,
} from './messages.ts';

const ANSWER_MS = 5000;
const OK = 200;

const PLAN: StreamPlan[] = [
  {
    stream: ECG_REFERENCE,
    kind: 'EVEN',
    channel: {
      type: 'ECG',
      dimensions: ['v'],
      unit: 'V',
      nominalRateHz: ECG_RATE_HZ,
      scale: [1e-6],
      offset: [0],
      sampleBits: 16,
    },
  },
  {
    stream: ACC_REFERENCE,
    kind: 'EVEN',
    channel: {
      type: 'ACCEL',
      dimensions: ['x', 'y', 'z'],
      unit: 'g',
      nominalRateHz: ACC_RATE_HZ,
      scale: [ACC_SCALE_G, ACC_SCALE_G, ACC_SCALE_G],
      offset: [0, 0, 0],
      sampleBits: 32,
    },
  },
];

const PATHS: [number, string][] = [
  [ECG_REFERENCE, `/Meas/ECG/${ECG_RATE_HZ}/mV`],
  [ACC_REFERENCE, `/Meas/Acc/${ACC_RATE_HZ}`],
];

export class MovesenseDriver implements SensorDriver {
  readonly kind = 'MOVESENSE';
  #command: GattCharacteristic | null = null;
  #onResult: ((reference: number, status: number) => void) | null = null;

  async start(session: GattSession, timing: Timing, events: DriverEvents): Promise<StreamPlan[]> {
    const command = await session.find(MOVESENSE_SERVICE, MOVESENSE_COMMAND);
    const data = await session.find(MOVESENSE_SERVICE, MOVESENSE_DATA);
    if (!command || !data) {
      throw new SensorProblem(
        'MOVESENSE_FIRMWARE',
        'This Movesense does not offer its measurements. Install its default firmware, 2.3 or later.',
        true,
      );
    }
    this.#command = command;
    await session.listen(data, (bytes) => {
      const result = readResult(bytes);
      if (result) this.#onResult?.(result.reference, result.status);
      else events.onFrame('MOVESENSE', bytes);
    });
    for (const [reference, path] of PATHS) {
      const status = await this.#ask(session, timing, reference, subscribe(reference, path));
      if (status !== OK) {
        throw new SensorProblem('MOVESENSE_REFUSED', `The sensor refused ${path} (${status}).`);
      }
    }
    return PLAN;
  }

  async stop(session: GattSession, timing: Timing): Promise<void> {
    for (const [reference] of PATHS) {
      const over = new AbortController();
      const ended = this.#command ? session.write(this.#command, unsubscribe(reference)) : Promise.resolve();
      await Promise.race([ended.catch(() => undefined), timing.wait(1000, over.signal)]);
      over.abort();
    }
  }

  async #ask(
    session: GattSession,
    timing: Timing,
    reference: number,
    command: Uint8Array<ArrayBuffer>,
  ): Promise<number> {
    const over = new AbortController();
    const answered = new Promise<number>((resolve) => {
      this.#onResult = (of, status) => {
        if (of === reference) resolve(status);
      };
    });
    const silence = timing.wait(ANSWER_MS, AbortSignal.any([over.signal, session.ended])).then(() => {
      throw new SensorProblem('MOVESENSE_SILENT', 'The sensor did not answer. Close other apps that use it.');
    });
    try {
      await session.write(this.#command!, command);
      return await Promise.race([answered, silence]);
    } finally {
      this.#onResult = null;
      over.abort();
      silence.catch(() => undefined);
    }
  }
}
