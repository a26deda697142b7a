/**
 * The file `audit-anchors.jsonl` beside the database. Lines are only ever added, each synced before it counts; a crash in the middle
 * leaves a last line without its end, which readers ignore and the next append removes.
 */
import { existsSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { v4 as uuidv4 } from 'uuid';
import { OutpostError } from '../../errors.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { syncDirectory } from '../../files/durable-files.ts';
import type { AuditReceipt } from '../../study/audit-receipt.ts';
import { sitePaths } from '../site-file.ts';
import { type AnchorContent, NO_ANCHOR, type ParsedLog, parseLog, signAnchor, signReceipt } from './anchor.ts';
import { type AnchorKey, readAnchorKey } from './anchor-key.ts';

export interface Head {
  sequence: number;
  hash: string;
}

/** Undefined where there is no such file. */
export async function readLog(path: string): Promise<ParsedLog | undefined> {
  try {
    return parseLog(await readFile(path, 'utf8'));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Where the log ends. */
export interface LogEnd {
  sizeBytes: number;
  /** Number and hash of the last line; 0 and zeros before the first. */
  n: number;
  lineHash: string;
  branch: string;
}

export const NEW_LOG = (): LogEnd => ({ sizeBytes: 0, n: 0, lineHash: NO_ANCHOR, branch: uuidv4() });

export function endOf({ anchors, wholeBytes }: ParsedLog): LogEnd {
  const last = anchors.at(-1);
  if (!last) return NEW_LOG();
  return { sizeBytes: wholeBytes, n: last.n, lineHash: last.lineHash, branch: last.branch };
}

/**
 * Adds a line and returns the new end. The database has the row durably before (synchronous=FULL), so an anchor may lag behind the
 * database after a power cut and never leads it.
 * @throws FILE_DAMAGED when the file does not end where it should, which is left as it is; failures of the disk
 */
export async function appendAnchor(
  path: string,
  end: LogEnd,
  key: AnchorKey,
  content: Omit<AnchorContent, 'n' | 'previous' | 'branch'> & { branch?: string },
): Promise<LogEnd> {
  const branch = content.branch ?? end.branch;
  const n = end.n + 1;
  const line = signAnchor(key, { ...content, n, branch, previous: end.lineHash });
  const isNew = end.n === 0;
  const file = await open(path, isNew ? 'a' : 'r+', 0o600);
  try {
    const { size } = await file.stat();
    if (size < end.sizeBytes || (await hasLineAfter(file, end.sizeBytes, size))) {
      throw new OutpostError('FILE_DAMAGED', `${path} was changed by something else, so no anchor was added.`);
    }
    if (size > end.sizeBytes) await file.truncate(end.sizeBytes);
    const bytes = Buffer.from(`${line}\n`);
    await file.write(bytes, 0, bytes.length, end.sizeBytes);
    await file.sync();
    if (isNew) await syncDirectory(dirname(path));
    return { sizeBytes: end.sizeBytes + bytes.length, n, lineHash: sha256Hex(line), branch };
  } finally {
    await file.close();
  }
}

/** Whether a whole line follows, which another process must have added. */
async function hasLineAfter(file: Awaited<ReturnType<typeof open>>, start: number, size: number): Promise<boolean> {
  if (size <= start) return false;
  const rest = Buffer.alloc(size - start);
  await file.read(rest, 0, rest.length, start);
  return rest.includes(0x0a);
}

/** Keeps a log that cannot be continued under another name. */
export async function setLogAside(path: string, nowTs: number): Promise<void> {
  if (!existsSync(path)) return;
  await rename(path, `${path}.set-aside-${nowTs}`);
  await syncDirectory(dirname(path));
}

/** The bytes of a log that count, for a copy of it. */
export async function wholeLog(path: string): Promise<{ text: string; parsed: ParsedLog } | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const parsed = parseLog(text);
  return { text: Buffer.from(text).subarray(0, parsed.wholeBytes).toString('utf8'), parsed };
}

/** Signs a head for others to keep. Undefined for a site that has no key or no log yet. */
export async function receiptFor(
  siteDir: string,
  siteId: string,
  head: Head,
  nowTs: number,
): Promise<AuditReceipt | undefined> {
  const { anchorKey, anchorLog } = sitePaths(siteDir);
  const [key, log] = await Promise.all([readAnchorKey(anchorKey), readLog(anchorLog).catch(() => undefined)]);
  const last = log?.anchors.at(-1);
  if (!key || !last || last.siteId !== siteId) return undefined;
  return receiptAt(key, siteId, head, endOf(log!), nowTs);
}

export function receiptAt(key: AnchorKey, siteId: string, head: Head, end: LogEnd, nowTs: number): AuditReceipt {
  const { sequence, hash } = head;
  return signReceipt(key, {
    siteId,
    branch: end.branch,
    sequence,
    hash,
    timeTs: nowTs,
    anchor: end.n,
    anchorHash: end.lineHash,
  });
}
