/** What the subject does. Each action resolves once its effect would survive a killed page. */

import type { PhoneClock } from '../clock/phone-clock.ts';
import type { PhoneActions, WipeReason, WritingPlace } from '../model.ts';
import { PhoneFailure } from '../store/failure.ts';
import type { DraftRecord } from '../store/records.ts';
import type { Contents, PhoneStore } from '../store/store.ts';
import type { SiteCalls } from '../sync/site-calls.ts';
import { answered, newDraft, reportOf, timerPaused, timerStarted, timerStopped } from './drafts.ts';
import type { OutgoingText } from './messages.ts';
import { askForPersistence } from './platform.ts';

export interface ActionParts {
  /** @throws STORAGE_UNAVAILABLE */
  store: () => PhoneStore;
  clock: () => PhoneClock;
  contents: () => Contents;
  calls: SiteCalls;
  /** The store has changed: shows it here and in other tabs. */
  stored: () => Promise<void>;
  /** Starts a round without waiting for it. */
  sync: () => void;
  syncNow: () => Promise<void>;
  recordingsChanged: () => Promise<void>;
  wipe: (reason: WipeReason) => Promise<void>;
  setLocked: (isLocked: boolean) => void;
  noteWrite: (isFull: boolean) => void;
  lookAtStorage: () => Promise<void>;
  install: () => Promise<void>;
  applyUpdate: () => void;
}

const SIGN_OUT_WITHIN_MS = 5_000;
/** What few first screens need comes after them. */
export const later = {
  signIn: () => import('./sign-in.ts'),
  lock: () => import('../lock/lock.ts'),
  messages: () => import('./messages.ts'),
  recordings: () => import('../sensors/sending.ts'),
};

/** Loads the rest of the actions before it is needed: without a service worker the network may be gone by then. */
export async function loadActions(): Promise<void> {
  for (const load of Object.values(later)) await load();
}

const newId = () => crypto.randomUUID();

export function actionsOf(parts: ActionParts): PhoneActions {
  const { store, clock, stored, sync } = parts;

  /** One write, shown at once. Every screen shows a full store. */
  async function writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      parts.noteWrite(false);
      await stored();
      return result;
    } catch (thrown) {
      if (thrown instanceof PhoneFailure && thrown.code === 'STORAGE_FULL') parts.noteWrite(true);
      throw thrown;
    }
  }
  const change = (draftId: string, step: (draft: DraftRecord) => DraftRecord) =>
    writing(async () => void (await store().changeDraft(draftId, step)));

  async function send(message: OutgoingText, written: WritingPlace): Promise<void> {
    const { messageRecords } = await later.messages();
    const records = await messageRecords(message, clock().stamp(), newId);
    await writing(() => store().queue(records, written));
    sync();
  }

  return {
    signIn: async (input) => {
      const { signIn } = await later.signIn();
      await writing(() => signIn(parts, input));
    },
    signOut: async () => {
      // First: it holds although the page is killed, or the site is away. Then a round sends what the wipe has kept, the token.
      await parts.wipe('SIGNED_OUT');
      await Promise.race([parts.syncNow(), new Promise((resolve) => setTimeout(resolve, SIGN_OUT_WITHIN_MS))]);
    },
    unlock: async (code) => {
      const { afterFailure, isRightCode, waitMs } = await later.lock();
      const lock = await store().state('lock');
      if (!lock) return true;
      if (waitMs(lock, Date.now()) > 0)
        throw new PhoneFailure('LOCK_WAIT', 'Too many wrong codes. Wait a little, then try again.');
      // Counted before it is compared: a page that is killed meanwhile gives no free try.
      await store().setState({ lock: afterFailure(lock, Date.now()) });
      if (!(await isRightCode(lock, code))) return false;
      await store().setState({ lock: { ...lock, failures: 0 } });
      parts.setLocked(false);
      return true;
    },
    lock: () => parts.setLocked(true),
    setLock: async (code) => {
      const { newLock } = await later.lock();
      const lock = code === null ? null : await newLock(code);
      await writing(() => store().setState({ lock }));
      parts.setLocked(false);
    },

    open: async (taskId, date) => {
      const day = parts.contents().days.find((one) => one.date === date);
      const fresh = newDraft(newId(), { taskId, date, day }, clock().stamp());
      return (await writing(() => store().openDraft(fresh))).id;
    },
    answer: (draftId, questionId, answer, position) =>
      change(draftId, answered(questionId, answer, position, clock().stamp())),
    startTimer: (draftId) => change(draftId, timerStarted(clock().stamp())),
    pauseTimer: (draftId) => change(draftId, timerPaused(clock().stamp(), clock())),
    stopTimer: (draftId) => change(draftId, timerStopped(clock().stamp(), clock())),
    mark: (draftId, { displayName, startTs, stopTs }) => {
      const now = clock().stamp();
      const nowTs = clock().siteTime(now);
      const at = (ts: number) => ({ wallMs: now.wallMs - (nowTs - ts), epoch: now.epoch });
      const mark = { id: newId(), displayName, start: at(startTs), stop: at(stopTs) };
      return change(draftId, (draft) => ({ ...draft, marks: [...draft.marks, mark] }));
    },
    complete: async (draftId) => {
      const { tasks, drafts } = parts.contents();
      const taskId = drafts.find(({ id }) => id === draftId)?.taskId;
      const task = tasks.find(({ id }) => id === taskId);
      await writing(() => store().completeDraft(draftId, reportOf(task, clock().stamp())));
      sync();
    },
    discard: (draftId) => writing(() => store().removeDraft(draftId)),

    writing: async (place) => (await store().state('writing'))?.[place],
    keepWriting: (place, written) => writing(() => store().keepWriting(place, written)),
    sendMessage: (message) => send(message, 'MESSAGE'),
    reportProblem: ({ kind, sensorSerial, body, pictures }) =>
      send({ body, pictures, problem: { kind, ...(sensorSerial !== undefined && { sensorSerial }) } }, 'PROBLEM'),
    markRead: async (ids) => {
      const created = clock().stamp();
      await writing(() => store().queue(ids.map((id) => ({ kind: 'READ', id, title: '', created }))));
      sync();
    },
    removeRefused: (id) => writing(() => store().removeRefused(id)),
    sendAgain: async (id) => {
      await writing(() => store().queueRecordingAgain(id));
      await parts.recordingsChanged();
    },

    syncNow: parts.syncNow,
    recordingsChanged: parts.recordingsChanged,
    askForPersistence: async () => {
      await askForPersistence();
      await parts.lookAtStorage();
    },
    install: parts.install,
    applyUpdate: async () => parts.applyUpdate(),
  };
}
