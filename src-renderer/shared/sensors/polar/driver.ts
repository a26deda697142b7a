/** Polar H10 (ECG, acceleration), Verity Sense and OH1 (acceleration, pulse intervals). */
import {
  type GattCharacteristic,
  HEART_RATE_MEASUREMENT,
  HEART_RATE_SERVICE,
  POLAR_CONTROL,
  POLAR_DATA,
  POLAR_SERVICE,
} from '../bluetooth/gatt.ts';
import type { GattSession } from '../bluetooth/session.ts';
import type { DriverEvents, SensorDriver, StreamPlan } from '../driver.ts';
import { readMeasurement } from '../heart-rate/measurement.ts';
import { SensorProblem } from '../problem.ts';
import type { Timing } from '../timing.ts';
import {
  ACC,
  ALREADY_ON,
  type Answer,
  ECG,
  factorOf,
  PPI,
  problemOfStatus,
  readAnswer,
  readFeatures,
  readSettings,
  STOPPED_BY_DEVICE,
  settingsCommand,
  startCommand,
  stopCommand,
} from './control-point.ts';

const ANSWER_MS = 5000;
const STOP_MS = 2000;
/** On a chest: the least that postures and steps need, with room for jumps. */
const WISH = { rateHz: 50, rangeG: 8 };

export class PolarDriver implements SensorDriver {
  readonly kind = 'POLAR';
  #control: GattCharacteristic | null = null;
  #arrived: ((bytes: Uint8Array) => void) | null = null;
  #running: number[] = [];

  async start(
    session: GattSession,
    timing: Timing,
    events: DriverEvents,
    planned: StreamPlan[] | null,
  ): Promise<StreamPlan[]> {
    const control = await session.find(POLAR_SERVICE, POLAR_CONTROL);
    const data = await session.find(POLAR_SERVICE, POLAR_DATA);
    if (!control || !data) {
      throw new SensorProblem(
        'POLAR_NO_MEASUREMENTS',
        'This sensor does not offer its measurements. Update its firmware in the app of its maker.',
        true,
      );
    }
    this.#control = control;
    this.#running = [];
    await session.listen(control, (bytes) => {
      if (bytes[0] === STOPPED_BY_DEVICE) session.end();
      else this.#arrived?.(bytes);
    });
    const features = readFeatures(await session.read(control));
    await session.listen(data, (bytes) => events.onFrame('POLAR', bytes));
    await this.#watchContact(session, events);
    const wanted = planned?.map(({ stream }) => stream) ?? typesFor(features);
    if (wanted.length === 0) {
      throw new SensorProblem('POLAR_NO_MEASUREMENTS', 'This sensor has no measurement that can be recorded.', true);
    }
    const plan: StreamPlan[] = [];
    for (const type of wanted) plan.push(await this.#startStream(session, timing, type));
    return planned ?? plan;
  }

  async stop(session: GattSession, timing: Timing): Promise<void> {
    const over = new AbortController();
    const all = (async () => {
      for (const type of this.#running) await this.#ask(session, timing, stopCommand(type)).catch(() => undefined);
    })();
    await Promise.race([all, timing.wait(STOP_MS, over.signal)]);
    over.abort();
    this.#running = [];
  }

  async #startStream(session: GattSession, timing: Timing, type: number): Promise<StreamPlan> {
    // Pulse intervals have no settings.
    const answer = type === PPI ? null : await this.#ask(session, timing, settingsCommand(type));
    if (answer && answer.status !== 0) throw problemOfStatus(answer.status);
    const choice = startCommand(type, answer ? readSettings(answer.parameters) : new Map(), WISH);
    let started = await this.#ask(session, timing, choice.command);
    if (started.status === ALREADY_ON) {
      // Left on by a page that was closed without Stop.
      await this.#ask(session, timing, stopCommand(type));
      started = await this.#ask(session, timing, choice.command);
    }
    if (started.status !== 0) throw problemOfStatus(started.status);
    this.#running.push(type);
    return planOf(type, choice.rateHz, factorOf(started.parameters));
  }

  /** Writes a command and waits for its indication; a read would return the features again. */
  async #ask(session: GattSession, timing: Timing, command: Uint8Array<ArrayBuffer>): Promise<Answer> {
    const [op, type] = command;
    const over = new AbortController();
    const answered = new Promise<Answer>((resolve) => {
      let begun: Answer | null = null;
      this.#arrived = (bytes) => {
        if (begun) {
          const parameters = new Uint8Array([...begun.parameters, ...bytes.subarray(1)]);
          begun = { ...begun, parameters, hasMore: bytes[0] !== 0 };
        } else {
          const answer = readAnswer(bytes);
          if (!answer || answer.op !== op || answer.type !== type) return;
          begun = answer;
        }
        if (!begun.hasMore) resolve(begun);
      };
    });
    const silence = timing.wait(ANSWER_MS, AbortSignal.any([over.signal, session.ended])).then(() => {
      throw new SensorProblem('POLAR_SILENT', 'The sensor did not answer. Close other apps that use it.');
    });
    try {
      await session.write(this.#control!, command);
      return await Promise.race([answered, silence]);
    } finally {
      this.#arrived = null;
      over.abort();
      silence.catch(() => undefined);
    }
  }

  /** The measurement service says nothing of contact; the heart-rate service may. */
  async #watchContact(session: GattSession, events: DriverEvents): Promise<void> {
    const rate = await session.find(HEART_RATE_SERVICE, HEART_RATE_MEASUREMENT);
    if (!rate) return;
    await session.listen(rate, (bytes) => {
      const measurement = readMeasurement(bytes);
      if (measurement) events.onContact(measurement.hasContact);
    });
  }
}

const typesFor = (features: number[]): number[] => {
  const main = features.includes(ECG) ? [ECG] : features.includes(PPI) ? [PPI] : [];
  return features.includes(ACC) ? [...main, ACC] : main;
};

function planOf(type: number, rateHz: number, factor: number | null): StreamPlan {
  if (type === ECG) {
    const channel = { type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: rateHz, scale: [1e-6], offset: [0] };
    // 24 bits on the wire: an electrode that is off drives the signal beyond 16.
    return { stream: ECG, kind: 'EVEN', channel: { ...channel, sampleBits: 32 } };
  }
  if (type === PPI) {
    const channel = { type: 'PPI', dimensions: ['ppi', 'error'], unit: 's', nominalRateHz: 1 };
    return { stream: PPI, kind: 'BEATS', channel: { ...channel, scale: [1e-3, 1e-3], offset: [0, 0], sampleBits: 16 } };
  }
  // The factor of the answer is in g per count, without one a count is a thousandth.
  const scale = factor !== null && factor < 1 ? factor : 1e-3;
  const channel = { type: 'ACCEL', dimensions: ['x', 'y', 'z'], unit: 'g', nominalRateHz: rateHz };
  return {
    stream: ACC,
    kind: 'EVEN',
    channel: { ...channel, scale: [scale, scale, scale], offset: [0, 0, 0], sampleBits: 16 },
  };
}
