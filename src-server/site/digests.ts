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
import { type DigestFacts, digestMail, OPEN_NAMES, type OpenName } from './digest-mail.ts';

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

/** With what each open item of a study is counted: a new reason has to be placed here. Items without a study are those of the site. */
const COUNTED_AS: Readonly<Record<AttentionReason, OpenName>> = {
  SKIN_PROBLEM: 'faults',
  PROBLEM_REPORTED: 'faults',
  FOLLOW_UP_DUE: 'followUps',
  VISIT_OVERDUE: 'visits',
  VISIT_DUE: 'visits',
  VISIT_TO_SCHEDULE: 'visits',
  CONSENT_DUE: 'consents',
  QUERY_OPEN: 'queries',
  QUERY_ANSWERED: 'queries',
  NO_DATA: 'withoutData',
  NOT_RETURNED: 'faults',
  MISSED_TASKS: 'missedTasks',
  LOW_BATTERY: 'faults',
  UNREAD_MESSAGE: 'unread',
  UPLOAD_QUARANTINED: 'faults',
  UPLOAD_REFUSED: 'faults',
  DOCK_WAITING: 'faults',
  DOCK_FAILED: 'faults',
  DOCK_UNREADABLE: 'faults',
  DOCK_STORED: 'others',
  VERSION_AWAITED: 'others',
  JOB_FAILED: 'faults',
  BACKUP_FAILED: 'others',
  BACKUP_OVERDUE: 'others',
  BACKUP_DRIVE_AWAY: 'others',
  DATABASE_DAMAGED: 'others',
  SITE_DISCONNECTED: 'others',
  SITE_READ_ONLY: 'others',
  DISK_FULL: 'others',
  DATA_DAMAGED: 'faults',
  AUDIT_CONTRADICTED: 'others',
  FILES_DAMAGED: 'faults',
  FILES_REPAIRED: 'others',
  CLOCK_SET_BACK: 'others',
  CLOCK_AHEAD: 'others',
  CERTIFICATE_ENDS: 'others',
  PHONE_ADDRESS_GONE: 'faults',
  MAIL_FAILING: 'others',
  WEBHOOK_FAILING: 'others',
};

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
        const open = Object.fromEntries(OPEN_NAMES.map((name) => [name, 0])) as Record<OpenName, number>;
        for (const item of items) if (item.studyId === id) open[COUNTED_AS[item.reason]] += 1;
        return {
          name: displayName,
          recordings: came('RECORDING_UPLOADED'),
          reports: came('ACTIVITY_COMPLETED', 'DIARY_COMPLETED'),
          messages: came('MESSAGE_POSTED'),
          ...open,
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
