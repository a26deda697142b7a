/** What the audit trail is compared with: its log of anchors, the key, and the receipts in backups and exports that can be reached. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openZipArchive } from '../../files/zip-archive.ts';
import type { Store } from '../../services/index.ts';
import type { AuditReceipt } from '../../study/audit-receipt.ts';
import { listBackups } from '../backup/folder.ts';
import { readBackupPlaces } from '../backup/places.ts';
import { openBackup } from '../backup/sources.ts';
import { sitePaths } from '../site-file.ts';
import { isReceiptSigned, type ParsedLog, readReceipt } from './anchor.ts';
import { readAnchorKey } from './anchor-key.ts';
import { type Head, readLog } from './anchor-log.ts';

/** A backup or an export that says what the trail was when it was made. */
export interface Witness {
  kind: 'backup' | 'export';
  name: string;
  timeTs: number;
  /** Absent where only the receipt says it. */
  head: Head;
  receipt?: AuditReceipt;
  /** It has a receipt that nobody signed, or that says something else than the manifest. */
  isForged: boolean;
}

export interface Evidence {
  siteId: string;
  /** Undefined where the file is missing or not a key. */
  keyId: string | undefined;
  /** The newest line of the log, as the database remembers it. */
  known: { branch: string; n: number; lineHash: string; keyId: string } | null;
  log: ParsedLog | undefined;
  witnesses: Witness[];
  /** Rows at which the trail says that the site was restored. */
  restoredAt: number[];
}

export interface EvidenceOptions {
  /** Leaves exports out, each of which has to be opened. */
  withoutExports?: boolean;
  signal?: AbortSignal;
}

/** Reads the evidence before the trail, which only grows: what the site adds meanwhile is in the trail in any case. */
export async function readEvidence(
  siteDir: string,
  siteId: string,
  store: Pick<Store, 'audit' | 'settings'>,
  options: EvidenceOptions = {},
): Promise<Evidence> {
  const paths = sitePaths(siteDir);
  // The site stores a line before the database remembers it.
  const known = await store.settings.get('audit.anchored');
  const log = await readLog(paths.anchorLog);
  const key = await readAnchorKey(paths.anchorKey);
  const schedule = await store.settings.get('backup.schedule');
  const noted = (await readBackupPlaces(paths.dir))?.places ?? [];
  const places = new Set([paths.backupsDir, ...noted.map(({ path }) => path)]);
  if (schedule.folder !== null) places.add(resolve(schedule.folder));
  const witnesses: Witness[] = [];
  for (const place of places) {
    if (options.signal?.aborted) break;
    if (existsSync(place)) witnesses.push(...(await backupsIn(place, siteId).catch(() => [])));
  }
  if (options.withoutExports !== true) witnesses.push(...(await exportsIn(paths.exportsDir, siteId, options.signal)));
  const restores = await store.audit.list({ entityType: 'site', entityId: siteId });
  const restoredAt = restores.flatMap(({ action, sequence }) => (action === 'site.restore' ? [sequence] : []));
  return { siteId, keyId: key?.id, known, log, witnesses, restoredAt };
}

/** Backups of the site in a folder, or the one in a ZIP. What cannot be read is no witness; the check of backups names it. */
async function backupsIn(place: string, siteId: string): Promise<Witness[]> {
  if ((await stat(place)).isFile()) {
    const source = await openBackup(place);
    source.close();
    const { manifest } = source;
    return manifest.siteId === siteId ? [witnessOf('backup', manifest.id, manifest)] : [];
  }
  return (await listBackups(place)).flatMap(({ id, summary }) =>
    summary?.siteId === siteId ? [witnessOf('backup', id, summary)] : [],
  );
}

function witnessOf(
  kind: Witness['kind'],
  name: string,
  { auditHead, auditReceipt, createdTs }: { auditHead: Head; auditReceipt?: unknown; createdTs: number },
): Witness {
  const common = { kind, name, timeTs: createdTs, head: auditHead };
  if (auditReceipt === undefined) return { ...common, isForged: false };
  const receipt = readReceipt(auditReceipt);
  const isSame = receipt?.sequence === auditHead.sequence && receipt.hash === auditHead.hash;
  return { ...common, ...(receipt && { receipt }), isForged: !receipt || !isSame || !isReceiptSigned(receipt) };
}

/** Files of the site itself. */
const OWN_ZIP = { maxMembers: 10_000_000, maxBytes: Number.MAX_SAFE_INTEGER, maxRatio: 1100 };
const MANIFESTS: ReadonlySet<string> = new Set(['manifest.json', 'outpost.json', 'export.json']);
const MOST_MANIFEST_BYTES = 64 << 20;

async function exportsIn(dir: string, siteId: string, signal: AbortSignal | undefined): Promise<Witness[]> {
  const names = await readdir(dir).catch(() => []);
  const found: Witness[] = [];
  for (const name of names) {
    if (signal?.aborted) break;
    if (!name.endsWith('.zip')) continue;
    const stored = await receiptIn(join(dir, name)).catch(() => undefined);
    if (stored === undefined) continue;
    const receipt = readReceipt(stored);
    if (receipt && receipt.siteId !== siteId) continue;
    const { sequence, hash, timeTs } = receipt ?? { sequence: 0, hash: '', timeTs: 0 };
    const isForged = !receipt || !isReceiptSigned(receipt);
    found.push({ kind: 'export', name, timeTs, head: { sequence, hash }, ...(receipt && { receipt }), isForged });
  }
  return found;
}

/** What the manifest of an export has as its receipt; undefined where it has none. */
async function receiptIn(path: string): Promise<unknown> {
  const zip = await openZipArchive(path, OWN_ZIP);
  try {
    const manifest = zip.members.find(({ name }) => MANIFESTS.has(name));
    if (!manifest || manifest.sizeBytes > MOST_MANIFEST_BYTES) return undefined;
    const chunks = await Array.fromAsync(manifest.open());
    return (JSON.parse(Buffer.concat(chunks).toString()) as { auditReceipt?: unknown } | null)?.auditReceipt;
  } finally {
    zip.close();
  }
}
