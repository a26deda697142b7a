/** The model of the screens in memory: what a screen does is seen by the next one, and lost with the page. */
import type { Draft, DueTask, PhoneActions, PhoneModel, PhoneSnapshot, Writing, WritingPlace } from '../model.ts';

class Refused extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The sign-in code that the model takes; any other is refused. */
export const GOOD_TOKEN = 'ABCDEFGHJKLMNPQRST23';
export const LOCK_CODE = '2468';

export interface MemoryModel extends PhoneModel {
  /** Changes what the screens see, as the site or the phone would. */
  change(update: (before: PhoneSnapshot) => Partial<PhoneSnapshot>): void;
}

export function createMemoryModel(initial: PhoneSnapshot): MemoryModel {
  let current = initial;
  let made = 0;
  const listeners = new Set<() => void>();
  const writings = new Map<WritingPlace, Writing>();
  const change: MemoryModel['change'] = (update) => {
    current = { ...current, ...update(current) };
    for (const listener of listeners) listener();
  };
  const now = () => Date.now() + (current.clock.offsetMs ?? 0);
  const newId = (kind: string) => `${kind}-${++made}`;
  const changeDraft = (id: string, update: (draft: Draft) => Partial<Draft>) => {
    const draft = current.drafts[id];
    if (!draft) throw new Refused('NOT_FOUND');
    change(({ drafts }) => ({ drafts: { ...drafts, [id]: { ...draft, ...update(draft) } } }));
  };
  const changeDue = (date: string, taskId: string, update: Partial<DueTask>) =>
    change(({ days }) => ({
      days: days.map((day) =>
        day.date === date
          ? { ...day, tasks: day.tasks.map((task) => (task.taskId === taskId ? { ...task, ...update } : task)) }
          : day,
      ),
    }));
  const withoutDraft = (id: string) =>
    change(({ drafts }) => ({ drafts: Object.fromEntries(Object.entries(drafts).filter(([key]) => key !== id)) }));
  const runFor = (draft: Draft) =>
    draft.elapsedMs + (draft.runningSinceTs === undefined ? 0 : Math.max(0, now() - draft.runningSinceTs));
  const isOffline = () => current.connection.state === 'OFFLINE';
  const say = (body: string, isProblem: boolean, pictures: readonly Blob[]) =>
    change(({ messages, waiting }) => {
      const id = newId('message');
      const state = isOffline() ? 'WAITING' : 'SENT';
      return {
        messages: [
          ...messages,
          {
            id,
            from: 'SUBJECT',
            authorName: 'N-104',
            body,
            createdTs: now(),
            isRead: false,
            state,
            isProblem,
            pictures: pictures.map((picture) => ({
              id: newId('picture'),
              url: URL.createObjectURL(picture),
              mimeType: picture.type,
              sizeBytes: picture.size,
            })),
          },
        ],
        waiting:
          state === 'SENT'
            ? waiting
            : [
                ...waiting,
                {
                  id,
                  kind: isProblem ? 'PROBLEM' : 'MESSAGE',
                  title: body.slice(0, 40),
                  createdTs: now(),
                  state: 'WAITING',
                },
              ],
      };
    });

  const actions: PhoneActions = {
    async signIn(input) {
      const token = 'token' in input ? input.token : (new URLSearchParams(input.link.split('#')[1]).get('t') ?? '');
      if (token !== GOOD_TOKEN) throw new Refused('LOGIN_FAILED');
      change(() => ({ ...initial, phase: 'READY' }));
    },
    async signOut() {
      change(({ waiting }) => ({
        phase: 'WIPED',
        wipedBecause: 'SIGNED_OUT',
        wipedUnsent: waiting.length,
        signOutWaits: isOffline(),
        waiting: [],
        drafts: {},
      }));
    },
    async unlock(code) {
      if (code !== LOCK_CODE) return false;
      change(() => ({ phase: 'READY' }));
      return true;
    },
    lock: () => change(({ hasLock }) => (hasLock ? { phase: 'LOCKED' } : {})),
    setLock: async (code) => change(() => ({ hasLock: code !== null })),

    async open(taskId, date) {
      const known = Object.values(current.drafts).find((draft) => draft.taskId === taskId && draft.date === date);
      if (known) return known.id;
      const id = newId('draft');
      const draft: Draft = { id, taskId, date, openedTs: now(), elapsedMs: 0, answers: {}, position: 0, marks: [] };
      change(({ drafts }) => ({ drafts: { ...drafts, [id]: draft } }));
      changeDue(date, taskId, { state: 'STARTED', draftId: id });
      return id;
    },
    answer: async (draftId, questionId, answer, position) =>
      changeDraft(draftId, ({ answers }) => ({ answers: { ...answers, [questionId]: answer }, position })),
    startTimer: async (draftId) =>
      changeDraft(draftId, ({ startedTs, runningSinceTs }) => ({
        startedTs: startedTs ?? now(),
        runningSinceTs: runningSinceTs ?? now(),
      })),
    pauseTimer: async (draftId) =>
      changeDraft(draftId, (draft) => ({ elapsedMs: runFor(draft), runningSinceTs: undefined })),
    stopTimer: async (draftId) =>
      changeDraft(draftId, (draft) => ({ elapsedMs: runFor(draft), runningSinceTs: undefined, stoppedTs: now() })),
    mark: async (draftId, mark) =>
      changeDraft(draftId, ({ marks }) => ({ marks: [...marks, { ...mark, id: newId('mark') }] })),
    async complete(draftId) {
      const draft = current.drafts[draftId];
      if (!draft) throw new Refused('NOT_FOUND');
      if (current.storage.state === 'FULL') throw new Refused('STORAGE_FULL');
      changeDue(draft.date, draft.taskId, {
        state: isOffline() ? 'WAITING_TO_SEND' : 'DONE',
        completedTs: now(),
        draftId: undefined,
      });
      if (isOffline())
        change(({ waiting, tasks }) => ({
          waiting: [
            ...waiting,
            {
              id: draftId,
              kind: 'REPORT',
              title: tasks[draft.taskId]?.displayName ?? '',
              createdTs: now(),
              state: 'WAITING',
            },
          ],
        }));
      withoutDraft(draftId);
    },
    async discard(draftId) {
      const draft = current.drafts[draftId];
      if (draft) changeDue(draft.date, draft.taskId, { state: 'DUE', draftId: undefined });
      withoutDraft(draftId);
    },

    writing: async (place) => writings.get(place),
    keepWriting: async (place, writing) => {
      if (writing) writings.set(place, writing);
      else writings.delete(place);
    },
    async sendMessage({ body, pictures }) {
      writings.delete('MESSAGE');
      say(body, false, pictures);
    },
    async reportProblem({ kind, body, pictures }) {
      writings.delete('PROBLEM');
      say(body || kind, true, pictures);
    },
    markRead: async (ids) =>
      change(({ messages, unreadMessages }) => ({
        messages: messages.map((message) => (ids.includes(message.id) ? { ...message, isRead: true } : message)),
        unreadMessages: Math.max(0, unreadMessages - ids.length),
      })),
    sendAgain: async (id) =>
      change(({ waiting }) => ({
        waiting: waiting.map((item) => (item.id === id ? { ...item, state: 'WAITING' } : item)),
      })),
    removeRefused: async (id) => change(({ waiting }) => ({ waiting: waiting.filter((item) => item.id !== id) })),

    async syncNow() {
      if (isOffline()) throw new Refused('NETWORK');
    },
    recordingsChanged: async () => undefined,
    askForPersistence: async () => change(({ storage }) => ({ storage: { ...storage, isPersistent: true } })),
    install: async () => change(({ reach }) => ({ reach: { ...reach, isInstalled: true } })),
    applyUpdate: async () => change(() => ({ updateWaits: false })),
  };

  return {
    snapshot: () => current,
    clockNow: () => ({ stamp: { wallMs: Date.now(), epoch: 'made' }, offsetMs: current.clock.offsetMs ?? 0 }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    actions,
    change,
  };
}
