/**
 * The audit trail as files that a third party can verify: the rows with all that their hashes cover, and a program that recomputes
 * these. The file is the same whenever it is written for the same entry of the chain. Format: `resources/protocol/audit-export.md`.
 */
import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { exactRow } from '../../csv-row.ts';
import type { ReadStore } from '../../db/index.ts';
import { VERSION } from '../../version.ts';
import { ZipWriter } from '../zip-writer.ts';
import type { AuditExportFacts, AuditSeal, AuditSelection } from './export-facts.ts';
import { readmeOf } from './readme.ts';
import { VERIFY_SCRIPT } from './verify-script.ts';

const COLUMNS = [
  ...['sequence', 'timeTs', 'time', 'actorType', 'actorId', 'action', 'entityType', 'entityId'],
  ...['studyId', 'subjectId', 'reason', 'changes', 'erasedBy', 'previousHash', 'hash'],
] as const;

const isWhole = (selection: AuditSelection): boolean =>
  Object.values(selection).every((wanted) => wanted === undefined);

/** Returns the seal of the entries up to one of the chain. */
export async function sealAudit(
  store: Pick<ReadStore, 'audit'>,
  selection: AuditSelection,
  head: { sequence: number; hash: string },
): Promise<AuditSeal> {
  if (isWhole(selection)) return { rows: head.sequence, closingHash: head.hash };
  const digest = createHash('sha256');
  let rows = 0;
  for await (const slice of store.audit.contents(selection, head.sequence)) {
    for (const { sequence, hash } of slice) digest.update(`${sequence}:${hash}\n`);
    rows += slice.length;
  }
  return { rows, closingHash: digest.digest('hex') };
}

/** The facts of an export of the entries up to `upToSequence`. */
export function auditExportFacts(
  about: Pick<AuditExportFacts, 'siteId' | 'exportedTs' | 'upToSequence' | 'auditReceipt'>,
  selection: AuditSelection,
  seal: AuditSeal,
): AuditExportFacts {
  return {
    format: 'outpost-audit',
    version: 2,
    siteId: about.siteId,
    programVersion: VERSION,
    exportedTs: about.exportedTs,
    scope: isWhole(selection) ? 'whole' : 'selection',
    selection,
    upToSequence: about.upToSequence,
    ...seal,
    ...(about.auditReceipt && { auditReceipt: about.auditReceipt }),
  };
}

/**
 * Writes the ZIP of an export and ends `out`.
 * @throws SITE_CORRUPT when a stored row cannot be read, and what writing throws
 */
export async function writeAuditExport(
  store: Pick<ReadStore, 'audit'>,
  facts: AuditExportFacts,
  out: Writable,
): Promise<void> {
  const zip = new ZipWriter(out, 'few');
  const actors = new Map<string, { actor: { type: 'USER' | 'SUBJECT' | 'DEVICE' | 'SYSTEM'; id?: string } }>();
  async function* audit() {
    yield `${COLUMNS.join(',')}\n`;
    for await (const slice of store.audit.contents(facts.selection, facts.upToSequence)) {
      let text = '';
      for (const row of slice) {
        if (row.actorId !== null) actors.set(row.actorId, { actor: { type: row.actorType, id: row.actorId } });
        text += exactRow(COLUMNS.map((name) => (name === 'time' ? new Date(row.timeTs).toISOString() : row[name])));
      }
      yield text;
    }
  }
  async function* names() {
    yield 'actorType,actorId,name\n';
    const known = await store.audit.actorNames([...actors.values()]);
    for (const { actor } of actors.values())
      yield exactRow([actor.type, actor.id ?? null, known.get(actor.id ?? '') ?? null]);
  }
  try {
    await zip.add('README.txt', [readmeOf(facts)]);
    await zip.add('audit.csv', audit());
    await zip.add('names.csv', names());
    await zip.add('export.json', [`${JSON.stringify(facts, null, 2)}\n`]);
    await zip.add('verify-audit.py', [VERIFY_SCRIPT]);
    await zip.finish();
  } catch (thrown) {
    zip.abort(thrown as Error);
    throw thrown;
  }
}
