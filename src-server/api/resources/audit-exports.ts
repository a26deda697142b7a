/**
 * Exports of the audit log for third parties. An export is an entry of the log itself: it holds what was selected and the closing
 * hash, so every later export shows which ones were made before, and the file can be written again for as long as its address is valid.
 */
import type { Request, Response } from 'express';
import { type Change, newId } from '../../db/index.ts';
import { auditExportFacts, sealAudit, writeAuditExport } from '../../exporters/audit/audit-export.ts';
import type { AuditSelection } from '../../exporters/audit/export-facts.ts';
import type { AuditReceipt } from '../../study/audit-receipt.ts';
import type { AuditExport } from '../contract/index.ts';
import type { ApiDeps } from '../deps.ts';
import { notFound } from '../framework/errors.ts';
import { SENT, type Sent } from '../framework/mount.ts';
import { signedUrlOf } from '../framework/signed-url.ts';

interface StoredExport {
  selection: AuditSelection;
  upToSequence: number;
  rows: number;
  closingHash: string;
  auditReceipt: AuditReceipt;
}

/** Records an export and returns its address. */
export async function auditExportOf(
  deps: ApiDeps,
  request: Request,
  selection: AuditSelection,
  change: Change,
): Promise<AuditExport> {
  const { audit } = deps.store;
  const head = await audit.head();
  const seal = await sealAudit(deps.store, selection, head);
  const auditReceipt = deps.anchors.receiptOf(head);
  const stored: StoredExport = { selection, upToSequence: head.sequence, ...seal, auditReceipt };
  const id = newId();
  await audit.note(change, {
    action: 'audit.export',
    entityType: 'audit',
    entityId: id,
    ...(selection.studyId !== undefined && { studyId: selection.studyId }),
    ...(selection.subjectId !== undefined && { subjectId: selection.subjectId }),
    changes: Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, { new: value }])),
  });
  const address = signedUrlOf(deps, request, `/api/v1/files/audit/${id}/audit.zip`);
  return { ...address, ...seal, upToSequence: head.sequence, isWhole: Object.keys(selection).length === 0 };
}

/** @throws NOT_FOUND when no export has this id */
export async function sendAuditExport(deps: ApiDeps, id: string, response: Response): Promise<Sent> {
  const [entry] = await deps.store.audit.list({ entityType: 'audit', entityId: id, limit: 1 });
  if (entry?.action !== 'audit.export') throw notFound('export of the audit log');
  const member = (name: keyof StoredExport) => entry.changes[name]?.new;
  const selection = member('selection') as AuditSelection;
  const about = {
    siteId: deps.siteId,
    exportedTs: entry.timeTs,
    upToSequence: member('upToSequence') as number,
    ...(entry.changes.auditReceipt && { auditReceipt: member('auditReceipt') as AuditReceipt }),
  };
  const seal = { rows: member('rows') as number, closingHash: member('closingHash') as string };
  const day = new Date(entry.timeTs).toISOString().slice(0, 10);
  response.status(200).type('application/zip').attachment(`audit-${day}.zip`);
  await writeAuditExport(deps.store, auditExportFacts(about, selection, seal), response);
  return SENT;
}
