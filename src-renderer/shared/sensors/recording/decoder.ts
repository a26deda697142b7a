/**
 * Stored frames of one recording to blocks of its file. A fold over the frames in order of arrival without any other input, so that a
 * recording whose page was killed is made again from its frames.
 */
import type { SignalMark, SignalPage, SyncPoint } from '../../../../src-server/signals/types.ts';
import type { Decoded, DriverKind, StreamPlan } from '../driver.ts';
import { decodeHeartRate } from '../heart-rate/measurement.ts';
import { decodeMovesense } from '../movesense/messages.ts';
import { decodePolarFrame } from '../polar/frames.ts';
import type { StoredFrame } from '../recording-store.ts';
import { BeatStream } from './beat-stream.ts';
import type { DecoderCarry } from './carry.ts';
import { type ClockReading, syncPointsOf } from './clock-fit.ts';
import { DeviceClock } from './device-clock.ts';
import { EvenStream } from './even-stream.ts';

const SILENCE_SECONDS = { RR: 3, PPI: 15 } as const;

export interface Taken {
  pages: SignalPage[];
  marks: SignalMark[];
}

export class RecordingDecoder {
  readonly #driver: DriverKind;
  readonly #plan: readonly StreamPlan[];
  readonly #clock: DeviceClock;
  readonly #even: (EvenStream | null)[];
  readonly #beats: (BeatStream | null)[];
  /** Of the device's clock; of arrivals alone where it has none. */
  readonly #readings: ClockReading[] = [];
  readonly #arrivals: ClockReading[] = [];
  #marks: SignalMark[] = [];
  /** Frames that could not be decoded; their bytes stay stored. */
  unreadable = 0;
  /** Frames that were stored already, or came too late. */
  repeated = 0;

  constructor(driver: DriverKind, plan: readonly StreamPlan[], carry?: DecoderCarry) {
    this.#driver = driver;
    this.#plan = plan;
    const stampIs = driver === 'MOVESENSE' ? 'FIRST' : 'LAST';
    this.#clock = new DeviceClock(driver === 'MOVESENSE' ? 32 : 64, carry?.clock ?? undefined);
    this.#even = plan.map(({ kind, channel }, i) =>
      kind === 'EVEN'
        ? new EvenStream(
            { channel: i, rateHz: channel.nominalRateHz, stampIs, isWide: channel.sampleBits === 32 },
            carry?.even[i] ?? undefined,
          )
        : null,
    );
    this.#beats = plan.map(({ kind, channel }, i) =>
      kind === 'BEATS'
        ? new BeatStream(
            i,
            channel.scale[0]!,
            SILENCE_SECONDS[channel.type === 'PPI' ? 'PPI' : 'RR'],
            carry?.beats[i] ?? undefined,
          )
        : null,
    );
  }

  /** True if the device's clock was restarted before this frame: it belongs to another file, on another time line. */
  isRestart(frame: StoredFrame): boolean {
    const decoded = this.#decode(frame);
    return decoded?.kind === 'EVEN' && this.#clock.isRestart(decoded.stampNs, frame.arrivalMs * 1000, frame.connection);
  }

  add(frame: StoredFrame): Decoded {
    const decoded = this.#decode(frame);
    if (decoded === null) {
      this.unreadable += 1;
      return { kind: 'NOTHING' };
    }
    const { connection } = frame;
    const arrivalUs = frame.arrivalMs * 1000;
    if (decoded.kind === 'EVEN') {
      const stampUs = this.#clock.place(decoded.stampNs, arrivalUs, connection);
      const isNew = this.#even[decoded.channel]!.add({ ...decoded, stampUs, connection });
      if (isNew) this.#readings.push({ sensorUs: stampUs, hostUs: arrivalUs });
      else this.repeated += 1;
    } else if (decoded.kind === 'BEATS') {
      this.#beats[decoded.channel]!.add({ ...decoded, arrivalUs, connection });
      // Intervals have no stamp: beside a channel that has stamps they say nothing of the device's clock.
      this.#arrivals.push({ sensorUs: arrivalUs, hostUs: arrivalUs });
    }
    return decoded;
  }

  take(isEnd: boolean): Taken {
    const parts = [...this.#even, ...this.#beats].flatMap((stream) => (stream ? [stream.take(isEnd)] : []));
    const marks = [...this.#marks, ...parts.flatMap((part) => part.marks)];
    this.#marks = [];
    return { pages: parts.flatMap((part) => part.pages), marks };
  }

  /** Notes on every channel why its samples end here. */
  endAll(reason: string): void {
    this.#plan.forEach((_, channel) => {
      const lastUs = (this.#even[channel] ?? this.#beats[channel])?.carry?.lastUs;
      if (lastUs !== undefined) this.#marks.push({ channel, timeUs: Math.round(lastUs), reason });
    });
  }

  get lostFrames(): number {
    return [...this.#even, ...this.#beats].reduce((sum, stream) => sum + (stream?.lostFrames ?? 0), 0);
  }

  get carry(): DecoderCarry {
    return {
      clock: this.#clock.carry,
      even: this.#even.map((stream) => stream?.carry ?? null),
      beats: this.#beats.map((stream) => stream?.carry ?? null),
    };
  }

  syncPoints(startUs: number, stopUs: number): SyncPoint[] {
    return syncPointsOf(this.#readings.length > 0 ? this.#readings : this.#arrivals, startUs, stopUs);
  }

  #decode({ source, bytes }: StoredFrame): Decoded | null {
    if (source !== this.#driver) return { kind: 'NOTHING' };
    try {
      switch (source) {
        case 'POLAR':
          return decodePolarFrame(bytes, this.#plan);
        case 'MOVESENSE':
          return decodeMovesense(bytes, this.#plan);
        default:
          return decodeHeartRate(bytes);
      }
    } catch {
      return null;
    }
  }
}
