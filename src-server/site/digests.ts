/**
 * Queues the daily digest of each user who chose one, once per local day of theirs. Which days have had one is stored in the transaction
 * that queues the mail, so neither a restart, nor a clock that jumps, nor a journey across time zones sends a day twice. A site that was
 * closed at the hour sends it when it opens, if it is still that day.
 */
import type { StudyRecord, UserRecord } from '../db/index.ts';
import { DAY_MS, MINUTE_MS } from '../durations.ts';
import type { Store } from '../services/index.ts';
import type { AttentionReason } from '../study/attention.ts';
import { localDateIn } from '../study/day-windows.ts';
import { type DigestFacts, digestMail } from './digest-mail.ts';

export interface DigestItem {
  reason: AttentionReason;
  studyId?: string;
  isMine?: boolean;
}

/** What a user may see, as their Today shows it. */
export interface DigestView {
  studies: readonly StudyRecord[];
  items: readonly DigestItem[];
}

export interface DigestOptions {
  store: Store;
  clock: () => number;
  siteName: string;
  viewOf: (user: UserRecord) => Promise<DigestView>;
  onProblem: (problem: unknown) => void;
}

const FAULTS: ReadonlySet<AttentionReason> = new Set<AttentionReason>([
  ...([
    'SKIN_PROBLEM',
    'PROBLEM_REPORTED',
    'NOT_RETURNED',
    'LOW_BATTERY',
    'UPLOAD_QUARANTINED',
    'UPLOAD_REFUSED',
  ] as const),
  ...(['DOCK_WAITING', 'DOCK_FAILED', 'JOB_FAILED', 'PHONE_ADDRESS_GONE'] as const),
]);

export class DigestSender {
  readonly #options: DigestOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: DigestOptions) {
    this.#options = options;
  }

  /** Looks now and every minute: the clock may be moved. */
  start(): void {
    const look = () => {
      this.#running = this.sendDue().catch(this.#options.onProblem);
    };
    this.#timer = setInterval(look, MINUTE_MS).unref();
    look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Queues what is due. */
  async sendDue(): Promise<void> {
    const { store, clock, onProblem } = this.#options;
    for (const { userId, hour } of await store.digests.choices()) {
      if (this.#isClosed) return;
      const user = await store.users.require(userId);
      const nowMs = clock();
      if (hourIn(nowMs, user.timezone) < hour) continue;
      const date = localDateIn(nowMs, user.timezone);
      if (await store.digests.isSent(userId, date)) continue;
      // The digest of one must not keep those of others.
      await this.#send(user, date).catch(onProblem);
    }
  }

  async #send(user: UserRecord, date: string): Promise<void> {
    const { store, clock, siteName } = this.#options;
    const facts = await this.#facts(user, date);
    const clinic = (await store.settings.get('site.displayName')) ?? siteName;
    const { accountId, email } = user;
    const mail = digestMail(user, clinic, facts);
    await store.transaction(async ({ digests, outbox }) => {
      if (!(await digests.claim(user.id, date))) return;
      // Without a mail server it stays in the outbox. Old news is not sent when one is set later.
      await outbox.add({ accountId, recipient: email, ...mail, expirationTs: clock() + DAY_MS });
    });
  }

  async #facts(user: UserRecord, date: string): Promise<DigestFacts> {
    const { store, clock, viewOf } = this.#options;
    const { studies, items } = await viewOf(user);
    const current = studies.filter(({ isArchived, lifecycleState }) => !isArchived && lifecycleState !== 'INITIALIZED');
    const counts = await store.digests.counts(
      current.map(({ id }) => id),
      clock() - DAY_MS,
    );
    return {
      date,
      studies: current.map(({ id, displayName }) => {
        const came = (...actions: string[]) =>
          counts
            .filter(({ studyId, action }) => studyId === id && actions.includes(action))
            .reduce((sum, { count }) => sum + count, 0);
        const open = (isMeant: (item: DigestItem) => boolean) =>
          items.filter((item) => item.studyId === id && isMeant(item)).length;
        return {
          name: displayName,
          recordings: came('RECORDING_UPLOADED'),
          reports: came('ACTIVITY_COMPLETED', 'DIARY_COMPLETED'),
          messages: came('MESSAGE_POSTED'),
          withoutData: open(({ reason }) => reason === 'NO_DATA'),
          missedTasks: open(({ reason }) => reason === 'MISSED_TASKS'),
          followUps: open(({ reason }) => reason === 'FOLLOW_UP_DUE'),
          queries: open(({ reason }) => reason === 'QUERY_OPEN' || reason === 'QUERY_ANSWERED'),
          unread: open(({ reason }) => reason === 'UNREAD_MESSAGE'),
          faults: open(({ reason }) => FAULTS.has(reason)),
        };
      }),
      siteItems: items.filter(({ studyId }) => studyId === undefined).length,
    };
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

function hourIn(nowMs: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone });
    formats.set(timeZone, format);
  }
  return Number(format.format(nowMs));
}
