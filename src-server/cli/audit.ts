/** Exports the audit trail of a site, running or not, for verification without Outpost. */
import { createWriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { openReadStore } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { auditExportFacts, sealAudit, writeAuditExport } from '../exporters/audit/audit-export.ts';
import type { AuditSelection } from '../exporters/audit/export-facts.ts';
import { syncDirectory } from '../files/durable-files.ts';
import { receiptFor } from '../integrity/anchors/anchor-log.ts';
import { readSiteFile, sitePaths } from '../integrity/site-file.ts';
import { answer } from './output.ts';

interface Options {
  data: string;
  to: string;
  study?: string;
  subject?: string;
  record?: string;
  json: boolean;
}

/** @throws INVALID_INPUT for a record that is not written as TYPE:ID */
function selectionOf({ study, subject, record }: Options): AuditSelection {
  const [, entityType, entityId] = record === undefined ? [] : (/^([a-z]+):(.+)$/.exec(record) ?? []);
  if (record !== undefined && entityId === undefined) {
    throw new OutpostError('INVALID_INPUT', 'Write the record as TYPE:ID, such as recording:0197....');
  }
  return {
    ...(study !== undefined && { studyId: study }),
    ...(subject !== undefined && { subjectId: subject }),
    ...(entityType !== undefined && { entityType, entityId }),
  };
}

/** @throws CONFLICT when the file exists, SITE_MISSING, SITE_CORRUPT, INVALID_INPUT */
export async function exportAudit(options: Options): Promise<number> {
  const to = resolve(options.to);
  const selection = selectionOf(options);
  const isTaken = await access(to).then(
    () => true,
    () => false,
  );
  if (isTaken) throw new OutpostError('CONFLICT', `${to} exists. Choose a new file.`);
  const { id: siteId } = await readSiteFile(options.data);
  const store = openReadStore(sitePaths(options.data).database);
  const partial = `${to}.partial`;
  try {
    const head = await store.audit.head();
    const seal = await sealAudit(store, selection, head);
    const exportedTs = Date.now();
    const auditReceipt = await receiptFor(options.data, siteId, head, exportedTs);
    const about = { siteId, exportedTs, upToSequence: head.sequence, ...(auditReceipt && { auditReceipt }) };
    const facts = auditExportFacts(about, selection, seal);
    const out = createWriteStream(partial);
    const written = finished(out);
    written.catch(() => undefined);
    await writeAuditExport(store, facts, out);
    await written;
    const handle = await open(partial, 'r+');
    await handle.sync().finally(() => handle.close());
    await rename(partial, to);
    await syncDirectory(dirname(to));
    if (options.json) answer({ ...facts, path: to });
    else answer(`Rows: ${seal.rows}\nClosing hash: ${seal.closingHash}\nFile: ${to}`);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  } finally {
    await store.close();
  }
  return 0;
}
