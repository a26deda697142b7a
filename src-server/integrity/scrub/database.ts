/**
 * The database as a part of what is read: every page and index by SQLite, then the rows that something else vouches for: the audit by
 * its chain, signatures and corrections by the audit, analysis results by their files, summaries by what they summarise. What no hash
 * covers and no structure shows is not found: a letter of a name, say.
 */
import { openStore, type Store } from '../../services/index.ts';
import { sitePaths } from '../site-file.ts';
import { verifyAnalytics } from '../verify-analytics.ts';
import { verifyChain } from '../verify-audit.ts';
import { verifyCorrections } from '../verify-corrections.ts';
import type { VerifyOptions, VerifyReport } from '../verify-report.ts';
import { verifySignatures } from '../verify-signatures.ts';
import { verifySummaries } from '../verify-summaries.ts';
import type { Pace } from './pace.ts';

/** In the order in which they are checked. */
export const DATABASE_KEYS = [
  '1 pages',
  '2 audit',
  '3 signatures',
  '4 corrections',
  '5 analyses',
  '6 summaries',
] as const;
export type DatabaseKey = (typeof DATABASE_KEYS)[number];

/** What is wrong with the pages of the database. */
export interface DatabaseCheckFacts {
  problems: string[];
  durationMs: number;
  sizeBytes: number;
  auditSequence: number;
}

export interface DatabasePart {
  problems: { message: string; id?: string }[];
  pages?: DatabaseCheckFacts;
}

/** Reads every page, table by table, resting in between. Undefined when it was stopped. */
export async function checkPages(
  store: Store,
  options: { signal?: AbortSignal; pause(workedMs: number): Promise<void>; withIndexes?: boolean },
): Promise<DatabaseCheckFacts | undefined> {
  const started = performance.now();
  // The row that was newest when the check began: what is written later may be damaged without being seen.
  const { sequence: auditSequence } = await store.audit.head();
  const { sizeBytes } = store.facts();
  const problems = await store.problemsByTable(options);
  return problems && { problems, durationMs: Math.round(performance.now() - started), sizeBytes, auditSequence };
}

export async function checkDatabasePart(
  key: DatabaseKey,
  store: Store,
  { dir }: { dir: string },
  pace: Pace,
): Promise<DatabasePart> {
  const { database } = sitePaths(dir);
  if (key === '1 pages') {
    const stopped = new AbortController();
    const pause = async () => {
      await pace.rest();
      if (pace.isStopped) stopped.abort();
    };
    const pages = await checkPages(store, { signal: stopped.signal, pause, withIndexes: true });
    return { problems: [], ...(pages && { pages }) };
  }
  const report: VerifyReport = {
    siteId: '',
    problems: [],
    checked: { recordings: 0, bytes: 0, auditRows: 0, windows: 0, unusedColumnFiles: 0, subjects: 0 },
    auditHead: { sequence: 0, hash: '' },
  };
  const options: VerifyOptions = {};
  const work: Record<Exclude<DatabaseKey, '1 pages'>, (own: Store) => Promise<void>> = {
    '2 audit': (own) => verifyChain(own, report, options),
    '3 signatures': () => verifySignatures(database, report, options),
    '4 corrections': () => verifyCorrections(database, report, options),
    '5 analyses': (own) => verifyAnalytics(own, report, options),
    '6 summaries': () => verifySummaries(database, report, options),
  };
  pace.begin();
  // A connection of its own, which holds no more of the database than the part needs.
  const own = openStore(database, { readonly: true, isChecked: true });
  await work[key](own).finally(() => own.close());
  await pace.rest();
  // A clock that was set back is no damage.
  return { problems: report.problems.filter(({ code }) => code !== 'CLOCK_BEHIND') };
}
