/**
 * Sends what the subject made and fetches what the site has. One round at a time over all pages of the phone. A round that fails
 * at any point changes nothing but what it had settled, and repeating it is harmless: every item keeps its id and its text.
 */
import { BackOff } from '../../../src-server/phone-protocol/back-off.ts';
import {
  BATCH_LIMITS,
  type Batch,
  batchBody,
  type Outcome,
  takeBatch,
} from '../../../src-server/phone-protocol/batch.ts';
import { offsetOf } from '../../../src-server/phone-protocol/clock-offset.ts';
import { consequenceOf } from '../../../src-server/phone-protocol/problems.ts';
import type { PhoneClock } from '../clock/phone-clock.ts';
import type { Connection, WipeReason } from '../model.ts';
import { outgoing, type Session } from '../store/records.ts';
import type { PhoneStore } from '../store/store.ts';
import type { SiteCalls } from './site-calls.ts';
import { textOf } from './wire.ts';

export interface EngineParts {
  store: PhoneStore;
  clock: PhoneClock;
  calls: SiteCalls;
  /** Runs `work` unless another page runs a round. @returns whether it ran */
  alone: (work: () => Promise<void>) => Promise<boolean>;
  /** The store has changed. */
  onStored: () => Promise<void>;
  onConnection: (connection: Connection) => void;
  onWipe: (reason: WipeReason) => Promise<void>;
  batteryPercent?: () => Promise<number | undefined>;
  random?: () => number;
}

/** While the page is seen and all goes well. */
const EVERY_MS = 3 * 60_000;
/** What somebody at the site must change first. */
const STOPPED_EVERY_MS = 10 * 60_000;
/** After a round of another page. */
const OTHER_PAGE_MS = 1_000;
const MOST_PICTURES = 20;
const CONTACT_TRIES = 3;

interface Failed {
  status?: number;
  code?: string;
  message: string;
  retryAfterSeconds?: number;
  reason?: 'REVOKED' | 'SIGNED_OUT' | 'SIGNED_IN_AGAIN';
}

const NO_ITEMS: Batch = { reports: [], messages: [], reads: [] };

export class SyncEngine {
  readonly #parts: EngineParts;
  readonly #backOff: BackOff;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = false;
  #notBeforeMs = 0;
  #lastContactTs: number | undefined;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#backOff = new BackOff(undefined, parts.random);
  }

  /** Starts a round now, or after the one that runs; waits for it. A wait that the site asked for is kept. */
  async now(): Promise<void> {
    if (this.#isClosed) return;
    const waitMs = this.#notBeforeMs - this.#parts.clock.monotonicMs();
    if (waitMs > 0) return this.#schedule(waitMs);
    if (this.#running) {
      this.#isAskedAgain = true;
      return await this.#running;
    }
    this.#running = this.#loop().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** A round tells its own failures. What is left is a database that this page lost: it is tried again, unless the page is over. */
  async #loop(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      const { alone } = this.#parts;
      const ran = await alone(() => this.#attempt()).catch(() => this.#schedule(this.#backOff.next()));
      // Its round may be past the item that this page has just queued.
      if (ran === false) this.#schedule(OTHER_PAGE_MS);
      // Asked during a round that failed: the network may be back since.
    } while (this.#isAskedAgain && !this.#isClosed && this.#parts.clock.monotonicMs() >= this.#notBeforeMs);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.now(), ms);
  }

  async #attempt(): Promise<void> {
    const { store, clock, onConnection } = this.#parts;
    this.#lastContactTs ??= await store.state('lastContactTs');
    const waitMs = await this.#sendSignOuts();
    const session = await store.state('session');
    if (!session) {
      onConnection({ state: 'OFFLINE' });
      if (waitMs !== undefined) this.#schedule(waitMs);
      return;
    }
    onConnection({ state: 'SENDING', ...this.#contactTime() });
    try {
      await this.#round(session);
      this.#backOff.reset();
      onConnection({ state: 'ONLINE', ...this.#contactTime() });
      this.#schedule(EVERY_MS);
    } catch (thrown) {
      await this.#failed(thrown as Failed, session);
    } finally {
      clock.look();
      await store.keepClock().catch(() => undefined);
    }
  }

  /**
   * Has the site revoke what was signed out here while it was out of reach.
   * @returns the wait before the next try, ms, if one is needed
   */
  async #sendSignOuts(): Promise<number | undefined> {
    const { store, calls, onStored, onConnection } = this.#parts;
    for (const token of (await store.state('signOuts')) ?? []) {
      onConnection({ state: 'SENDING' });
      try {
        await calls.signOut(token);
      } catch (thrown) {
        const { code = 'OTHER', retryAfterSeconds = 0 } = thrown as Failed;
        // Revoked already, erased, or never known: nothing is left to revoke.
        if (consequenceOf(code) !== 'WIPE' && code !== 'UNAUTHORIZED') return this.#backOff.next(retryAfterSeconds);
      }
      await store.removeSignOut(token);
      await onStored();
    }
    return undefined;
  }

  #contactTime() {
    return this.#lastContactTs === undefined ? {} : { lastContactTs: this.#lastContactTs };
  }

  async #failed(thrown: Failed, session: Session): Promise<void> {
    const { store, clock, onConnection, onWipe } = this.#parts;
    const { code = 'OTHER', message, status = 0, retryAfterSeconds = 0, reason = 'REVOKED' } = thrown;
    const consequence = consequenceOf(code);
    if (consequence === 'WIPE') {
      // Another page may have signed in again while this call was on its way with the former credential.
      const now = await store.state('session');
      if (now?.credentialId !== session.credentialId) return;
      return await onWipe(code === 'SUBJECT_ERASED' ? 'SUBJECT_ERASED' : reason);
    }
    const waitMs = consequence === 'STOP' ? STOPPED_EVERY_MS : this.#backOff.next(retryAfterSeconds);
    if (retryAfterSeconds > 0) this.#notBeforeMs = clock.monotonicMs() + retryAfterSeconds * 1000;
    this.#schedule(waitMs);
    const nextTryTs = Math.round(clock.siteNow() + waitMs);
    if (status === 0 && consequence === 'LATER') onConnection({ state: 'OFFLINE', nextTryTs, ...this.#contactTime() });
    else if (consequence === 'STOP') onConnection({ state: 'REFUSED', code, message, ...this.#contactTime() });
    else onConnection({ state: 'OFFLINE', nextTryTs, ...this.#contactTime() });
  }

  async #round(session: Session): Promise<void> {
    const { clock, onStored } = this.#parts;
    // Items get their final times below, which needs the offset of the clock as it is now.
    for (let attempt = 0; attempt < CONTACT_TRIES && !clock.isMeasured; attempt++) await this.#send(session, NO_ITEMS);
    await this.#empty(session);
    await onStored();
    await this.#refresh(session);
    await onStored();
  }

  /** Sends batch after batch until each item had its outcome. */
  async #empty(session: Session): Promise<void> {
    const { store, clock, onStored } = this.#parts;
    const asked = new Set<string>();
    let isContacted = false;
    let limits: typeof BATCH_LIMITS | Record<keyof typeof BATCH_LIMITS, number> = BATCH_LIMITS;
    for (;;) {
      const waiting = (await store.freeze((record) => textOf(record, clock))).filter(({ id }) => !asked.has(id));
      if (waiting.length === 0 && isContacted) return;
      const batch = takeBatch(waiting.map(outgoing), limits);
      const ids = [...batch.reports, ...batch.messages, ...batch.reads].map(({ id }) => id);
      try {
        const { reports, messages } = await this.#send(session, batch);
        await this.#settle(session, [...reports, ...messages], batch);
      } catch (thrown) {
        const { status, code = '', message } = thrown as Failed;
        // Something in the batch breaks the whole call: one by one, only that item is refused.
        if ((status !== 400 && status !== 413) || ids.length === 0) throw thrown;
        if (ids.length > 1) {
          limits = { ...BATCH_LIMITS, reports: 1, messages: 1, readIds: 1, bytes: 0 };
          continue;
        }
        await this.#settle(session, [{ id: ids[0] ?? '', state: 'REFUSED', permanent: true, code, message }], NO_ITEMS);
      }
      isContacted = true;
      for (const id of ids) asked.add(id);
      if (ids.length > 0) await onStored();
      if (waiting.length === 0) return;
    }
  }

  async #settle({ credentialId }: Session, outcomes: readonly Outcome[], { reads }: Batch): Promise<void> {
    const { store, clock } = this.#parts;
    const readIds = reads.map(({ id }) => id);
    await store.settle(outcomes, readIds, (stamp) => clock.siteTime(stamp), credentialId);
  }

  /** One call, which also measures the clock. */
  async #send(session: Session, batch: Batch) {
    const { store, clock, calls, batteryPercent } = this.#parts;
    const battery = await batteryPercent?.().catch(() => undefined);
    const began = clock.stamp();
    const beganMs = clock.monotonicMs();
    const contact = { clockTs: began.wallMs, ...(battery !== undefined && { batteryPercent: battery }) };
    const answer = await calls.sync(session.token, batchBody(batch, contact));
    const { receivedTs, serverTs } = answer;
    const arrivedMs = began.wallMs + Math.round(clock.monotonicMs() - beganMs);
    const sample = offsetOf({ sentMs: began.wallMs, receivedTs, serverTs, arrivedMs });
    if (sample) clock.measured(sample, began);
    this.#lastContactTs = serverTs;
    await store.noteContact(serverTs, session.credentialId);
    return answer;
  }

  async #refresh({ token, credentialId }: Session): Promise<void> {
    const { store, calls } = this.#parts;
    const [program, tasks, messages, sensors] = await Promise.all([
      calls.program(token),
      calls.tasks(token),
      calls.messages(token),
      calls.sensors(token),
    ]);
    const { studyName, subjectName, siteName, timezone: timeZone, isRunning, days } = program;
    const study = { studyName, subjectName, siteName, timeZone, isRunning };
    const refreshed = { study, days, tasks: tasks.items, messages: messages.items, sensors: sensors.items };
    await store.refresh(refreshed, credentialId);
    await this.#fetchPictures(messages.items, credentialId);
  }

  /** Pictures are kept for use without the network. One that cannot be had now is tried in the next round. */
  async #fetchPictures(
    messages: Awaited<ReturnType<SiteCalls['messages']>>['items'],
    credentialId: string,
  ): Promise<void> {
    const { store, calls } = this.#parts;
    const kept = new Set((await store.contents()).pictureIds);
    const missing = messages.filter(({ id, image }) => image && !kept.has(id)).slice(-MOST_PICTURES);
    for (const { id, image } of missing) {
      const picture = await calls.picture(image?.href ?? '').catch(() => undefined);
      // A phone without room still gets the words.
      if (picture) await store.keepPicture(id, picture, credentialId).catch(() => undefined);
    }
  }
}
