/** What `verify` is asked and what it reports. */
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import type { Store } from '../services/index.ts';
import type { AuditComparison } from './anchors/compare.ts';
import { namesIn } from './file-census.ts';

export type VerifyStep = 'database' | 'recordings' | 'audit' | 'analytics' | 'summaries' | 'files';

/** A problem and, where there is one, its remedy. */
export interface VerifyProblem extends Diagnostic {
  step: VerifyStep;
  /** The affected recording, subject or file; for the audit, the sequence number of the row. */
  id?: string;
}

export interface VerifyReport {
  siteId: string;
  problems: VerifyProblem[];
  checked: {
    recordings: number;
    bytes: number;
    auditRows: number;
    windows: number;
    unusedColumnFiles: number;
    /** Whose summaries were compared. */
    subjects: number;
  };
  /** What the audit trail was compared with. Absent when the comparison failed. */
  anchors?: Omit<AuditComparison, 'problems'>;
  /** The newest audit row. A copy kept outside the site proves later that no earlier row changed. */
  auditHead: { sequence: number; hash: string };
}

export interface VerifyOptions {
  onProgress?: (progress: { step: VerifyStep; done: number; total: number }) => void;
  signal?: AbortSignal;
  /** Also decodes content whose hash is the recorded one. */
  isDeep?: boolean;
  /** Epoch ms; default: the computer's clock. */
  nowTs?: number;
  /** An audit row from a copy kept outside the site, to compare the chain with. */
  auditSince?: { sequence: number; hash: string };
}

/**
 * Names in a folder of the site; none when it does not exist. Undefined when it cannot be read, which is reported.
 * @param folder its place in the site
 */
export async function reportedNames(path: string, folder: string, report: VerifyReport): Promise<string[] | undefined> {
  try {
    return await namesIn(path);
  } catch {
    report.problems.push({ ...diagnostic('FOLDER_UNREADABLE', { folder }), step: 'files', id: folder });
    return undefined;
  }
}

/** How many rows there are to check, for progress alone: 0 where a damaged page, of this table or another, prevents counting. */
export function countedRows(store: Pick<Store, 'countRows'>, table: string): number {
  try {
    return store.countRows()[table] ?? 0;
  } catch {
    return 0;
  }
}
