/** What the recorder asks of each kind of device. A driver talks to it; decoding is pure, so that stored bytes can be decoded again. */
import type { SignalChannel } from '../../../src-server/signals/types.ts';
import type { GattSession } from './bluetooth/session.ts';
import type { Timing } from './timing.ts';

/** Where the bytes of a stored frame came from. */
export type FrameSource = 'POLAR' | 'HEART_RATE' | 'MOVESENSE';

export type DriverKind = 'POLAR' | 'HEART_RATE' | 'MOVESENSE';

/** One channel of a recording, and what decoding needs to know of it. Stored with the recording. */
export interface StreamPlan {
  channel: SignalChannel;
  /** The device's own number of the stream: measurement type (Polar), reference of the subscription (Movesense). */
  stream: number;
  /** Samples at a steady rate, or one sample per heartbeat. */
  kind: 'EVEN' | 'BEATS';
}

/** An interval between two heartbeats, as the device reports it. */
export interface BeatInterval {
  /** One count for each dimension; the first is the length. */
  counts: number[];
  /** False: the device itself says that it is not (movement, no contact), or it cannot be stored. It still took its time. */
  isValid: boolean;
}

/** What one notification holds. */
export type Decoded =
  | {
      kind: 'EVEN';
      /** Index into the plan. */
      channel: number;
      /** The device's clock, ns. */
      stampNs: bigint;
      stampIs: 'FIRST' | 'LAST';
      count: number;
      /** Counts, one list per dimension. */
      columns: number[][];
    }
  | {
      kind: 'BEATS';
      channel: number;
      /** Oldest first. */
      intervals: BeatInterval[];
      /** The device feels no skin, or has no heart rate. */
      isAbsent: boolean;
    }
  | { kind: 'NOTHING' };

export interface DriverEvents {
  /** Every notification, copied and before anything else is done with it. */
  onFrame(source: FrameSource, bytes: Uint8Array): void;
  /** Null: the device does not say. */
  onContact(hasContact: boolean | null): void;
}

export interface SensorDriver {
  readonly kind: DriverKind;
  /**
   * Starts all streams on a new connection. `planned` is what the first connection of the recording found.
   * @throws SensorProblem
   */
  start(
    session: GattSession,
    timing: Timing,
    events: DriverEvents,
    planned: StreamPlan[] | null,
  ): Promise<StreamPlan[]>;
  /** Ends all streams; waits 2 s at most. */
  stop(session: GattSession, timing: Timing): Promise<void>;
}
