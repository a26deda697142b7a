/**
 * Sends the mails of the outbox while a mail server is configured. Delivery is at least once: a mail that was in flight when
 * the site ended is sent again under the same Message-ID. A mail with a one-time code is sent over an encrypted connection only.
 */

import { isOpen } from '../../clock-rules.ts';
import type { CommittedChange, MailRecord, MailServer, NewMail } from '../../db/index.ts';
import { type Diagnostic, diagnostic } from '../../diagnostics.ts';
import { MINUTE_MS } from '../../durations.ts';
import type { SecretBox } from '../../secrets/sealed-text.ts';
import type { Store } from '../../services/index.ts';
import { GIVE_UP_AFTER_MS, LONGEST_WAIT_MS, nextAttemptTs } from '../back-off.ts';
import { Timer } from '../timer.ts';
import { type MailFailure, mailFailure, openTransport } from './transport.ts';

const STORE_RETRY_MS = 2000;
/** After a failure of the connection or the login, the whole queue pauses for this long. */
const SERVER_PAUSE_MS = MINUTE_MS;

type OutgoingMail = Pick<MailRecord, 'id' | 'recipient' | 'subject' | 'body'>;

export interface MailSenderOptions {
  store: Store;
  box: SecretBox;
  clock: () => number;
  /** Name of the sender unless the settings have one. */
  siteName: string;
  onProblem: (problem: unknown) => void;
  timeoutMs?: number;
}

type Transport = Awaited<ReturnType<typeof openTransport>>;

interface OpenServer {
  server: MailServer;
  transport: Transport;
  senderName: string;
}

export class MailSender {
  readonly #options: MailSenderOptions;
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #timer: Timer;
  #unsubscribe: () => void = () => {};
  #pumping: Promise<void> | null = null;
  #pumpAgain = false;
  readonly #closing = new AbortController();
  #pausedUntilTs = Number.NEGATIVE_INFINITY;

  constructor(options: MailSenderOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#timer = new Timer(() => this.wake(), this.#clock);
  }

  start(): void {
    this.#unsubscribe = this.#store.subscribe((change) => this.#onChange(change));
    this.wake();
  }

  /** Looks for due mails now. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#pumping) {
      this.#pumpAgain = true;
      return;
    }
    this.#pumping = this.#pump()
      .catch((thrown: unknown) => {
        this.#options.onProblem(thrown);
        this.#timer.at(this.#clock() + STORE_RETRY_MS);
      })
      .then(() => {
        this.#pumping = null;
        if (!this.#pumpAgain) return;
        this.#pumpAgain = false;
        this.wake();
      });
  }

  /** Sends a mail immediately, without retries, and keeps it in the outbox. Returns why it failed, or undefined. */
  async sendTest(mail: NewMail): Promise<Diagnostic | undefined> {
    const { outbox } = this.#store;
    const id = await outbox.add(mail, { isHeld: true });
    const opened = await this.#open();
    let failure: Diagnostic | undefined = diagnostic('MAIL_NO_SERVER');
    if (opened) {
      failure = (await this.#deliver(opened, { id, ...mail }))?.diagnostic;
      opened.transport.close();
    }
    if (failure === undefined) await outbox.markSent(id);
    else await outbox.markFailed(id, failure);
    return failure;
  }

  /** Interrupts a mail in flight; the next start sends it again. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unsubscribe();
    this.#timer.close();
    await this.#pumping;
  }

  #onChange({ action, entityType, entityId }: CommittedChange): void {
    if (action === 'mail.queue') this.wake();
    if (entityType !== 'setting' || !entityId.startsWith('mail.')) return;
    this.#pausedUntilTs = Number.NEGATIVE_INFINITY;
    this.#store.outbox.hasten().then(() => this.wake(), this.#options.onProblem);
  }

  async #open(): Promise<OpenServer | undefined> {
    const server = await this.#store.settings.get('mail.server');
    if (!server) return undefined;
    const sealed = await this.#store.settings.get('mail.password');
    const password = sealed === null ? undefined : this.#options.box.open(sealed);
    const senderName = (await this.#store.settings.get('site.displayName')) ?? this.#options.siteName;
    return { server, transport: await openTransport(server, password, this.#options.timeoutMs), senderName };
  }

  async #pump(): Promise<void> {
    await this.#store.outbox.endExpired(diagnostic('MAIL_EXPIRED'));
    if (isOpen(this.#pausedUntilTs, SERVER_PAUSE_MS, this.#clock())) {
      this.#timer.at(this.#pausedUntilTs);
      return;
    }
    const mails = await this.#store.outbox.due(LONGEST_WAIT_MS);
    const opened = mails.length > 0 ? await this.#open() : undefined;
    if (opened) await this.#sendAll(opened, mails);
    // Without a server the queue waits for a change of the settings; one-time codes still expire.
    const isResting = mails.length > 0 && !opened;
    const next = isResting ? undefined : await this.#store.outbox.nextDueTs();
    this.#timer.at(Math.max(next ?? Number.POSITIVE_INFINITY, this.#pausedUntilTs));
  }

  async #sendAll(opened: OpenServer, mails: readonly MailRecord[]): Promise<void> {
    try {
      for (const mail of mails) {
        if (this.#closing.signal.aborted || !(await this.#sendOne(opened, mail))) return;
      }
    } finally {
      opened.transport.close();
    }
  }

  /** Returns false when the remaining mails should not be tried now. */
  async #sendOne(opened: OpenServer, mail: MailRecord): Promise<boolean> {
    const { outbox } = this.#store;
    const giveUpTs = mail.queuedTs + GIVE_UP_AFTER_MS;
    if (mail.attempts === 0 && this.#clock() > giveUpTs) {
      await outbox.markFailed(mail.id, diagnostic('MAIL_TOO_LATE'));
      return true;
    }
    if (mail.holdsSecret && opened.server.security === 'NONE') {
      await outbox.markFailed(mail.id, diagnostic('MAIL_UNENCRYPTED'));
      return true;
    }
    const failure = await this.#deliver(opened, mail);
    if (!failure) {
      await outbox.markSent(mail.id);
      return true;
    }
    // Interrupted because the site is closing, not by the server.
    if (this.#closing.signal.aborted) return false;
    const next = failure.isFinal ? undefined : nextAttemptTs(mail.attempts + 1, this.#clock(), giveUpTs);
    if (!failure.isOfThisMail) this.#pausedUntilTs = this.#clock() + SERVER_PAUSE_MS;
    await outbox.markFailed(mail.id, failure.diagnostic, next);
    return failure.isOfThisMail;
  }

  async #deliver({ server, transport, senderName }: OpenServer, mail: OutgoingMail): Promise<MailFailure | undefined> {
    try {
      await transport.sendMail({
        from: { name: senderName, address: server.from },
        to: { name: '', address: mail.recipient },
        subject: mail.subject,
        text: mail.body,
        messageId: `<${mail.id}@${server.from.split('@')[1]}>`,
        headers: { 'auto-submitted': 'auto-generated' },
        signal: this.#closing.signal,
      });
      return undefined;
    } catch (thrown) {
      return mailFailure(thrown, server);
    }
  }
}
