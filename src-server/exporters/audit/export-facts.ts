/** What an export of the audit trail says about itself. */
import type { AuditFilter } from '../../db/index.ts';
import type { AuditReceipt } from '../../study/audit-receipt.ts';

/** What an export of part of the trail is selected by. Empty: the whole trail. */
export type AuditSelection = Omit<AuditFilter, 'beforeSequence' | 'limit'>;

/** What closes an export: a chain of hashes alone cannot show that rows are missing at its end. */
export interface AuditSeal {
  rows: number;
  /** Of the whole trail, the hash of its last entry; of a selection, one over the positions and hashes of all its rows. */
  closingHash: string;
}

export interface AuditExportFacts extends AuditSeal {
  format: 'outpost-audit';
  version: 2;
  siteId: string;
  programVersion: string;
  exportedTs: number;
  scope: 'whole' | 'selection';
  selection: AuditSelection;
  /** The last entry of the chain at the export. */
  upToSequence: number;
  /** The same, signed with the key of the site's anchors; absent in exports by earlier versions. */
  auditReceipt?: AuditReceipt;
}
