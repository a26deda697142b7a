/**
 * A simulated phone of a subject, as in `resources/protocol/phone.md`: it signs in with the subject's token, or is paired as
 * equipment, and queues the subject's reports durably until the site has stored them, so it can be killed at any time.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackOff } from '../../phone-protocol/back-off.ts';
import { type Batch, batchBody, fateOf, type Outcome, type Outgoing, takeBatch } from '../../phone-protocol/batch.ts';
import { bestOffset, type OffsetSample, offsetOf } from '../../phone-protocol/clock-offset.ts';
import { consequenceOf } from '../../phone-protocol/problems.ts';
import { readSignInLink } from '../../phone-protocol/sign-in-link.ts';
import { Connection, Refusal } from '../device/connection.ts';
import { type DeviceStatus, SiteLink, type SiteRecord } from '../device/paired-device.ts';
import type { PairingInvitation, PairingSteps } from '../device/pairing.ts';
import { StateFile } from '../device/state-file.ts';
import type { Disturbance } from '../device/upload.ts';

export interface PhoneOptions {
  folder: string;
  /** Serial number of a clinic phone; a subject's own phone has none. */
  serial?: string;
  displayName?: string;
  clock?: () => number;
  /** Faults of a call that sends this many bytes; `reorder` sends the queue in reverse. */
  disturb?: (call: { path: string; sizeBytes: number }) => Disturbance;
}

export interface PhoneReport {
  id: string;
  taskId: string;
  startTs: number;
  stopTs: number;
  intendedTs?: number;
  openedTs?: number;
  completedTs?: number;
  answers: { questionId: string; value: string }[];
  marks?: { id: string; displayName: string; startTs: number; stopTs: number }[];
  /** What the phone knew of its clock when the report was first sent. Every repetition says the same. */
  clock?: { offsetMs: number; uncertaintyMs: number; state: 'MEASURED' | 'UNKNOWN' };
}

export interface PhoneMessage {
  id: string;
  from: 'TEAM' | 'SUBJECT';
  body: string;
  createdTs: number;
  isRead: boolean;
}

export interface PhoneTask {
  id: string;
  type: 'activity' | 'diary';
  displayName: string;
  durationSec?: number;
  questions: { id: string; text: string; type: string; values: string[] }[];
}

export interface PhoneToday {
  date: string;
  timezone: string;
  isRunning: boolean;
  unreadMessages: number;
  tasks: {
    taskId: string;
    displayName: string;
    window?: { start: string; end: string; startTs: number; stopTs: number };
    completed: boolean;
  }[];
}

interface PhoneState {
  phoneId: string;
  site?: SiteRecord;
  reports: PhoneReport[];
  messages: { id: string; body: string }[];
  readIds: string[];
  /** Permanently refused: shown to the subject, never retried. */
  refused: Outcome[];
  /** Measurements of the clock, the latest last; absent before the first contact. Nobody sets this clock after it. */
  offsets?: OffsetSample[];
}

const MOST_OFFSETS = 8;
/** Calls to measure the clock before the first report; an answer that is lost measures nothing. */
const CONTACT_TRIES = 3;
const NO_ITEMS: Batch = { reports: [], messages: [], reads: [] };

interface SyncAnswer {
  receivedTs: number;
  serverTs: number;
  reports: Outcome[];
  messages: Outcome[];
}

interface SignInAnswer {
  token: string;
  credentialId: string;
  siteId: string;
  siteName: string;
  addresses: string[];
}

export class SimulatedPhone {
  readonly #options: PhoneOptions;
  readonly #file: StateFile<PhoneState>;
  readonly #link: SiteLink;
  readonly #clock: () => number;
  readonly #state: PhoneState;

  private constructor(options: PhoneOptions, file: StateFile<PhoneState>, state: PhoneState) {
    this.#options = options;
    this.#file = file;
    this.#state = state;
    this.#clock = options.clock ?? Date.now;
    this.#link = new SiteLink(state.site, (site) => this.#keepSite(site));
  }

  static async open(options: PhoneOptions): Promise<SimulatedPhone> {
    await mkdir(options.folder, { recursive: true });
    const file = new StateFile<PhoneState>(join(options.folder, 'phone.json'));
    const state = (await file.read()) ?? { phoneId: randomUUID(), reports: [], messages: [], readIds: [], refused: [] };
    return new SimulatedPhone(options, file, state);
  }

  get isSignedIn(): boolean {
    return this.#link.record !== undefined;
  }

  get site(): SiteRecord | undefined {
    return this.#link.record;
  }

  /** Completed tasks that wait for the network. */
  get waitingTaskIds(): readonly string[] {
    return this.#state.reports.map(({ taskId }) => taskId);
  }

  get credentialId(): string | undefined {
    return this.#link.record?.credentialId;
  }

  get waiting(): { reports: number; messages: number } {
    return { reports: this.#state.reports.length, messages: this.#state.messages.length };
  }

  get refused(): readonly Outcome[] {
    return this.#state.refused;
  }

  /**
   * Signs in with the token of a subject. Without a fingerprint, the first key seen is trusted and pinned.
   * @throws Refusal (LOGIN_FAILED, THROTTLED), PinMismatch
   */
  async signIn(url: string, token: string, fingerprint?: string): Promise<void> {
    await this.#signIn([url], token, fingerprint === undefined ? [] : [fingerprint]);
  }

  /**
   * Signs in with the text of the QR code that the desk shows.
   * @throws as {@link signIn}, and Error for a text that is not such a code, has expired, or names no address
   */
  async signInByLink(link: string): Promise<void> {
    const { token, fingerprint, urls } = readSignInLink(link, this.#clock());
    await this.#signIn(urls, token, [fingerprint]);
  }

  async #signIn(given: string[], token: string, pins: string[]): Promise<void> {
    const connection = new Connection({ urls: given, pins });
    try {
      const body = { token, phoneId: this.#state.phoneId };
      const answer = await connection.json<SignInAnswer>('/phone/sign-in', body);
      const { siteId, siteName, credentialId, addresses } = answer;
      const urls = addresses.length > 0 ? addresses : given;
      await this.#link.enter({ siteId, siteName, credentialId, token: answer.token, pins, urls });
    } finally {
      connection.close();
    }
  }

  /** Pairs a clinic phone in the same way as a hub. @throws as `SimulatedHub.pair` */
  async pair(
    invitation: PairingInvitation,
    steps: Pick<PairingSteps, 'onCheckCode' | 'onWrongClock' | 'collectEveryMs'>,
  ): Promise<DeviceStatus> {
    const { serial = this.#state.phoneId, displayName = `Phone ${serial}` } = this.#options;
    const device = { kind: 'PHONE', serial, displayName, hardwareId: 'simulated', firmwareId: '1.0.0' } as const;
    return await this.#link.pair(invitation, { ...steps, device, clock: this.#clock });
  }

  async today(): Promise<PhoneToday> {
    return await this.#link.connection.json<PhoneToday>('/phone/today');
  }

  async tasks(): Promise<PhoneTask[]> {
    return (await this.#link.connection.json<{ items: PhoneTask[] }>('/phone/tasks')).items;
  }

  async messages(): Promise<PhoneMessage[]> {
    return (await this.#link.connection.json<{ items: PhoneMessage[] }>('/phone/messages')).items;
  }

  /** Queues a completed task until {@link sync}. Returns its id. */
  async report(report: Omit<PhoneReport, 'id'> & { id?: string }): Promise<string> {
    const id = report.id ?? randomUUID();
    this.#state.reports.push({ ...report, id });
    await this.#save();
    return id;
  }

  /** Queues a message of the subject. */
  async write(body: string): Promise<string> {
    const id = randomUUID();
    this.#state.messages.push({ id, body });
    await this.#save();
    return id;
  }

  /** Queues read receipts for messages of the team. */
  async markRead(ids: readonly string[]): Promise<void> {
    this.#state.readIds.push(...ids);
    await this.#save();
  }

  /**
   * Sends the queue in order. Stored items leave the queue; permanently refused ones are set aside.
   * @throws network errors and refusals of the whole call; the queue is then unchanged
   */
  async sync(): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    await this.#sync(outcomes);
    return outcomes;
  }

  /**
   * Sends the queue with retries until every item has a response; items to be sent later stay queued.
   * @throws Refusal when the site no longer knows this phone or nobody holds it; the reason of `signal`
   */
  async syncAll(steps: {
    backOff: BackOff;
    onTrouble: (problem: unknown, waitMs: number) => void;
    signal: AbortSignal;
  }): Promise<Outcome[]> {
    const { backOff, onTrouble, signal } = steps;
    const outcomes: Outcome[] = [];
    for (;;) {
      signal.throwIfAborted();
      try {
        await this.#sync(outcomes);
        return outcomes;
      } catch (thrown) {
        if (thrown instanceof Refusal && consequenceOf(thrown.code) !== 'LATER') throw thrown;
        const waitMs = backOff.next(thrown instanceof Refusal ? thrown.retryAfterSeconds : 0);
        onTrouble(thrown, waitMs);
        await sleep(waitMs, undefined, { signal });
      }
    }
  }

  /** @param outcomes receives the outcomes, even if a later call fails */
  async #sync(outcomes: Outcome[]): Promise<void> {
    const state = this.#state;
    await this.#freezeClocks();
    const asked = new Set<string>();
    for (;;) {
      const batch = takeBatch(this.#outgoing().filter(({ id }) => !asked.has(id)));
      const ids = [...batch.reports, ...batch.messages, ...batch.reads].map(({ id }) => id);
      if (ids.length === 0) return;
      const { reports, messages } = await this.#send(batch);
      for (const id of ids) asked.add(id);
      const read = new Set(batch.reads.map(({ id }) => id));
      state.readIds = state.readIds.filter((id) => !read.has(id));
      await this.#settle(state.reports, reports);
      await this.#settle(state.messages, messages);
      outcomes.push(...reports, ...messages);
    }
  }

  /** Gives each new report the offset of the clock, measured first if need be, and stores it before it is sent. */
  async #freezeClocks(): Promise<void> {
    const fresh = this.#state.reports.filter(({ clock }) => clock === undefined);
    if (fresh.length === 0) return;
    for (let tries = 0; tries < CONTACT_TRIES && !this.#state.offsets?.length; tries++) await this.#send(NO_ITEMS);
    for (const report of fresh) {
      const best = bestOffset(this.#state.offsets ?? [], report.completedTs ?? report.stopTs);
      report.clock = best
        ? { offsetMs: best.offsetMs, uncertaintyMs: best.uncertaintyMs, state: 'MEASURED' }
        : { offsetMs: 0, uncertaintyMs: 0, state: 'UNKNOWN' };
    }
    await this.#save();
  }

  /** Everything that waits, oldest first. */
  #outgoing(): Outgoing[] {
    const { reports, messages, readIds } = this.#state;
    return [
      ...reports.map((report) => ({ id: report.id, kind: 'REPORT' as const, json: JSON.stringify(report) })),
      ...messages.map((message) => ({ id: message.id, kind: 'MESSAGE' as const, json: JSON.stringify(message) })),
      ...readIds.map((id) => ({ id, kind: 'READ' as const, json: JSON.stringify(id) })),
    ];
  }

  /** Reports the state of the phone. */
  async contact(batteryPercent: number): Promise<void> {
    await this.#link.connection.json('/device/contact', { clockTs: this.#clock(), batteryPercent });
  }

  close(): void {
    this.#link.close();
  }

  async #send(batch: Batch): Promise<Record<'reports' | 'messages', Outcome[]>> {
    const path = '/phone/sync';
    const sentMs = this.#clock();
    const beganMs = performance.now();
    const contact = { clockTs: sentMs };
    const sizeBytes = Buffer.byteLength(batchBody(batch, contact));
    const { reorder, flip, duplicate, onCut, ...onItsWay } = this.#options.disturb?.({ path, sizeBytes }) ?? {};
    const { reports, messages } = batch;
    const sent = reorder ? { ...batch, reports: reports.toReversed(), messages: messages.toReversed() } : batch;
    const bytes = Buffer.from(batchBody(sent, contact));
    const call = { method: 'POST', path, bytes, headers: { 'content-type': 'application/json' } };
    const second = duplicate ? this.#link.another() : undefined;
    const double = second?.call(call).catch(() => undefined);
    // TLS detects changed bits in transit, so the body is corrupted before sending and is no longer valid JSON.
    if (flip) call.bytes = Buffer.concat([Buffer.from([(bytes[0] ?? 0) ^ 0x10]), bytes.subarray(1)]);
    try {
      const answer = (await this.#link.connection.call({ ...call, ...onItsWay })).body as SyncAnswer;
      const { receivedTs, serverTs } = answer;
      const arrivedMs = sentMs + Math.round(performance.now() - beganMs);
      const sample = offsetOf({ sentMs, receivedTs, serverTs, arrivedMs });
      if (sample) this.#state.offsets = [...(this.#state.offsets ?? []), sample].slice(-MOST_OFFSETS);
      return answer;
    } catch (thrown) {
      if (onItsWay.cutAfterBytes !== undefined) onCut?.();
      throw thrown;
    } finally {
      await double;
      second?.close();
    }
  }

  /** Removes finished items from the queue. */
  async #settle(waiting: { id: string }[], outcomes: readonly Outcome[]): Promise<void> {
    for (const outcome of outcomes) {
      const fate = fateOf(outcome);
      if (fate === 'STAYS') continue;
      const at = waiting.findIndex(({ id }) => id === outcome.id);
      if (at >= 0) waiting.splice(at, 1);
      if (fate === 'REFUSED') this.#state.refused.push(outcome);
    }
    await this.#save();
  }

  async #keepSite(site: SiteRecord): Promise<void> {
    this.#state.site = site;
    await this.#save();
  }

  #save(): Promise<void> {
    return this.#file.write(this.#state);
  }
}
