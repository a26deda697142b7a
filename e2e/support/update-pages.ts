/** The page of updates in each state. */
import { updatesPage } from '../../src-main/pages/updates-page.ts';
import type { PageLanguage } from '../../src-main/pages/words.ts';
import type { UpdateAttempt } from '../../src-main/updates/attempt.ts';
import { UpdateRefused } from '../../src-main/updates/refusal.ts';
import { type UpdatesFacts, updatesView } from '../../src-main/updates/updates-view.ts';

const AT = Date.UTC(2026, 2, 4, 9, 30);
const FOLDER = '\\\\files\\it\\Outpost updates';

const ATTEMPT: UpdateAttempt = {
  from: '1.1.0',
  to: '1.2.0',
  stage: 'ready',
  atMs: AT,
  opens: 0,
  backup: { id: 'b2', directory: 'E:\\Outpost backups', createdTs: AT },
  previous: {
    path: 'C:\\Users\\clinic\\AppData\\Roaming\\outpost\\updates\\previous\\Outpost-1.1.0.exe',
    sizeBytes: 1,
    sha512: '',
  },
};
const UPDATE = {
  version: '1.2.0',
  releasedTs: AT,
  schema: { from: 10, to: 330 },
  file: { platform: 'win32', arch: 'x64', name: 'Outpost-1.2.0-win-x64.exe', sizeBytes: 121_400_000, sha512: '' },
  notes: {
    en: 'Recordings from two more sensors.\nThe audit trail tells which version ran when.',
    ja: '対応するセンサーを2種類追加しました。\n実行したバージョンを監査証跡に記録します。',
  },
} as const;

export const UPDATE_STATES = {
  off: { folder: undefined },
  available: { phase: { kind: 'available', update: UPDATE }, checkedMs: AT },
  busy: { phase: { kind: 'busy', task: 'backup', percent: 42 } },
  'no-backup': { phase: { kind: 'no-backup', detail: 'No space left on the disk.' } },
  refused: { phase: { kind: 'refused', refusal: new UpdateRefused('signature-wrong') }, checkedMs: AT },
  ready: { attempt: ATTEMPT },
  failed: {
    isSiteOpen: false,
    version: '1.2.0',
    attempt: { ...ATTEMPT, stage: 'failed', selfTest: { failed: 'worker-threads, sqlite' } },
  },
  returned: { phase: { kind: 'newest' }, checkedMs: AT, attempt: { ...ATTEMPT, stage: 'returned' } },
} satisfies Record<string, Partial<UpdatesFacts>>;
export type UpdateState = keyof typeof UPDATE_STATES;

export function updatesAddress(state: UpdateState, language: PageLanguage): string {
  const facts: UpdatesFacts = {
    language,
    version: '1.1.0',
    cannot: undefined,
    folder: FOLDER,
    phase: { kind: 'unchecked' },
    checkedMs: undefined,
    attempt: undefined,
    isSiteOpen: true,
    ...UPDATE_STATES[state],
  };
  return updatesPage(updatesView(facts), language);
}
