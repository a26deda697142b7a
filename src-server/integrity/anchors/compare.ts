/**
 * Compares an audit trail with what was signed of it. Pure: the trail is known by its head and by the hashes of the rows that the
 * evidence names.
 *
 * Where a site continues from a backup, what was signed later than that backup belongs to a branch that ended; up to the row of the
 * backup it still has to fit. So a restore is no contradiction, and hides none before it.
 */
import { type Diagnostic, diagnostic } from '../../diagnostics.ts';
import type { LoggedAnchor, ParsedLog } from './anchor.ts';
import type { Head } from './anchor-log.ts';
import type { Evidence, Witness } from './witnesses.ts';

export interface AuditComparison {
  problems: (Diagnostic & { sequence: number })[];
  /** Absent for a site that has no log yet. */
  anchoredSince?: { timeTs: number; sequence: number };
  /** The newest anchor. */
  anchoredUpTo?: { timeTs: number; sequence: number; anchor: number };
  /** The last restore that the log holds. `isNewKey`: the key and the log of the former site were not there. */
  continuedSince?: { timeTs: number; sequence: number; backupId: string; backupTs: number; isNewKey: boolean };
  countAnchors: number;
  countBackups: number;
  countExports: number;
}

/** The rows whose hashes are needed. */
export function sequencesOf({ log, witnesses }: Evidence): number[] {
  const anchors = log?.anchors.flatMap(({ sequence, base }) => (base ? [sequence, base.sequence] : [sequence])) ?? [];
  return [...new Set([...anchors, ...witnesses.map(({ head }) => head.sequence)])].filter((one) => one > 0);
}

export function compareAudit(
  evidence: Evidence,
  trail: { head: Head; hashAt: ReadonlyMap<number, string>; isOpen: boolean },
): AuditComparison {
  const { log } = evidence;
  const problems: AuditComparison['problems'] = [];
  const comparing: Comparing = { evidence, ...trail, branches: branchesOf(log), problems };
  compareKey(comparing);
  compareLog(comparing);
  if (log) compareAnchors(comparing, log.anchors);
  for (const kind of ['backup', 'export'] as const) compareWitnesses(comparing, kind);
  const first = log?.anchors[0];
  const last = log?.anchors.at(-1);
  const continued = log && continuedSince(log);
  const count = (kind: Witness['kind']) => evidence.witnesses.filter((witness) => witness.kind === kind).length;
  return {
    problems,
    ...(first && { anchoredSince: { timeTs: first.timeTs, sequence: first.sequence } }),
    ...(last && { anchoredUpTo: { timeTs: last.timeTs, sequence: last.sequence, anchor: last.n } }),
    ...(continued && { continuedSince: continued }),
    countAnchors: log?.anchors.length ?? 0,
    countBackups: count('backup'),
    countExports: count('export'),
  };
}

/** The last restore that a log holds. */
export function continuedSince({ anchors }: ParsedLog): AuditComparison['continuedSince'] {
  const restore = anchors.findLast(({ base }) => base !== undefined);
  if (!restore?.base) return undefined;
  const { sequence, backupId, backupTs } = restore.base;
  return { timeTs: restore.timeTs, sequence, backupId, backupTs, isNewKey: restore.publicKey !== undefined };
}

interface Branch {
  id: string;
  /** Its first and last lines, by number. */
  firstLine: number;
  lastLine: number;
  /** The last row that the present trail has in common with it. */
  limit: number;
  isPresent: boolean;
}

interface Comparing {
  evidence: Evidence;
  head: Head;
  hashAt: ReadonlyMap<number, string>;
  /** Whether a process has the site open: it may write. */
  isOpen: boolean;
  branches: Branch[];
  problems: AuditComparison['problems'];
}

function branchesOf(log: ParsedLog | undefined): Branch[] {
  const branches: Branch[] = [];
  for (const { branch, n, base } of log?.anchors ?? []) {
    const last = branches.at(-1);
    if (last?.id === branch) last.lastLine = n;
    else {
      const start = { id: branch, firstLine: n, lastLine: n, limit: Number.POSITIVE_INFINITY, isPresent: true };
      for (const before of branches) {
        before.isPresent = false;
        before.limit = Math.min(before.limit, base?.sequence ?? before.limit);
      }
      branches.push(start);
    }
  }
  return branches;
}

const timeText = (timeTs: number) => `${new Date(timeTs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function compareKey({ evidence: { keyId, log, known }, problems }: Comparing): void {
  const last = log?.anchors.at(-1);
  const signedBy = new Set(last ? [last.keyId] : []);
  // The database may remember a line before the newest, which an earlier key signed.
  if (known && (!last || (known.branch === last.branch && known.n === last.n))) signedBy.add(known.keyId);
  if (signedBy.size === 0) return;
  const sequence = last?.sequence ?? 0;
  if (keyId === undefined) problems.push({ ...diagnostic('AUDIT_KEY_MISSING'), sequence });
  else if (signedBy.size > 1 || !signedBy.has(keyId))
    problems.push({ ...diagnostic('AUDIT_KEY_OTHER', { keyId }), sequence });
}

function compareLog({ evidence, branches, problems }: Comparing): void {
  const { log, known, siteId, witnesses } = evidence;
  if (!log || log.anchors.length === 0) {
    const wasAnchored = known !== null || witnesses.some(({ receipt }) => receipt !== undefined);
    if (log?.firstBad !== undefined)
      problems.push({ ...diagnostic('AUDIT_LOG_FORGED', { anchor: log.firstBad }), sequence: 0 });
    else if (wasAnchored) problems.push({ ...diagnostic('AUDIT_LOG_MISSING'), sequence: 0 });
    return;
  }
  const { anchors, firstBad } = log;
  const last = anchors.at(-1)!;
  const foreign = anchors.find((anchor) => anchor.siteId !== siteId);
  if (foreign) problems.push({ ...diagnostic('AUDIT_LOG_FOREIGN'), sequence: 0 });
  if (firstBad !== undefined)
    problems.push({ ...diagnostic('AUDIT_LOG_FORGED', { anchor: firstBad }), sequence: last.sequence });
  if (known && !foreign && firstBad === undefined) {
    const problem = problemOfLine(branches, anchors, known.branch, known.n, known.lineHash);
    if (problem) problems.push({ ...problem, sequence: last.sequence });
    else if (!branches.some(({ id }) => id === known.branch))
      problems.push({ ...diagnostic('AUDIT_LOG_FOREIGN'), sequence: 0 });
  }
}

/** Whether the log still has a line that somebody remembers. A branch may have gone on elsewhere after the site left it. */
function problemOfLine(
  branches: readonly Branch[],
  anchors: readonly LoggedAnchor[],
  branch: string,
  n: number,
  lineHash: string,
): Diagnostic | undefined {
  const own = branches.find(({ id }) => id === branch);
  if (!own) return undefined;
  if (n <= own.lastLine) {
    if (anchors[n - 1]?.lineHash === lineHash) return undefined;
    return diagnostic('AUDIT_LOG_FORGED', { anchor: n });
  }
  return own.isPresent ? diagnostic('AUDIT_LOG_CUT', { anchor: anchors.length, known: n }) : undefined;
}

function compareAnchors(comparing: Comparing, anchors: readonly LoggedAnchor[]): void {
  const { head, hashAt, isOpen, branches, problems } = comparing;
  const limits = new Map(branches.map(({ id, limit }) => [id, limit]));
  let good = 0;
  let isOther = false;
  for (const [index, anchor] of anchors.entries()) {
    const before = anchors[index - 1];
    const { sequence, n, timeTs } = anchor;
    const time = timeText(timeTs);
    if (anchor.kind === 'restart')
      problems.push({ ...diagnostic('AUDIT_LOG_RESTARTED', { time, sequence }), sequence });
    if (anchor.kind === 'key' || (anchor.publicKey !== undefined && before && before.keyId !== anchor.keyId))
      problems.push({ ...diagnostic('AUDIT_KEY_REPLACED', { time, sequence }), sequence });
    if (before?.branch === anchor.branch) compareNeighbours(comparing, before, anchor);
    const limit = limits.get(anchor.branch)!;
    for (const one of [anchor, ...(anchor.base ? [anchor.base] : [])]) {
      if (one.sequence > limit || one.sequence > head.sequence || isOther) continue;
      if (one.sequence === 0 || hashAt.get(one.sequence) === one.hash) good = Math.max(good, one.sequence);
      else {
        isOther = true;
        const facts = { first: good + 1, last: one.sequence, anchor: n, time };
        problems.push({ ...diagnostic('AUDIT_ANCHOR_OTHER', facts), sequence: one.sequence });
      }
    }
  }
  const furthest = anchors
    .filter(({ branch, sequence }) => sequence <= limits.get(branch)!)
    .reduce<LoggedAnchor | undefined>((most, one) => (most && most.sequence >= one.sequence ? most : one), undefined);
  if (furthest && furthest.sequence > head.sequence) problems.push(shorter(furthest, head.sequence));
  const last = anchors.at(-1);
  if (last?.kind === 'close' && !isOpen && head.sequence > last.sequence)
    problems.push(writtenClosed(last, head.sequence));
}

/** What was not so when the site was opened again is not so for ever, however the trail grew since. */
function compareNeighbours({ problems }: Comparing, before: LoggedAnchor, anchor: LoggedAnchor): void {
  if (anchor.sequence < before.sequence) problems.push(shorter(before, anchor.sequence));
  else if (before.kind !== 'close') return;
  else if (anchor.sequence > before.sequence) problems.push(writtenClosed(before, anchor.sequence));
}

function shorter({ n, timeTs, sequence }: LoggedAnchor, last: number): AuditComparison['problems'][number] {
  return { ...diagnostic('AUDIT_SHORTER', { last, anchor: n, time: timeText(timeTs), sequence }), sequence: last };
}

function writtenClosed({ sequence, timeTs }: LoggedAnchor, last: number): AuditComparison['problems'][number] {
  const facts = { first: sequence + 1, last, time: timeText(timeTs) };
  return { ...diagnostic('AUDIT_WRITTEN_CLOSED', facts), sequence: sequence + 1 };
}

/** One of each problem and kind: a changed row contradicts every later witness. */
function compareWitnesses(comparing: Comparing, kind: Witness['kind']): void {
  const { evidence, problems } = comparing;
  const seen = new Set<string | undefined>();
  const witnesses = evidence.witnesses.filter((witness) => witness.kind === kind);
  for (const witness of witnesses.sort((a, b) => a.head.sequence - b.head.sequence)) {
    for (const found of problemsOf(comparing, witness)) {
      if (seen.has(found.code)) continue;
      seen.add(found.code);
      problems.push({ ...found, sequence: witness.head.sequence });
    }
  }
}

const WITNESS_CODES = {
  backup: { OTHER: 'AUDIT_BACKUP_OTHER', AHEAD: 'AUDIT_BACKUP_AHEAD', FORGED: 'AUDIT_BACKUP_FORGED' },
  export: { OTHER: 'AUDIT_EXPORT_OTHER', AHEAD: 'AUDIT_EXPORT_AHEAD', FORGED: 'AUDIT_EXPORT_FORGED' },
} as const;

function problemsOf(comparing: Comparing, witness: Witness): Diagnostic[] {
  const { head, hashAt, evidence, branches } = comparing;
  const { kind, name, timeTs, receipt } = witness;
  const codes = WITNESS_CODES[kind];
  if (witness.isForged) return [diagnostic(codes.FORGED, { name })];
  const found: Diagnostic[] = [];
  if (receipt && evidence.log?.anchors.length) found.push(...problemsOfReceipt(comparing, witness, receipt));
  const { sequence, hash } = witness.head;
  const limit = receipt ? limitOf(branches, receipt.branch) : limitOfUnsigned(comparing, sequence);
  if (limit === undefined || sequence > limit || sequence === 0) return found;
  const time = timeText(timeTs);
  if (sequence > head.sequence) found.push(diagnostic(codes.AHEAD, { name, time, sequence, last: head.sequence }));
  else if (hashAt.get(sequence) !== hash) found.push(diagnostic(codes.OTHER, { name, time, sequence }));
  return found;
}

/**
 * Up to which row a branch is the present trail. Where the log begins with a restore, its former branches are in the lost log:
 * they agree up to the backup at least. Undefined for a branch that is neither, which is reported as such.
 */
function limitOf(branches: readonly Branch[], branch: string): number | undefined {
  const own = branches.find(({ id }) => id === branch);
  if (own) return own.limit;
  return branches.length === 0 ? Number.POSITIVE_INFINITY : undefined;
}

/** A backup of an earlier version may be of a branch that ended before there were anchors, which the trail itself tells. */
function limitOfUnsigned({ branches, evidence }: Comparing, sequence: number): number | undefined {
  const start = evidence.log?.anchors[0]?.sequence ?? Number.POSITIVE_INFINITY;
  const restored = Math.min(...evidence.restoredAt.filter((one) => one <= start));
  if (restored <= sequence) return undefined;
  const bases = evidence.log?.anchors.flatMap(({ base }) => (base ? [base.sequence] : [])) ?? [];
  return Math.min(Number.POSITIVE_INFINITY, ...bases, ...branches.map(({ limit }) => limit));
}

function problemsOfReceipt(
  { evidence, branches, hashAt, head }: Comparing,
  { kind, name, timeTs }: Witness,
  receipt: NonNullable<Witness['receipt']>,
): Diagnostic[] {
  const { anchors, keys } = evidence.log!;
  const time = timeText(timeTs);
  const first = anchors[0];
  if (branches.some(({ id }) => id === receipt.branch)) {
    if (!keys.has(receipt.keyId)) return [diagnostic('AUDIT_KEY_OTHER', { keyId: evidence.keyId ?? '' })];
    const problem = problemOfLine(branches, anchors, receipt.branch, receipt.anchor, receipt.anchorHash);
    return problem ? [problem] : [];
  }
  // The former log is not there. Up to the backup that the site continues from, everything signed before has to fit.
  if (first?.base && !keys.has(receipt.keyId)) {
    if (receipt.sequence > first.base.sequence || receipt.sequence > head.sequence) return [];
    if (hashAt.get(receipt.sequence) === receipt.hash) return [];
    return [diagnostic(WITNESS_CODES[kind].OTHER, { name, time, sequence: receipt.sequence })];
  }
  if (!keys.has(receipt.keyId)) return [diagnostic('AUDIT_KEY_OTHER', { keyId: evidence.keyId ?? '' })];
  return [diagnostic('AUDIT_COPY_OTHER', { name, time })];
}
