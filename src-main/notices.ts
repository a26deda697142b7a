/** Notifications about items that need attention: one at a time, once for each item, and none while the window is in use. */
import { Notification } from 'electron';
import type { AttentionItem } from '../src-server/api/contract/index.ts';
import { noticeText } from './notice-words.ts';
import type { PageLanguage } from './pages/words.ts';

type Item = Pick<AttentionItem, 'id' | 'reason' | 'studyId' | 'subjectId' | 'subjectName'>;

export interface NoticeActions {
  language(): PageLanguage;
  isOn(): boolean;
  /** Whether subjects may be named: a notification also stands on a locked screen. */
  namesSubjects(): boolean;
  /** Whether somebody sees the window. */
  isInUse(): boolean;
  /** Shows the window with a page of the desk. */
  open(path: string): void;
}

const OF_SUBJECT: Partial<Record<Item['reason'], string>> = {
  NO_DATA: 'coverage',
  NOT_RETURNED: 'equipment',
  MISSED_TASKS: 'tasks',
  LOW_BATTERY: 'equipment',
  UNREAD_MESSAGE: 'messages',
  SKIN_PROBLEM: 'messages',
  PROBLEM_REPORTED: 'messages',
};
const OF_SITE: Partial<Record<Item['reason'], string>> = {
  UPLOAD_QUARANTINED: '/equipment/uploads',
  UPLOAD_REFUSED: '/equipment/uploads',
  DOCK_WAITING: '/equipment/docks',
  DOCK_FAILED: '/equipment/docks',
  DOCK_STORED: '/equipment/docks',
  JOB_FAILED: '/site/jobs',
  BACKUP_FAILED: '/site/backups',
  BACKUP_OVERDUE: '/site/backups',
  BACKUP_DRIVE_AWAY: '/site/backups',
  DATA_DAMAGED: '/site/backups',
  FILES_DAMAGED: '/site/backups',
  FILES_REPAIRED: '/site',
  CERTIFICATE_ENDS: '/site/network',
  PHONE_ADDRESS_GONE: '/site/network',
  MAIL_FAILING: '/site/mail',
  WEBHOOK_FAILING: '/site/webhooks',
};

/** Address of the page where somebody deals with an item; Today where there is none of its own. */
export const pathOf = ({ reason, studyId, subjectId }: Item): string => {
  const page = OF_SUBJECT[reason];
  if (page !== undefined && studyId !== undefined && subjectId !== undefined)
    return `/studies/${studyId}/subjects/${subjectId}/${page}`;
  return OF_SITE[reason] ?? '/';
};

export class Notices {
  readonly #actions: NoticeActions;
  /** Items of the last list; null before the first one, which is what Today shows anyway. */
  #known: ReadonlySet<string> | null = null;
  /** Items that nobody has looked at yet. */
  #unseen: Item[] = [];
  #shown: Notification | null = null;

  constructor(actions: NoticeActions) {
    this.#actions = actions;
  }

  /** Takes the list that Today shows now. */
  update(items: readonly Item[]): void {
    const known = this.#known;
    this.#known = new Set(items.map(({ id }) => id));
    if (known === null) return;
    const fresh = items.filter(({ id }) => !known.has(id));
    // What somebody has dealt with meanwhile no longer counts.
    const unseen = [...this.#unseen.filter(({ id }) => this.#known?.has(id)), ...fresh];
    if (unseen.length === 0 || !this.#actions.isOn() || this.#actions.isInUse()) {
      this.seen();
      return;
    }
    this.#unseen = unseen;
    if (fresh.length > 0) this.#show();
  }

  /** Somebody looks at the window, so the notification has served its purpose. */
  seen(): void {
    this.#unseen = [];
    this.#shown?.close();
    this.#shown = null;
  }

  /** Nobody is signed in any more: the next list is of another person. */
  reset(): void {
    this.seen();
    this.#known = null;
  }

  #show(): void {
    if (!Notification.isSupported()) return;
    // One that stands already is replaced by one that counts both.
    this.#shown?.close();
    const { language, namesSubjects, open } = this.#actions;
    const [first, ...more] = this.#unseen;
    if (!first) return;
    const path = more.length === 0 ? pathOf(first) : '/';
    const notification = new Notification(noticeText(this.#unseen, namesSubjects(), language()));
    notification.on('click', () => {
      this.seen();
      open(path);
    });
    notification.show();
    this.#shown = notification;
  }
}
