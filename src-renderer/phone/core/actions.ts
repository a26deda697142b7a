/** What the subject does. Each action resolves once its effect would survive a killed page. */

import { PhoneProblem } from '../../../src-server/phone-protocol/problems.ts';
import { isSignInLink, readSignInLink } from '../../../src-server/phone-protocol/sign-in-link.ts';
import type { PhoneClock } from '../clock/phone-clock.ts';
import { afterFailure, isRightCode, newLock, waitMs } from '../lock/lock.ts';
import type { PhoneActions, WipeReason } from '../model.ts';
import { PhoneFailure } from '../store/failure.ts';
import type { DraftRecord } from '../store/records.ts';
import type { Contents, PhoneStore } from '../store/store.ts';
import type { SiteCalls } from '../sync/site-calls.ts';
import { answered, newDraft, reportOf, timerPaused, timerStarted, timerStopped } from './drafts.ts';
import { marker } from './marker.ts';
import { messageRecords } from './messages.ts';
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
  wipe: (reason: WipeReason) => Promise<void>;
  setLocked: (isLocked: boolean) => void;
  noteWrite: (isFull: boolean) => void;
  lookAtStorage: () => Promise<void>;
  install: () => Promise<void>;
  applyUpdate: () => void;
}

const SIGN_OUT_WITHIN_MS = 5_000;
const newId = () => crypto.randomUUID();

export function actionsOf(parts: ActionParts): PhoneActions {
  const { store, clock, calls, stored, sync } = parts;

  /** One write, shown at once. A full store is told on every screen. */
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

  async function send(message: Parameters<typeof messageRecords>[0]): Promise<void> {
    const records = await messageRecords(message, clock().stamp(), newId);
    await writing(() => store().queue(records));
    sync();
  }

  return {
    signIn: (input) => writing(() => signIn(parts, input)),
    signOut: async () => {
      const session = await store().state('session');
      // Away from the site the credential stays valid there until it is revoked; the phone forgets it in any case.
      const told = session ? calls.signOut(session.token).catch(() => undefined) : undefined;
      await Promise.race([told, new Promise((resolve) => setTimeout(resolve, SIGN_OUT_WITHIN_MS))]);
      await parts.wipe('SIGNED_OUT');
    },
    unlock: async (code) => {
      const lock = await store().state('lock');
      if (!lock) return true;
      if (waitMs(lock, Date.now()) > 0)
        throw new PhoneFailure('THROTTLED', 'Too many wrong codes. Wait a few minutes.');
      // Counted before it is compared: a page that is killed meanwhile gives no free try.
      await store().setState({ lock: afterFailure(lock, Date.now()) });
      if (!(await isRightCode(lock, code))) return false;
      await store().setState({ lock: { ...lock, failures: 0 } });
      parts.setLocked(false);
      return true;
    },
    lock: () => parts.setLocked(true),
    setLock: async (code) => {
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

    sendMessage: send,
    reportProblem: ({ kind, sensorSerial, body, pictures }) =>
      send({ body, pictures, problem: { kind, ...(sensorSerial !== undefined && { sensorSerial }) } }),
    markRead: async (ids) => {
      const created = clock().stamp();
      await writing(() => store().queue(ids.map((id) => ({ kind: 'READ', id, title: '', created }))));
      sync();
    },
    removeRefused: (id) => writing(() => store().removeRefused(id)),

    syncNow: parts.syncNow,
    askForPersistence: async () => {
      await askForPersistence();
      await parts.lookAtStorage();
    },
    install: parts.install,
    applyUpdate: async () => parts.applyUpdate(),
  };
}

function tokenOf(input: { token: string } | { link: string }): string {
  if ('token' in input && !isSignInLink(input.token)) return input.token;
  const text = 'token' in input ? input.token : input.link;
  try {
    const { token, urls } = readSignInLink(text);
    // Storage belongs to an address: a code for another one leads to another site, or to an address that would not be found again.
    if (!urls.some((url) => URL.canParse(url) && new URL(url).host === location.host))
      throw new PhoneFailure('WRONG_SITE', 'This code belongs to another address. Open the link that came with it.');
    return token;
  } catch (thrown) {
    if (thrown instanceof PhoneProblem) throw new PhoneFailure('LINK_INVALID', thrown.message);
    throw thrown;
  }
}

async function signIn(parts: ActionParts, input: { token: string } | { link: string }): Promise<void> {
  const { store, clock, calls } = parts;
  const token = tokenOf(input);
  // One subject's data at a time: what is here is sent or given up by signing out first.
  if (await store().state('session'))
    throw new PhoneFailure('ALREADY_SIGNED_IN', 'Another subject is signed in on this phone. Sign out first.');
  const phoneId = (await store().state('phoneId')) ?? newId();
  // Kept before the call: if the answer is lost, the same phone may repeat it.
  await store().setState({ phoneId });
  const answer = await calls.signIn({ token, phoneId, clockTs: clock().stamp().wallMs }).catch((thrown: unknown) => {
    const { status, message, code } = thrown as { status?: number; message: string; code?: string };
    if (status === 0) throw new PhoneFailure('NETWORK', message);
    if (code === undefined || (status !== undefined && status >= 500))
      throw new PhoneFailure('SITE_UNAVAILABLE', message);
    // The id is a serial number of the site's equipment: the next try has another one.
    if (code === 'CONFLICT')
      return store()
        .setState({ phoneId: null })
        .then(() => Promise.reject(thrown));
    throw thrown;
  });
  const { siteId, siteName, studyId, subjectId, credentialId } = answer;
  // Before the session: a note of a wipe beside one would be taken for a wipe that was interrupted.
  marker.clear();
  await store().setState({ session: { siteId, siteName, studyId, subjectId, credentialId, token: answer.token } });
  await parts.stored();
  // The first call with the credential ends the token; its answer has the names to confirm.
  await parts.syncNow();
}
