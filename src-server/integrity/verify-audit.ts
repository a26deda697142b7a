/** The part of `verify` that follows the hash chain of the audit trail, and compares it with everything that was signed of it. */
import { CLOCK_SLACK_MS, durationText } from '../clock-rules.ts';
import { diagnostic } from '../diagnostics.ts';
import { stopIfCancelled } from '../files/content-hash.ts';
import type { Store } from '../services/index.ts';
import { sequencesOf } from './anchors/compare.ts';
import { compareWith } from './anchors/compare-site.ts';
import { readEvidence } from './anchors/witnesses.ts';
import type { VerifyOptions, VerifyReport } from './verify-report.ts';

/** Hashes of these rows are kept as the chain is followed. */
interface HashesAt {
  sequences: ReadonlySet<number>;
  found: Map<number, string>;
}

/** Follows the chain alone. */
export async function verifyChain(
  store: Store,
  report: VerifyReport,
  options: VerifyOptions,
  hashAt?: HashesAt,
): Promise<void> {
  stopIfCancelled(options.signal);
  report.auditHead = await store.audit.head();
  const lastTs = await store.audit.lastWrittenTs();
  const behindMs = (lastTs ?? 0) - (options.nowTs ?? Date.now());
  if (behindMs > CLOCK_SLACK_MS) {
    report.problems.push({ ...diagnostic('CLOCK_BEHIND', { duration: durationText(behindMs) }), step: 'audit' });
  }
  const problems = await store.audit.verify({
    since: options.auditSince,
    ...(hashAt && { hashAt }),
    onRow: (sequence) => {
      report.checked.auditRows = sequence;
      options.onProgress?.({ step: 'audit', done: sequence, total: Math.max(report.auditHead.sequence, sequence) });
    },
  });
  for (const { sequence, message, code, facts } of problems) {
    report.problems.push({ step: 'audit', id: String(sequence), message, code, facts });
  }
}

/** Follows the chain, and compares it with the log of anchors, backups and exports. */
export async function verifyAudit(
  store: Store,
  dir: string,
  report: VerifyReport,
  options: VerifyOptions,
): Promise<void> {
  stopIfCancelled(options.signal);
  // Before the chain is read: what is signed meanwhile is of rows that it may not have reached.
  const evidence = await readEvidence(dir, report.siteId, store, options.signal ? { signal: options.signal } : {});
  const hashAt = { sequences: new Set(sequencesOf(evidence)), found: new Map<number, string>() };
  await verifyChain(store, report, options, hashAt);
  const { problems: contradictions, ...anchors } = await compareWith(dir, evidence, store, hashAt.found);
  report.anchors = anchors;
  for (const { sequence, ...problem } of contradictions)
    report.problems.push({ ...problem, step: 'audit', id: String(sequence) });
}
