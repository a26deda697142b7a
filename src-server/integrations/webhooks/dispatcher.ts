/**
 * Delivers events to webhooks, one attempt at a time per webhook and all webhooks in parallel, so a receiver that hangs delays
 * only itself. Delivery is at least once: an attempt that was interrupted by the end of the site is repeated under the same id.
 */
import { isDue, isRecent } from '../../clock-rules.ts';
import type { AfterAttempt, CommittedChange, WebhookRecord } from '../../db/index.ts';
import { diagnostic } from '../../diagnostics.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import type { SecretBox } from '../../secrets/sealed-text.ts';
import type { Store } from '../../services/index.ts';
import { LONGEST_WAIT_MS, nextAttemptTs } from '../back-off.ts';
import { Timer } from '../timer.ts';
import { gatherEvents } from './gather.ts';
import { type PostOutcome, post } from './post.ts';
import { signedHeaders } from './signature.ts';

const ATTEMPT_TIMEOUT_MS = 15_000;
/** After this many failures a delivery no longer holds back later ones: the cause may be this one event. */
const HOLDING_ATTEMPTS = 5;
/** How many pending deliveries are searched for the next due one. */
const LOOK_AHEAD = 200;
/** Debounces a burst of writes. */
const GATHER_WAIT_MS = 20;
const STORE_RETRY_MS = 2000;
const KEEP_ENDED_MS = 30 * DAY_MS;
const CLEAN_UP_EVERY_MS = 6 * HOUR_MS;

export interface DispatcherOptions {
  store: Store;
  box: SecretBox;
  clock: () => number;
  /** Receives internal failures, for the log. Failures of receivers are in the delivery log. */
  onProblem: (problem: unknown) => void;
  attemptTimeoutMs?: number;
}

interface UnderWay {
  abort: AbortController;
  finished: Promise<void>;
}

export class WebhookDispatcher {
  readonly #store: Store;
  readonly #box: SecretBox;
  readonly #clock: () => number;
  readonly #onProblem: (problem: unknown) => void;
  readonly #attemptTimeoutMs: number;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #closing = new AbortController();
  readonly #timer: Timer;
  #unsubscribe: () => void = () => {};
  #pumping: Promise<void> | null = null;
  #pumpAgain = false;
  #isWakingSoon = false;
  #cleanedUpTs = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions) {
    this.#store = options.store;
    this.#box = options.box;
    this.#clock = options.clock;
    this.#onProblem = options.onProblem;
    this.#attemptTimeoutMs = options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS;
    this.#timer = new Timer(() => this.wake(), this.#clock);
  }

  /** Resumes after a restart of the site. */
  async start(): Promise<void> {
    await this.#store.webhookDeliveries.endUnfinishedTests();
    this.#unsubscribe = this.#store.subscribe((change) => this.#onChange(change));
    this.wake();
  }

  /** Looks for events and due deliveries now. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#pumping) {
      this.#pumpAgain = true;
      return;
    }
    this.#pumping = this.#pump()
      .catch((thrown: unknown) => {
        this.#onProblem(thrown);
        this.#timer.at(this.#clock() + STORE_RETRY_MS);
      })
      .then(() => {
        this.#pumping = null;
        if (!this.#pumpAgain) return;
        this.#pumpAgain = false;
        this.wake();
      });
  }

  /** Sends one delivery immediately, even if the webhook is disabled or has pending ones; without retries. */
  async sendTest(webhook: WebhookRecord, body: string): Promise<string> {
    const giveUpTs = this.#clock();
    const id = await this.#store.webhookDeliveries.add({ webhookId: webhook.id, body, giveUpTs });
    await this.#attempt(webhook, { id, body, attempts: 0, giveUpTs });
    return id;
  }

  /** Interrupts running attempts; the next start repeats them. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unsubscribe();
    this.#timer.close();
    await this.#pumping;
    await Promise.all([...this.#underWay.values()].map(({ finished }) => finished));
  }

  #onChange({ action, entityType, entityId }: CommittedChange): void {
    if (entityType === 'webhook') {
      // The dispatcher's own writes; `#run` handles them.
      if (action === 'webhook.attempt') return;
      if (action === 'webhook.remove') this.#underWay.get(entityId)?.abort.abort();
      this.wake();
    } else if (entityType !== 'mail' && entityType !== 'job') {
      this.#wakeSoon();
    }
  }

  #wakeSoon(): void {
    if (this.#isWakingSoon) return;
    this.#isWakingSoon = true;
    setTimeout(() => {
      this.#isWakingSoon = false;
      this.wake();
    }, GATHER_WAIT_MS).unref();
  }

  async #pump(): Promise<void> {
    const webhooks = await this.#store.webhooks.enabled();
    await this.#cleanUp();
    if (webhooks.length === 0) return;
    const newest = await this.#store.events.lastSequence();
    let next = Number.POSITIVE_INFINITY;
    for (const webhook of webhooks) {
      if (this.#closing.signal.aborted) return;
      if (webhook.eventSequence < newest) await gatherEvents(this.#store, webhook.id, this.#clock);
      if (this.#underWay.has(webhook.id)) continue;
      next = Math.min(next, await this.#begin(webhook));
    }
    this.#timer.at(next);
  }

  /** Starts the next attempt of a webhook. Returns when to look again. */
  async #begin(webhook: WebhookRecord): Promise<number> {
    const now = this.#clock();
    let next = Number.POSITIVE_INFINITY;
    for (const waiting of await this.#store.webhookDeliveries.waiting(webhook.id, LOOK_AHEAD)) {
      const dueTs = waiting.nextAttemptTs ?? now;
      if (isDue(dueTs, LONGEST_WAIT_MS, now)) {
        const delivery = await this.#store.webhookDeliveries.get(waiting.id);
        if (delivery) this.#run(webhook, delivery);
        return next;
      }
      next = Math.min(next, dueTs);
      // Keep the order of events until the first one has failed too often.
      if (waiting.attempts < HOLDING_ATTEMPTS) return next;
    }
    return next;
  }

  #run(webhook: WebhookRecord, delivery: { id: string; body: string; attempts: number; giveUpTs: number }): void {
    const abort = new AbortController();
    const finished = this.#attempt(webhook, delivery, abort.signal)
      .then(
        () => true,
        (thrown: unknown) => {
          if (!abort.signal.aborted && !this.#closing.signal.aborted) this.#onProblem(thrown);
          return false;
        },
      )
      .then((isRecorded) => {
        this.#underWay.delete(webhook.id);
        if (isRecorded) this.wake();
        // If the outcome could not be stored, pause instead of retrying in a tight loop.
        else this.#timer.at(this.#clock() + STORE_RETRY_MS);
      });
    this.#underWay.set(webhook.id, { abort, finished });
  }

  async #attempt(
    webhook: WebhookRecord,
    delivery: { id: string; body: string; attempts: number; giveUpTs: number },
    signal?: AbortSignal,
  ): Promise<void> {
    const startedTs = this.#clock();
    const outcome = await this.#send(webhook, delivery, signal);
    const attempt = { ...outcome, startedTs };
    await this.#store.transaction(async ({ webhookDeliveries, webhooks }) => {
      await webhookDeliveries.recordAttempt(delivery.id, attempt, this.#after(delivery, outcome));
      if (outcome.status === 410) await webhooks.disable(webhook.id, diagnostic('RECEIVER_GONE').message);
    });
  }

  async #send(
    webhook: WebhookRecord,
    delivery: { id: string; body: string },
    signal?: AbortSignal,
  ): Promise<PostOutcome> {
    const sealed = await this.#store.webhooks.sealedSecrets(webhook.id);
    const secrets = sealed.map((text) => this.#box.open(text)).filter((secret) => secret !== undefined);
    if (secrets.length === 0) return { diagnostic: diagnostic('SECRET_UNREADABLE'), durationMs: 0 };
    const { allowLocalTargets } = await this.#store.settings.get('webhooks.policy');
    return await post({
      url: webhook.url,
      // Real time, never a demo's clock: the receiver compares it with its own.
      headers: signedHeaders(delivery.id, delivery.body, secrets, new Date()),
      body: delivery.body,
      ...(webhook.trustedCertificate && { trustedCertificate: webhook.trustedCertificate }),
      allowLocal: allowLocalTargets,
      timeoutMs: this.#attemptTimeoutMs,
      signal: signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal,
    });
  }

  #after(delivery: { attempts: number; giveUpTs: number }, { status, diagnostic: failure }: PostOutcome): AfterAttempt {
    if (failure === undefined) return { state: 'delivered' };
    if (status === 410) return { state: 'failed' };
    const next = nextAttemptTs(delivery.attempts + 1, this.#clock(), delivery.giveUpTs);
    return next === undefined ? { state: 'failed' } : { state: 'waiting', nextAttemptTs: next };
  }

  async #cleanUp(): Promise<void> {
    const now = this.#clock();
    if (isRecent(this.#cleanedUpTs, CLEAN_UP_EVERY_MS, now)) return;
    this.#cleanedUpTs = now;
    await this.#store.webhookDeliveries.removeEndedBefore(now - KEEP_ENDED_MS);
  }
}
