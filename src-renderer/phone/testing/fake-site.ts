/** A site in memory that keeps the rules of POST /phone/sync, with faults on the way. */
import { ApiError } from '../../../src-server/api/contract/client-core.ts';
import type { ErrorBody } from '../../../src-server/api/contract/common.ts';
import type { SiteCalls } from '../sync/site-calls.ts';

export interface StoredReport {
  id: string;
  taskId: string;
  startTs: number;
  stopTs: number;
  completedTs: number;
  openedTs: number;
  clock: { offsetMs: number; uncertaintyMs: number; state: string };
  answers: unknown[];
}

/** `BEFORE`: the call never arrives. `AFTER`: the answer is lost. */
export type Fault =
  | 'NONE'
  | 'BEFORE'
  | 'AFTER'
  | { status: number; code: string; retryAfterSeconds?: number; reason?: ErrorBody['reason'] };

type Answers = { [K in keyof SiteCalls]: Awaited<ReturnType<SiteCalls[K]>> };

const unreachable = () => new ApiError(0, 'UNREACHABLE', 'The site could not be reached.');

export class FakeSite {
  readonly reports = new Map<string, string>();
  readonly messages = new Map<string, string>();
  readonly readIds = new Set<string>();
  /** How often each item arrived. */
  readonly arrivals = new Map<string, number>();
  calls = 0;
  nextFault: (call: string) => Fault = () => 'NONE';
  /** True time. */
  now: () => number = () => Date.now();
  program: Partial<Answers['program']> = {};
  tasks: Answers['tasks']['items'] = [];
  teamMessages: Answers['messages']['items'] = [];
  sensors: Answers['sensors']['items'] = [];
  subjectId = 'subject-1';
  signIns = 0;
  /** Site minus phone as the site itself read it at each call, oldest first. */
  readonly readings: number[] = [];
  /** How many of these there were when an item was stored, the one of its own call included. */
  readonly readingsAt = new Map<string, number>();
  /** Tokens that are revoked. */
  readonly revoked = new Set<string>();

  get stored(): StoredReport[] {
    return [...this.reports.values()].map((text) => JSON.parse(text) as StoredReport);
  }

  async #call<T>(name: string, work: () => T): Promise<T> {
    this.calls += 1;
    const fault = this.nextFault(name);
    await Promise.resolve();
    if (fault === 'BEFORE') throw unreachable();
    if (typeof fault === 'object') throw new ApiError(fault.status, fault.code, fault.code, fault);
    const result = work();
    await Promise.resolve();
    if (fault === 'AFTER') throw unreachable();
    return result;
  }

  #take(known: Map<string, string>, item: { id: string }) {
    this.arrivals.set(item.id, (this.arrivals.get(item.id) ?? 0) + 1);
    const text = JSON.stringify(item);
    const before = known.get(item.id);
    if (before === text) return { id: item.id, state: 'KNOWN' as const };
    if (before !== undefined) return { id: item.id, state: 'REFUSED' as const, code: 'CONFLICT', permanent: true };
    known.set(item.id, text);
    this.readingsAt.set(item.id, this.readings.length);
    return { id: item.id, state: 'STORED' as const };
  }

  readonly client: SiteCalls = {
    signIn: () =>
      this.#call('signIn', () => ({
        token: `token-${++this.signIns}`,
        credentialId: `credential-${this.signIns}`,
        siteId: 'site-1',
        siteName: 'Harbour Clinic',
        studyId: 'study-1',
        subjectId: this.subjectId,
        serverTs: this.now(),
        addresses: [],
      })),
    signOut: (token) => this.#call('signOut', () => void this.revoked.add(token)),
    sync: (_token, body) =>
      this.#call('sync', () => {
        const receivedTs = this.now();
        const { reports, messages, readIds, clockTs } = JSON.parse(body) as Record<
          'reports' | 'messages',
          { id: string }[]
        > & { readIds: string[]; clockTs: number };
        this.readings.push(receivedTs - clockTs);
        for (const id of readIds) this.readIds.add(id);
        const taken = reports.map((report) => this.#take(this.reports, report));
        const sent = messages.map((message) => this.#take(this.messages, message));
        return { receivedTs, serverTs: this.now(), reports: taken, messages: sent, unreadMessages: 0 };
      }),
    program: () =>
      this.#call('program', () => ({
        serverTs: this.now(),
        studyName: 'Heart',
        subjectName: 'P-001',
        siteName: 'Harbour Clinic',
        timezone: 'Asia/Tokyo',
        isRunning: true,
        days: [],
        ...this.program,
      })),
    tasks: () => this.#call('tasks', () => ({ items: this.tasks, size: this.tasks.length })),
    messages: () => this.#call('messages', () => ({ items: this.teamMessages, size: this.teamMessages.length })),
    sensors: () => this.#call('sensors', () => ({ items: this.sensors, size: this.sensors.length })),
    picture: () => this.#call('picture', () => new Blob(['jpeg'], { type: 'image/jpeg' })),
  };
}
