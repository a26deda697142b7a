/** Compares the audit trail of a site, running or closed, with everything that was signed of it. Reads only. */
import { join } from 'node:path';
import { lookAtFileLock } from '../../db/index.ts';
import type { Diagnostic } from '../../diagnostics.ts';
import type { Store } from '../../services/index.ts';
import { LOCK_FILE } from '../site-file.ts';
import { type AuditComparison, compareAudit, sequencesOf } from './compare.ts';
import { type Evidence, type EvidenceOptions, readEvidence } from './witnesses.ts';

/** @param hashAt stored hashes of the rows that the evidence names */
export async function compareWith(
  siteDir: string,
  evidence: Evidence,
  store: Pick<Store, 'audit'>,
  hashAt: ReadonlyMap<number, string>,
): Promise<AuditComparison> {
  // A site that was opened after its log was read writes rows that the log does not know.
  const isOpen = lookAtFileLock(join(siteDir, LOCK_FILE)) !== null;
  return compareAudit(evidence, { head: await store.audit.head(), hashAt, isOpen });
}

/** More would say the same: one changed row contradicts everything that was signed later. */
const NOTED_PROBLEMS = 20;

/** Stores the result for the desk. */
export async function noteComparison(
  store: Pick<Store, 'settings'>,
  {
    problems,
    anchoredUpTo,
    countBackups,
    countExports,
  }: Omit<AuditComparison, 'problems'> & { problems: readonly Diagnostic[] },
  comparedTs: number,
): Promise<void> {
  await store.settings.noteAnchoring('audit.compared', {
    comparedTs,
    upToSequence: anchoredUpTo?.sequence ?? 0,
    countBackups,
    countExports,
    problems: problems
      .slice(0, NOTED_PROBLEMS)
      .map(({ message, code, facts }) => ({ message, ...(code !== undefined && { code }), ...(facts && { facts }) })),
  });
}

/** Without computing the hashes of rows again, which `verify` does: what is compared is what is stored. */
export async function compareSite(
  siteDir: string,
  siteId: string,
  store: Pick<Store, 'audit' | 'settings'>,
  options: EvidenceOptions = {},
): Promise<AuditComparison> {
  const evidence = await readEvidence(siteDir, siteId, store, options);
  return await compareWith(siteDir, evidence, store, await store.audit.hashesAt(sequencesOf(evidence)));
}
