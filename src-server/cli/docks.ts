/** `outpost docks`: what the desk's page of docks does, for a server without a desk. */
import {
  confirmTransfer,
  FAULT_TEXTS,
  type ListedTransfer,
  listTransfers,
  listUnreadable,
  takeTransfer,
} from '../site/dock-commands.ts';
import { parseStart } from './import.ts';
import { answer, formatBytes } from './output.ts';
import { formatTable } from './tables.ts';

interface SiteOptions {
  data: string;
  json: boolean;
}

/** @throws SITE_MISSING */
export async function listDocks({ data, json }: SiteOptions): Promise<undefined> {
  const transfers = await listTransfers(data);
  const unreadableFiles = await listUnreadable(data);
  if (json) {
    answer({ transfers, unreadableFiles });
    return undefined;
  }
  if (unreadableFiles.length > 0) {
    const rows = unreadableFiles.map(({ path, why }) => [path, FAULT_TEXTS[why]]);
    answer(`${formatTable([['cannot be read', 'why, and what to do'], ...rows])}\n`);
  }
  if (transfers.length === 0) answer('No recordings on docked devices or in watched folders.');
  else answer(formatTable([['id', 'found on', 'state', 'copied', 'recorded from', ''], ...transfers.map(rowOf)]));
  return undefined;
}

/** @throws SITE_MISSING, NOT_FOUND, CONFLICT, INVALID_INPUT */
export async function takeFromDock(
  options: SiteOptions & {
    id: string;
    study?: string;
    subject?: string;
    reason?: string;
    template?: string;
    start?: string;
  },
): Promise<undefined> {
  const { data, json, id, study, subject, reason, template, start } = options;
  const transfer = await takeTransfer(data, {
    id,
    ...(study !== undefined && { studyId: study }),
    ...(subject !== undefined && { subjectId: subject }),
    ...(reason !== undefined && { reason }),
    ...(template !== undefined && { template }),
    ...(start !== undefined && { startTs: Math.floor(parseStart(start) / 1000) }),
  });
  answer(json ? transfer : `Taken: ${transfer.found}. Leave the device plugged in until the copy is complete.`);
  return undefined;
}

/** @throws SITE_MISSING, NOT_FOUND, CONFLICT */
export async function confirmDock({
  data,
  json,
  id,
  reason,
}: SiteOptions & { id: string; reason: string }): Promise<undefined> {
  const transfer = await confirmTransfer(data, { id, reason });
  answer(json ? transfer : `Confirmed: ${transfer.found}. The device may be cleared in the program of its maker.`);
  return undefined;
}

function rowOf({ id, found, files, state, sizeBytes, receivedBytes, startTs, message }: ListedTransfer): string[] {
  return [
    id.slice(0, 8),
    files.length > 1 ? `${found} (${files.length} files)` : found,
    state,
    `${formatBytes(receivedBytes)} of ${formatBytes(sizeBytes)}`,
    startTs === undefined ? '' : new Date(startTs).toISOString(),
    message ?? '',
  ];
}
