/** What the site answers about restores of backups, for states that take minutes or damage. */
import type { Backup } from '../../src-server/api/contract/index.ts';
import type { ScreenAnswer } from './screen-answers.ts';

const AT = Date.UTC(2026, 2, 4, 1, 0);
const ID = '20260304T010000Z-5f0e1a2b';
const FOLDER = '/srv/outpost/harbour-restored-2026-03-04';

const BACKUPS: Backup[] = [
  {
    id: ID,
    directory: '/media/backup/outpost',
    createdTs: AT,
    state: 'complete',
    reason: 'scheduled',
    isOwn: true,
    sizeBytes: 48_300_000_000,
    countRecordings: 1284,
    keptFor: ['newest'],
    isEncrypted: true,
    problems: [],
    diagnostics: [],
    check: { checkedTs: AT + 86_400_000, problems: [], diagnostics: [] },
  },
];

/** Of an encrypted backup on a disk that has too little room. */
export const RESTORABLE: readonly ScreenAnswer[] = [
  { pattern: /\/site\/backups$/, body: () => ({ items: BACKUPS, size: BACKUPS.length }) },
  {
    pattern: /\/restore_plan$/,
    body: () => ({
      folder: FOLDER,
      siteName: 'Harbour Clinic',
      neededBytes: 48_300_000_000,
      freeBytes: 31_200_000_000,
    }),
  },
];

const restored = (more: object) => ({
  backupId: ID,
  folder: FOLDER,
  createdTs: AT,
  recordings: 1284,
  sizeBytes: 48_300_000_000,
  outcome: 'complete',
  lost: [],
  countLost: 0,
  ...more,
});

const LOST = [
  { file: 'signals/0197f3a2-6f0e-7c11-9a53-5d0e6f7a8b90.sig', state: 'DAMAGED' },
  { file: 'signals/0197f3a2-7777-7c11-9a53-5d0e6f7a8b91.sig', state: 'MISSING' },
];

const STATES = {
  running: { state: 'running', progress: { done: 62, total: 100, step: 'restoring' }, actions: ['cancel'] },
  done: { state: 'done', finishedTs: AT + 90_000_000, result: restored({}), actions: [] },
  incomplete: {
    state: 'done',
    finishedTs: AT + 90_000_000,
    result: restored({ recordings: 1283, outcome: 'incomplete', lost: LOST, countLost: 14 }),
    actions: [],
  },
  failed: {
    state: 'failed',
    error: {
      code: 'FILE_DAMAGED',
      message: 'Nothing was restored: site.db of the backup cannot be read. Use another backup.',
    },
    actions: [],
  },
} as const;

export const RESTORE_STATES = Object.keys(STATES) as (keyof typeof STATES)[];

export const restoreIn = (state: keyof typeof STATES): readonly ScreenAnswer[] => [
  {
    pattern: /\/jobs$/,
    query: /kind=restore/,
    body: (list: { items: object[] }) => ({
      ...list,
      items: [{ id: '0197f3a2-9999-7c11-9a53-5d0e6f7a8b93', kind: 'restore', createdTs: AT, ...STATES[state] }],
      size: 1,
    }),
  },
];
