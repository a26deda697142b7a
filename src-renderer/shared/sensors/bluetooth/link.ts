/** Keeps a device connected for as long as the page lives: reconnects with back-off, and leaves links that have gone deaf. */
import { SensorProblem } from '../problem.ts';
import type { Timing } from '../timing.ts';
import type { GattDevice } from './gatt.ts';
import { GattSession } from './session.ts';

export type LinkState = 'CONNECTING' | 'CONNECTED' | 'WAITING' | 'CLOSED';

export interface LinkEvents {
  /** Prepares the session: services, subscriptions, streams. `connection` counts from 1. */
  onConnected(session: GattSession, connection: number): Promise<void>;
  onLost(reason: 'LINK_LOST' | 'DEAF'): void;
  onState(state: LinkState, problem?: SensorProblem): void;
}

const BACK_OFF_MS = [1000, 2000, 5000, 10_000, 30_000];
const DEAF_AFTER_MS = 10_000;
/** A strap without contact is silent, too: do not reconnect every ten seconds then. */
const MAX_DEAF_AFTER_MS = 80_000;

export class SensorLink {
  readonly #device: GattDevice;
  readonly #timing: Timing;
  readonly #events: LinkEvents;
  readonly #closing = new AbortController();
  #session: GattSession | null = null;
  #heardMs = 0;
  #deafAfterMs = DEAF_AFTER_MS;
  #connections: number;
  #running: Promise<void> | null = null;

  constructor(device: GattDevice, timing: Timing, events: LinkEvents) {
    this.#device = device;
    this.#timing = timing;
    this.#events = events;
    this.#connections = 0;
  }

  get session(): GattSession | null {
    return this.#session;
  }

  open(): void {
    this.#running ??= this.#run();
  }

  /** Something arrived from the device. */
  heard(): void {
    this.#heardMs = this.#timing.monotonicMs();
    this.#deafAfterMs = DEAF_AFTER_MS;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#device.gatt?.disconnect();
    this.#session?.end();
    await this.#running;
    this.#events.onState('CLOSED');
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      this.#events.onState('CONNECTING');
      let problem: SensorProblem | undefined;
      try {
        await this.#once(() => {
          failures = 0;
        });
      } catch (error) {
        problem = problemOf(error);
      }
      this.#session?.end();
      this.#session = null;
      if (signal.aborted) return;
      this.#device.gatt?.disconnect();
      this.#events.onState('WAITING', problem);
      if (problem?.isFinal) return;
      const waitMs = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length - 1)] ?? 30_000;
      failures += 1;
      await this.#timing.wait(waitMs, signal);
    }
  }

  /** One connection, from connecting to its loss. */
  async #once(onUp: () => void): Promise<void> {
    const { gatt } = this.#device;
    if (!gatt) throw new SensorProblem('NO_GATT', 'This device cannot be reached by this browser.', true);
    const server = await gatt.connect();
    const session = new GattSession(server, this.#timing);
    this.#session = session;
    const onDisconnected = () => session.end();
    this.#device.addEventListener('gattserverdisconnected', onDisconnected);
    try {
      if (this.#closing.signal.aborted) return;
      this.#connections += 1;
      await this.#events.onConnected(session, this.#connections);
      onUp();
      this.#events.onState('CONNECTED');
      await this.#watch(session);
    } finally {
      this.#device.removeEventListener('gattserverdisconnected', onDisconnected);
    }
  }

  async #watch(session: GattSession): Promise<void> {
    this.#heardMs = this.#timing.monotonicMs();
    while (!session.ended.aborted && !this.#closing.signal.aborted) {
      await this.#timing.wait(1000, AbortSignal.any([session.ended, this.#closing.signal]));
      if (session.ended.aborted || this.#closing.signal.aborted) break;
      if (this.#timing.monotonicMs() - this.#heardMs < this.#deafAfterMs) continue;
      this.#deafAfterMs = Math.min(MAX_DEAF_AFTER_MS, this.#deafAfterMs * 2);
      this.#events.onLost('DEAF');
      return;
    }
    if (!this.#closing.signal.aborted) this.#events.onLost('LINK_LOST');
  }
}

function problemOf(error: unknown): SensorProblem {
  if (error instanceof SensorProblem) return error;
  const { name, message } = error as Error;
  if (name === 'SecurityError' || name === 'NotAllowedError') {
    return new SensorProblem('NOT_ALLOWED', message);
  }
  return new SensorProblem('CONNECT_FAILED', message);
}
