/**
 * A subject's phone as `resources/protocol/phone.md` describes it: it signs in with the subject's token, or is paired as
 * equipment, and keeps what the subject did in a queue until the site has it. Killed at any time, it loses nothing.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '../device/connection.ts';
import { type DeviceStatus, SiteLink, type SiteRecord } from '../device/paired-device.ts';
import type { PairingInvitation, PairingSteps } from '../device/pairing.ts';
import { StateFile } from '../device/state-file.ts';

export interface PhoneOptions {
  folder: string;
  /** Serial number of a phone of the clinic; a phone of the subject's own has none. */
  serial?: string;
  displayName?: string;
  clock?: () => number;
  /** The answer to a call that sends is lost, although the site got it. */
  loseAnswer?: () => boolean;
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

export interface Outcome {
  id: string;
  state: 'STORED' | 'KNOWN' | 'REFUSED';
  code?: string;
  message?: string;
  permanent?: boolean;
}

interface PhoneState {
  phoneId: string;
  site?: SiteRecord;
  reports: PhoneReport[];
  messages: { id: string; body: string }[];
  readIds: string[];
  /** Refused for good: shown to the subject, never sent again. */
  refused: Outcome[];
}

interface SignInAnswer {
  token: string;
  credentialId: string;
  siteId: string;
  siteName: string;
  addresses: string[];
}

const BATCH = 100;

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
   * Signs in with the token of a subject. Without a fingerprint the key that is met first is taken and kept.
   * @throws Refusal (LOGIN_FAILED, THROTTLED), PinMismatch
   */
  async signIn(url: string, token: string, fingerprint?: string): Promise<void> {
    const pins = fingerprint === undefined ? [] : [fingerprint];
    const connection = new Connection({ urls: [url], pins });
    try {
      const body = { token, phoneId: this.#state.phoneId };
      const answer = await connection.json<SignInAnswer>('/phone/sign-in', body);
      const { siteId, siteName, credentialId, addresses } = answer;
      const urls = addresses.length > 0 ? addresses : [url];
      await this.#link.enter({ siteId, siteName, credentialId, token: answer.token, pins, urls });
    } finally {
      connection.close();
    }
  }

  /** Pairs a phone of the clinic, as a hub is. @throws as `SimulatedHub.pair` */
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

  /** The subject did a task; it waits on the phone until {@link sync}. Answers its id. */
  async report(report: Omit<PhoneReport, 'id'> & { id?: string }): Promise<string> {
    const id = report.id ?? randomUUID();
    this.#state.reports.push({ ...report, id });
    await this.#save();
    return id;
  }

  /** The subject wrote a message; it waits as a report does. */
  async write(body: string): Promise<string> {
    const id = randomUUID();
    this.#state.messages.push({ id, body });
    await this.#save();
    return id;
  }

  /** The subject read messages of the team. */
  async markRead(ids: readonly string[]): Promise<void> {
    this.#state.readIds.push(...ids);
    await this.#save();
  }

  /**
   * Sends what waits, in its order. What the site has is forgotten; what it refused for good is kept aside.
   * @throws network errors and refusals of the whole call: everything waits on
   */
  async sync(): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const state = this.#state;
    for (const reports of chunks(state.reports)) {
      const some = await this.#send('/phone/reports', { reports });
      await this.#settle(state.reports, some);
      outcomes.push(...some);
    }
    for (const messages of chunks(state.messages)) {
      const some = await this.#send('/phone/messages', { messages });
      await this.#settle(state.messages, some);
      outcomes.push(...some);
    }
    if (state.readIds.length > 0) {
      const ids = [...state.readIds];
      await this.#link.connection.json('/phone/messages/read', { ids });
      state.readIds = state.readIds.filter((id) => !ids.includes(id));
      await this.#save();
    }
    return outcomes;
  }

  /** Tells how the phone is. */
  async contact(batteryPercent: number): Promise<void> {
    await this.#link.connection.json('/device/contact', { clockTs: this.#clock(), batteryPercent });
  }

  close(): void {
    this.#link.close();
  }

  async #send(path: string, json: unknown): Promise<Outcome[]> {
    const isLost = this.#options.loseAnswer?.() === true;
    const cut = isLost ? { cutAfterBytes: Buffer.byteLength(JSON.stringify(json)) } : {};
    const answer = await this.#link.connection.call({ method: 'POST', path, json, ...cut });
    return (answer.body as { outcomes: Outcome[] }).outcomes;
  }

  /** Takes out of the queue what has ended. */
  async #settle(waiting: { id: string }[], outcomes: readonly Outcome[]): Promise<void> {
    for (const outcome of outcomes) {
      if (outcome.state === 'REFUSED' && outcome.permanent !== true) continue;
      const at = waiting.findIndex(({ id }) => id === outcome.id);
      if (at >= 0) waiting.splice(at, 1);
      if (outcome.state === 'REFUSED') this.#state.refused.push(outcome);
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

function chunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, index) =>
    items.slice(index * BATCH, (index + 1) * BATCH),
  );
}
