/**
 * Brings events to webhooks: one attempt at a time per webhook, webhooks beside each other, so a receiver that hangs holds
 * up nobody but itself. At least once: what was under way when the site ended is sent again, under the same id.
 */
import { isDue, isRecent } from '../../clock-rules.ts';
import type { AfterAttempt, CommittedChange, WebhookRecord } from '../../db/index.ts';
import { diagnostic } from '../../diagnostics.ts';
import type { SecretBox } from '../../secrets/sealed-text.ts';
import type { Store } from '../../services/index.ts';
import { LONGEST_WAIT_MS, nextAttemptTs } from '../back-off.ts';
import { Timer } from '../timer.ts';
import { gatherEvents } from './gather.ts';
import { type PostOutcome, post } from './post.ts';
import { signedHeaders } from './signature.ts';

const ATTEMPT_TIMEOUT_MS = 15_000;
/** A delivery that failed this often lets later ones pass: the fault may lie in this one event. */
const HOLDING_ATTEMPTS = 5;
/** How many waiting deliveries are looked at for the next one. */
const LOOK_AHEAD = 200;
/** Many writes in a row are looked at once. */
const GATHER_WAIT_MS = 20;
const STORE_RETRY_MS = 2000;
const KEEP_ENDED_MS = 30 * 24 * 60 * 60 * 1000;
const CLEAN_UP_EVERY_MS = 6 * 60 * 60 * 1000;

export interface DispatcherOptions {
  store: Store;
  box: SecretBox;
  clock: () => number;
  /** Hears of what goes wrong inside, for the log; failures of receivers are in the delivery log. */
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

  /** Goes on where a former run of the site ended. */
  async start(): Promise<void> {
    await this.#store.webhookDeliveries.endUnfinishedTests();
    this.#unsubscribe = this.#store.subscribe((change) => this.#hear(change));
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

  /** Sends one delivery now, whatever waits and whether or not the webhook is enabled; it is not repeated. */
  async sendTest(webhook: WebhookRecord, body: string): Promise<string> {
    const giveUpTs = this.#clock();
    const id = await this.#store.webhookDeliveries.add({ webhookId: webhook.id, body, giveUpTs });
    await this.#attempt(webhook, { id, body, attempts: 0, giveUpTs });
    return id;
  }

  /** Cuts the attempts under way; they are repeated at the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unsubscribe();
    this.#timer.close();
    await this.#pumping;
    await Promise.all([...this.#underWay.values()].map(({ finished }) => finished));
  }

  #hear({ action, entityType, entityId }: CommittedChange): void {
    if (entityType === 'webhook') {
      // Its own doing is looked at where it is done.
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

  /** Begins the next attempt of a webhook; answers when to look again. */
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
      // Events keep their order as long as it helps.
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
        // What could not be written down is tried again in a while, not in a tight loop.
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
      // The receiver compares the time with its own, so it is never a demo's clock.
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
