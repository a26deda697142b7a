/**
 * Records one device for as long as the page lives. A new file begins every half hour, after the link was away for five minutes, when
 * the device's clock restarted, and when this phone's or computer's was set: no accident costs more than its own file, and one file
 * has one time line.
 */
import type { SignalCodec } from '../../../../src-server/signals/container/signal-codec.ts';
import type { PhysicalConfig } from '../../../../src-server/signals/types.ts';
import { readDeviceFacts, watchBattery } from '../bluetooth/basics.ts';
import type { GattDevice } from '../bluetooth/gatt.ts';
import { SensorLink } from '../bluetooth/link.ts';
import type { GattSession } from '../bluetooth/session.ts';
import type { Decoded, FrameSource, SensorDriver, StreamPlan } from '../driver.ts';
import { OWNER_GONE, type SensorProblem } from '../problem.ts';
import type { ClockStamp, RecordingPlace, RecordingStore, StoredFrame } from '../recording-store.ts';
import type { Timing } from '../timing.ts';
import type { DecoderCarry } from './carry.ts';
import { LiveRecording } from './live-recording.ts';
import type { GapReason } from './marks.ts';
import { SignalCheck } from './signal-check.ts';

const FLUSH_EVERY_MS = 3000;
const FILE_MS = 30 * 60_000;
const AWAY_MS = 5 * 60_000;
/**
 * Wall and monotonic clock apart by more: the clock was set, or the monotonic one stood still in a sleep. Steps of network time stay below
 * it; what slow corrections add up to is allowed for by the time that has passed.
 */
const CLOCK_JUMP_MS = 2000;
const CLOCK_DRIFT = 100e-6;
/** An optical sensor needs half a minute until its first interval. */
const NO_INTERVALS_MS = 60_000;

export interface RecordedSensor {
  serial: string;
  displayName: string;
  hardwareId: string;
  physicalConfig: PhysicalConfig;
  sensorConfig: Record<string, unknown>;
  place?: RecordingPlace;
}

export interface RecorderOptions {
  device: GattDevice;
  driver: SensorDriver;
  sensor: RecordedSensor;
  store: RecordingStore;
  codec: SignalCodec;
  timing: Timing;
  newId: () => string;
  /** Site minus this device's clock, as far as it is known now. */
  clockOffsetMs?: () => number | undefined;
  /** Now by a clock whose offset may be known better later. */
  clockStamp?: () => ClockStamp;
  onChange?: (status: RecorderStatus) => void;
  onFile?: () => void;
}

export interface RecorderStatus {
  /** FAILED: a problem that trying again cannot solve; what was recorded is finished, and a person has to stop it. */
  phase: 'CONNECTING' | 'RECORDING' | 'RECONNECTING' | 'FAILED' | 'STOPPING' | 'STOPPED';
  /** What went wrong last; absent again once it is over. */
  problem?: SensorProblem | { code: 'STORE_FULL' | 'NO_INTERVALS' };
  batteryPercent?: number;
  /** Null: the device does not say. */
  hasContact: boolean | null;
  frames: number;
  lostFrames: number;
  unreadableFrames: number;
  connections: number;
  recordedMs: number;
  /** Since when nothing has arrived, while connected; absent otherwise. */
  silentSinceMs?: number;
}

export class SensorRecorder {
  readonly check: SignalCheck;
  readonly #options: RecorderOptions;
  readonly #link: SensorLink;
  readonly #ending = new AbortController();
  #status: RecorderStatus = {
    phase: 'CONNECTING',
    hasContact: null,
    frames: 0,
    lostFrames: 0,
    unreadableFrames: 0,
    connections: 0,
    recordedMs: 0,
  };
  #plan: StreamPlan[] | null = null;
  #firmwareId = '';
  #model = '';
  #live: LiveRecording | null = null;
  #carry: DecoderCarry | undefined;
  #early: Omit<StoredFrame, 'recordingId' | 'sequence'>[] = [];
  /** Wall minus monotonic, as the time line of the present file has it from its beginning. */
  #shiftMs: number;
  #shiftSinceMs: number;
  #fileSinceMs = 0;
  #heardMs = 0;
  /** When the last interval arrived, or could not have. */
  #intervalMs = 0;
  #lostBefore = 0;
  #unreadableBefore = 0;
  #finishing: Promise<unknown> = Promise.resolve();
  #ticking: Promise<void> | null = null;
  #isAbandoned = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.check = new SignalCheck();
    this.#shiftSinceMs = options.timing.monotonicMs();
    this.#shiftMs = options.timing.wallMs() - this.#shiftSinceMs;
    this.#link = new SensorLink(options.device, options.timing, {
      onConnected: (session, connection) => this.#prepare(session, connection),
      onLost: () => {
        this.check.clear();
        this.#change({ phase: 'RECONNECTING', hasContact: null });
      },
      onState: (state, problem) => {
        if (state === 'WAITING' && problem?.isFinal) this.#fail(problem);
        else if (state === 'WAITING') this.#change({ phase: 'RECONNECTING', ...(problem && { problem }) });
        if (state === 'CONNECTED') this.#change({ phase: 'RECORDING', problem: undefined });
      },
    });
  }

  get status(): RecorderStatus {
    return this.#status;
  }

  /** The recording that is growing now. */
  get recordingId(): string | null {
    return this.#live?.row.recordingId ?? null;
  }

  start(): void {
    this.#heardMs = this.#options.timing.monotonicMs();
    this.#intervalMs = this.#heardMs;
    this.#link.open();
    this.#ticking ??= this.#tick();
  }

  /** Ends streams, link and file, in this order: a strap whose streams run on stays awake and empties its battery. */
  async stop(): Promise<void> {
    this.#change({ phase: 'STOPPING' });
    const { session } = this.#link;
    if (session && !session.ended.aborted) await this.#options.driver.stop(session, this.#options.timing);
    await this.#link.close();
    this.#ending.abort();
    await this.#ticking;
    this.#cut();
    await this.#finishing;
    this.#change({ phase: 'STOPPED' });
  }

  /** Ends the link and forgets what was not stored: the subject's data was wiped from this device. */
  async abandon(): Promise<void> {
    if (this.#isAbandoned) return;
    this.#live = null;
    this.#isAbandoned = true;
    this.#ending.abort();
    const { session } = this.#link;
    if (session && !session.ended.aborted) await this.#options.driver.stop(session, this.#options.timing);
    await this.#link.close();
    await this.#ticking;
    this.#change({ phase: 'STOPPED' });
  }

  /** The link has given up: the file is finished now, not when somebody looks at the screen. */
  #fail(problem: SensorProblem): void {
    this.#cut('LINK_LOST');
    this.#change({ phase: 'FAILED', problem, hasContact: null, silentSinceMs: undefined });
  }

  async #prepare(session: GattSession, connection: number): Promise<void> {
    const { driver, timing } = this.#options;
    this.#change({ connections: connection });
    if (connection === 1 || this.#model === '') {
      const facts = await readDeviceFacts(session);
      this.#firmwareId = facts.firmware;
      this.#model = facts.model;
    }
    const onFrame = (source: FrameSource, bytes: Uint8Array) => this.#arrived(source, bytes, connection);
    const onContact = (hasContact: boolean | null) => {
      this.#link.heard();
      if (hasContact !== this.#status.hasContact) this.#change({ hasContact });
    };
    const plan = await driver.start(session, timing, { onFrame, onContact }, this.#plan);
    this.#plan ??= plan;
    for (const frame of this.#early.splice(0)) this.#accept(frame);
    await watchBattery(session, timing, (batteryPercent) => this.#change({ batteryPercent })).catch(() => undefined);
  }

  #arrived(source: FrameSource, bytes: Uint8Array, connection: number): void {
    const nowMs = this.#options.timing.monotonicMs();
    this.#link.heard();
    this.#heardMs = nowMs;
    this.#followClock();
    const frame = { source, bytes, connection, arrivalMs: nowMs + this.#shiftMs };
    if (this.#isAbandoned) return;
    if (this.#plan) this.#accept(frame);
    else this.#early.push(frame);
  }

  #accept(frame: Omit<StoredFrame, 'recordingId' | 'sequence'>): void {
    const probe = { ...frame, recordingId: '', sequence: 0 };
    if (this.#live?.isRestart(probe)) {
      this.#cut('SENSOR_RESTART');
      this.#forget();
    } else if (!this.#live && this.#carry && this.#isRestartAfter(probe)) this.#forget();
    this.#live ??= this.#begin();
    const decoded = this.#live.add({ ...frame, arrivalMs: this.#options.timing.monotonicMs() + this.#shiftMs });
    this.#count(decoded);
  }

  /**
   * Ends the file where its time line no longer holds: samples of later files would be off by what the clock was set by, and intervals
   * of a strap without a clock too early by the sleep. What the device sent meanwhile is lost, if anything.
   */
  #followClock(): void {
    const { timing } = this.#options;
    const nowMs = timing.monotonicMs();
    const apartMs = Math.abs(timing.wallMs() - nowMs - this.#shiftMs);
    if (apartMs <= CLOCK_JUMP_MS + (nowMs - this.#shiftSinceMs) * CLOCK_DRIFT) return;
    this.#cut('LOST_BLOCK');
    this.#forget();
  }

  /** Begins a new time line: this device's clock as it is set now, the sensor's as it restarted. */
  #forget(): void {
    const { timing } = this.#options;
    this.#carry = undefined;
    this.#shiftSinceMs = timing.monotonicMs();
    this.#shiftMs = timing.wallMs() - this.#shiftSinceMs;
  }

  #isRestartAfter(frame: StoredFrame): boolean {
    return new LiveRecording(this.#newRow(), this.#options.store, this.#options.codec).isRestart(frame);
  }

  #newRow() {
    const { sensor, driver, newId, timing, clockOffsetMs, clockStamp } = this.#options;
    const createdTs = Math.round(timing.monotonicMs() + this.#shiftMs);
    const offsetMs = clockOffsetMs?.();
    // The offset is of the clock as it shows now; the time line is still the one of its beginning.
    const lineOffsetMs = offsetMs === undefined ? undefined : Math.round(offsetMs + timing.wallMs() - createdTs);
    return {
      recordingId: newId(),
      state: 'RECORDING' as const,
      createdTs,
      driver: driver.kind,
      ...sensor,
      hardwareId: sensor.hardwareId || this.#model,
      firmwareId: this.#firmwareId,
      plan: this.#plan ?? [],
      ...(this.#carry && { carry: this.#carry }),
      ...(lineOffsetMs !== undefined && { clockOffsetMs: lineOffsetMs }),
      ...(clockStamp && { clockStamp: clockStamp() }),
    };
  }

  #begin(): LiveRecording {
    this.#fileSinceMs = this.#options.timing.monotonicMs();
    return new LiveRecording(this.#newRow(), this.#options.store, this.#options.codec);
  }

  #cut(reason?: GapReason): void {
    const live = this.#live;
    if (!live) return;
    this.#live = null;
    // Synchronous up to its first write: the carry is complete when it returns.
    const finished = live.finish(reason);
    this.#carry = live.carry;
    this.#lostBefore += live.lostFrames;
    this.#unreadableBefore += live.unreadableFrames;
    this.#finishing = Promise.all([
      this.#finishing,
      finished.then((hasSamples) => hasSamples && this.#options.onFile?.()),
    ])
      // The row stays RECORDING: the next start of the program finishes it from its frames.
      .catch((thrown: unknown) => this.#unwritten(thrown));
  }

  /** A full store is tried again. Without its owner there is nothing to record for. */
  #unwritten(thrown: unknown): void {
    if ((thrown as { code?: unknown }).code === OWNER_GONE) void this.abandon();
    else this.#change({ problem: { code: 'STORE_FULL' } });
  }

  async #tick(): Promise<void> {
    const { timing } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await timing.wait(FLUSH_EVERY_MS, signal);
      this.#followClock();
      const live = this.#live;
      if (signal.aborted || !live) continue;
      const nowMs = timing.monotonicMs();
      if (nowMs - this.#fileSinceMs >= FILE_MS || nowMs - this.#heardMs >= AWAY_MS) {
        this.#cut();
        continue;
      }
      await live.flush().then(
        () => {
          if (this.#status.problem?.code === 'STORE_FULL') this.#change({ problem: undefined });
        },
        (thrown: unknown) => this.#unwritten(thrown),
      );
      this.#checkIntervals(nowMs);
      const silentMs = nowMs - this.#heardMs;
      this.#change({
        lostFrames: this.#lostBefore + live.lostFrames,
        unreadableFrames: this.#unreadableBefore + live.unreadableFrames,
        silentSinceMs: silentMs > FLUSH_EVERY_MS ? this.#heardMs + this.#shiftMs : undefined,
      });
    }
  }

  /** A device that reports its heart rate without intervals, or none that are valid, would be recorded as nothing. */
  #checkIntervals(nowMs: number): void {
    const { phase, hasContact, problem } = this.#status;
    if (phase !== 'RECORDING' || hasContact === false) this.#intervalMs = nowMs;
    const isMissing = this.#plan?.[0]?.kind === 'BEATS' && nowMs - this.#intervalMs >= NO_INTERVALS_MS;
    if (isMissing && !problem) this.#change({ problem: { code: 'NO_INTERVALS' } });
    if (!isMissing && problem?.code === 'NO_INTERVALS') this.#change({ problem: undefined });
  }

  #count(decoded: Decoded): void {
    let recordedMs = 0;
    if (decoded.kind !== 'NOTHING' && decoded.channel === 0) {
      const { channel } = this.#plan![0]!;
      if (decoded.kind === 'EVEN') {
        recordedMs = (decoded.count * 1000) / channel.nominalRateHz;
        this.check.add(decoded.columns[0]!, channel.scale[0]!, channel.nominalRateHz);
      } else {
        recordedMs = decoded.intervals.reduce(
          (sum, { counts, isValid }) => sum + (isValid ? counts[0]! * channel.scale[0]! * 1000 : 0),
          0,
        );
      }
    }
    if (recordedMs > 0) this.#intervalMs = this.#options.timing.monotonicMs();
    this.#status = {
      ...this.#status,
      frames: this.#status.frames + 1,
      recordedMs: this.#status.recordedMs + recordedMs,
    };
  }

  #change(change: Partial<RecorderStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#options.onChange?.(this.#status);
  }
}
