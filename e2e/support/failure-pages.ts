/** The pages for a site that does not open, in each state, with what a search for backups may find on a clinic's computer. */
import type { RecoveryAnswer } from '../../src-main/desktop-api.ts';
import { failurePage } from '../../src-main/pages/failure-page.ts';
import { recoveredSentences, searchAnswer } from '../../src-main/pages/recovery-answers.ts';
import type { PageLanguage } from '../../src-main/pages/words.ts';
import { OutpostError } from '../../src-server/errors.ts';
import type { BackupSearch } from '../../src-server/site/recovery/newest-good.ts';

/** A folder as it may be: what is shown must not differ from one run to the next. */
export const SHOWN_DIR = 'C:\\Users\\clinic\\AppData\\Roaming\\Outpost\\site';
const DISK = 'E:\\Outpost backups';
const AT = Date.UTC(2026, 2, 4, 1, 0);
const HOUR_MS = 3_600_000;

const SEARCHES = {
  good: {
    good: {
      id: 'b2',
      path: `${DISK}\\backup-2026-03-04`,
      siteId: 's',
      siteName: 'Harbour Clinic',
      createdTs: AT,
      sizeBytes: 4_830_000_000,
      countRecordings: 1284,
      programVersion: '0.1.0',
      lacking: [],
    },
    rejected: [
      {
        path: `${DISK}\\backup-2026-03-05`,
        createdTs: AT + 24 * HOUR_MS,
        message: 'The database in it is damaged.',
      },
    ],
    locked: [],
    places: [{ path: '\\\\files\\research\\backups', isThere: false }],
  },
  none: { rejected: [], locked: [], places: [{ path: DISK, isThere: false }] },
  locked: { rejected: [], locked: [DISK], places: [{ path: DISK, isThere: true }] },
} satisfies Record<string, BackupSearch>;

const ADOPTED = { added: 3, unassigned: 1, filesReturned: 0, partial: [], unreadable: [] };
const DAMAGED = `${SHOWN_DIR}-damaged-2026-03-05`;

interface FailureState {
  error: OutpostError;
  /** What the program answers to each step; nothing is looked for without. */
  answers?(language: PageLanguage): Record<string, RecoveryAnswer>;
}

const looked =
  (search: BackupSearch, canRebuild = true) =>
  (language: PageLanguage) => ({ look: searchAnswer(search, canRebuild, language) });
const corrupt = new OutpostError('SITE_CORRUPT', 'database disk image is malformed (page 1041)');
const part = (name: string, message: string) => new OutpostError('SITE_CORRUPT', message, { details: { part: name } });

export const FAILURES = {
  locked: { error: new OutpostError('SITE_LOCKED', 'Process 4711 on this computer has the site open.') },
  corrupt: { error: corrupt, answers: looked(SEARCHES.good) },
  'no-backup': { error: corrupt, answers: looked(SEARCHES.none) },
  encrypted: { error: corrupt, answers: looked(SEARCHES.locked) },
  restored: {
    error: corrupt,
    answers: (language) => ({
      ...looked(SEARCHES.good)(language),
      restore: {
        kind: 'done',
        sentences: recoveredSentences(
          { damagedDir: DAMAGED, dir: DAMAGED, adopted: ADOPTED, restored: { createdTs: AT, lost: [] } },
          language,
        ),
      },
    }),
  },
  rebuilt: {
    error: corrupt,
    answers: (language) => ({
      ...looked(SEARCHES.none)(language),
      rebuild: {
        kind: 'done',
        sentences: recoveredSentences({ damagedDir: DAMAGED, dir: DAMAGED, adopted: ADOPTED }, language),
        credentials: { email: 'admin@clinic.example', password: 'k7mw-3pzx-91ha' },
      },
    }),
  },
  'read-only': {
    error: new OutpostError('SITE_READ_ONLY', `${SHOWN_DIR} is not writable. Check its permissions and the disk.`),
    answers: looked(SEARCHES.good),
  },
  newer: {
    error: new OutpostError('SITE_NEWER', 'The site has schema 410; this program knows up to 330.'),
    answers: looked(SEARCHES.good),
  },
  migration: {
    error: new OutpostError('SITE_MIGRATION_FAILED', 'Step 330 of the schema failed: database or disk is full'),
    answers: looked(SEARCHES.none, false),
  },
  'site-file': { error: part('site-file', 'site.json is not readable JSON.'), answers: () => ({}) },
  lock: { error: part('lock', 'site.lock is not a database.'), answers: () => ({}) },
  missing: { error: new OutpostError('SITE_MISSING', `${SHOWN_DIR} contains no site.`) },
  port: { error: new OutpostError('PORT_TAKEN', 'Port 8480 is used by another program (node, process 812).') },
  full: { error: new OutpostError('DISK_FULL', 'No space left on the disk.') },
} satisfies Record<string, FailureState>;
export type FailureName = keyof typeof FAILURES;

export function failureAddress(name: FailureName, language: PageLanguage): string {
  return failurePage(FAILURES[name].error, SHOWN_DIR, language);
}

/** What the program answers on that page, by step. */
export function failureAnswers(name: FailureName, language: PageLanguage): Record<string, RecoveryAnswer> | undefined {
  const state: FailureState = FAILURES[name];
  return state.answers?.(language);
}
