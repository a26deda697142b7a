/** Every state that the screens can show, by name: a change of the seed. */
import type { Draft, DueTask, PhoneSnapshot, WaitingItem } from '../model.ts';
import { NOW_MS } from './seed.ts';

type Change = (seed: PhoneSnapshot) => Partial<PhoneSnapshot>;

const HOUR_MS = 3_600_000;

const draft = (taskId: string, more: Partial<Draft> = {}): Draft => ({
  id: `draft-${taskId}`,
  taskId,
  date: '2026-11-20',
  openedTs: NOW_MS - 300_000,
  elapsedMs: 0,
  answers: {},
  position: 0,
  marks: [],
  ...more,
});

const ANSWERED: Draft['answers'] = {
  sleep: { values: ['Well'] },
  pills: { values: ['YES'] },
  pain: { values: ['3'] },
  health: { isSkipped: true },
  weight: { values: ['61.5'] },
  where: { values: ['Chest', 'Back'] },
};

const waiting: readonly WaitingItem[] = [
  {
    id: 'w1',
    kind: 'REPORT',
    title: 'Morning questions',
    createdTs: NOW_MS - 19.2 * HOUR_MS,
    state: 'WAITING',
    totalBytes: 2_100,
  },
  {
    id: 'w2',
    kind: 'MESSAGE',
    title: 'May I swim with it?',
    createdTs: NOW_MS - 3 * HOUR_MS,
    state: 'WAITING',
    totalBytes: 340_000,
  },
  {
    id: 'w3',
    kind: 'RECORDING',
    title: 'Polar H10',
    createdTs: NOW_MS - HOUR_MS,
    state: 'SENDING',
    sentBytes: 1_300_000,
    totalBytes: 4_800_000,
  },
];
const recording: WaitingItem = {
  id: 'r1',
  kind: 'RECORDING',
  title: 'Polar H10',
  serial: 'H10-8A31',
  createdTs: NOW_MS - 25 * 60_000,
  state: 'RECORDING',
};
const refused: WaitingItem = {
  id: 'w4',
  kind: 'REPORT',
  title: 'Evening questions',
  createdTs: NOW_MS - 50 * HOUR_MS,
  state: 'REFUSED',
  code: 'NOT_FOUND',
};

const ofToday =
  (change: (tasks: readonly DueTask[]) => DueTask[]): Change =>
  ({ days, today }) => ({ days: days.map((day) => (day.date === today ? { ...day, tasks: change(day.tasks) } : day)) });

const withDraft =
  (item: Draft): Change =>
  (seed) => ({
    drafts: { [item.id]: item },
    ...ofToday((tasks) =>
      tasks.map((task) => (task.taskId === item.taskId ? { ...task, state: 'STARTED', draftId: item.id } : task)),
    )(seed),
  });

const offline: Change = () => ({
  connection: { state: 'OFFLINE', lastContactTs: NOW_MS - 20 * HOUR_MS, nextTryTs: NOW_MS + 240_000 },
  waiting,
});

/** A browser without a trusted certificate, whose clock is 3 h fast. */
const limited: Change = ({ reach }) => ({
  reach: {
    ...reach,
    isSecure: false,
    opensOffline: false,
    canInstall: false,
    bluetooth: 'NOT_SECURE',
    canVibrate: false,
    canKeepScreenOn: false,
  },
  storage: { isPersistent: false, state: 'FINE', usedBytes: 400_000 },
  clock: { offsetMs: -3 * HOUR_MS, uncertaintyMs: 40, state: 'MEASURED' },
});

export const STATES = {
  due: () => ({}),
  started: withDraft(draft('morning', { answers: ANSWERED, position: 5 })),
  filled: withDraft(draft('morning', { answers: ANSWERED, position: 8 })),
  oldDraft: () => ({
    drafts: { old: draft('evening', { id: 'old', date: '2026-11-19', openedTs: NOW_MS - 14 * HOUR_MS }) },
  }),
  allDone: ofToday((tasks) => tasks.map((task) => ({ ...task, state: 'DONE', completedTs: NOW_MS - HOUR_MS }))),
  nothingNow: ofToday((tasks) =>
    tasks.map((task) => (task.state === 'DUE' ? { ...task, state: 'DONE', completedTs: NOW_MS - HOUR_MS } : task)),
  ),
  missed: ofToday((tasks) => tasks.map((task) => (task.taskId === 'morning' ? { ...task, state: 'MISSED' } : task))),
  keptTask: (seed) => ({
    ...offline(seed),
    ...ofToday((tasks) =>
      tasks.map((task) =>
        task.taskId === 'morning' ? { ...task, state: 'WAITING_TO_SEND', completedTs: NOW_MS - 600_000 } : task,
      ),
    )(seed),
  }),
  noneDue: ofToday(() => []),
  notStarted: ({ days, today }) => ({ isRunning: false, days: days.filter(({ date }) => date > today) }),
  ended: () => ({ isRunning: false }),
  timer: withDraft(draft('walk', { startedTs: NOW_MS - 100_000, runningSinceTs: NOW_MS - 100_000 })),
  paused: withDraft(draft('walk', { startedTs: NOW_MS - 100_000, elapsedMs: 83_000 })),
  timeOver: withDraft(draft('walk', { startedTs: NOW_MS - 400_000, runningSinceTs: NOW_MS - 400_000 })),
  opened: withDraft(draft('walk')),
  calibration: withDraft(draft('stand')),
  calibrated: withDraft(
    draft('stand', {
      startedTs: NOW_MS - 60_000,
      marks: [{ id: 'k1', displayName: 'Calibration: standing', startTs: NOW_MS - 40_000, stopTs: NOW_MS - 25_000 }],
    }),
  ),
  long: withDraft(
    draft('long', {
      position: 100,
      answers: Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [
          `long-${index}`,
          index % 7 === 5 ? { isSkipped: true } : { values: [index % 3 === 0 ? 'YES' : '2'] },
        ]),
      ),
    }),
  ),
  offline,
  sending: () => ({ connection: { state: 'SENDING', lastContactTs: NOW_MS - 2000 }, waiting: waiting.slice(0, 2) }),
  /** The sign-in arrived, the names did not. */
  confirmAway: () => ({
    subjectName: undefined,
    studyName: undefined,
    connection: { state: 'OFFLINE' },
    days: [],
    tasks: {},
    messages: [],
  }),
  refused: () => ({ waiting: [refused, ...waiting] }),
  recording: () => ({ waiting: [recording] }),
  recordingRefused: () => ({
    waiting: [
      { ...recording, state: 'REFUSED', code: 'SENSOR_UNASSIGNED', sentBytes: 0, totalBytes: 412_000 },
      { ...recording, id: 'r2', createdTs: NOW_MS - 600_000 },
    ],
  }),
  noBluetooth: ({ reach }) => ({ reach: { ...reach, bluetooth: 'NOT_IN_THIS_BROWSER' } }),
  siteRefuses: () => ({
    connection: {
      state: 'REFUSED',
      code: 'STUDY_STATE',
      message: 'The study does not accept data now.',
      lastContactTs: NOW_MS - HOUR_MS,
    },
    waiting: waiting.slice(0, 1),
  }),
  unsent: (seed) => ({
    ...offline(seed),
    messages: [
      ...seed.messages,
      {
        id: 'm4',
        from: 'SUBJECT',
        authorName: 'N-104',
        body: 'May I swim with it?',
        createdTs: NOW_MS - 3 * HOUR_MS,
        isRead: false,
        state: 'WAITING',
        pictures: [],
      },
    ],
    unreadMessages: 0,
  }),
  noMessages: () => ({ messages: [], unreadMessages: 0 }),
  noSensors: () => ({ sensors: [] }),
  full: () => ({ storage: { isPersistent: true, state: 'FULL' } }),
  nearlyFull: () => ({
    storage: { isPersistent: false, state: 'NEARLY_FULL', usedBytes: 48_000_000, quotaBytes: 50_000_000 },
  }),
  privateMode: () => ({ storage: { isPersistent: null, state: 'UNAVAILABLE' } }),
  limited,
  update: () => ({ updateWaits: true }),
  locking: () => ({ hasLock: true }),
  locked: () => ({ phase: 'LOCKED', hasLock: true }),
  loading: () => ({ phase: 'LOADING' }),
  signedOut: () => ({ phase: 'SIGNED_OUT', days: [], tasks: {}, messages: [], sensors: [] }),
  signedOutLimited: (seed) => ({ ...limited(seed), phase: 'SIGNED_OUT' }),
  wipedSignedOut: () => ({ phase: 'WIPED', wipedBecause: 'SIGNED_OUT' }),
  wipedSignedOutAway: () => ({
    phase: 'WIPED',
    wipedBecause: 'SIGNED_OUT',
    signOutWaits: true,
    connection: { state: 'OFFLINE' },
  }),
  wipedRevoked: () => ({ phase: 'WIPED', wipedBecause: 'REVOKED', wipedUnsent: 3 }),
  wipedAgain: () => ({ phase: 'WIPED', wipedBecause: 'SIGNED_IN_AGAIN' }),
  wipedErased: () => ({ phase: 'WIPED', wipedBecause: 'SUBJECT_ERASED' }),
  wipedEvicted: () => ({ phase: 'WIPED', wipedBecause: 'STORE_EVICTED' }),
} satisfies Record<string, Change>;

export type StateName = keyof typeof STATES;
