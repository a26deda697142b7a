/**
 * Anchors: signed heads of the audit trail, one to a line of `audit-anchors.jsonl`, each with the hash of the line before it. And
 * receipts: the same for others to keep. Pure.
 *
 * A branch is the life of one database. It ends when the site continues from a backup: the anchor of that restore begins the next
 * branch and says up to which row both are the same.
 */
import { z } from 'zod';
import { sha256Hex } from '../../files/content-hash.ts';
import type { AuditReceipt } from '../../study/audit-receipt.ts';
import { canonicalJson } from '../../study/changes.ts';
import { type AnchorKey, isSignedBy, keyIdOf } from './anchor-key.ts';

/** Why a head was signed. */
const KINDS = [
  /** The first one of a site, also of one that had a trail before there were anchors. */
  'start',
  /** The site was opened, before anything was written. */
  'open',
  /** So many rows, or minutes, after the one before. */
  'rows',
  /** The site was closed; nothing is written until the next `open`. */
  'close',
  /** The site continues from a backup. */
  'restore',
  /** The log was missing, or another site's, although there had been one. */
  'restart',
  /** The key was missing, or another one. The log continues with a new one. */
  'key',
] as const;
export type AnchorKind = (typeof KINDS)[number];

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const head = z.object({ sequence: z.int().min(0), hash: sha256 });
const keyId = z.string().regex(/^[0-9a-f]{16}$/);
const base64url = z.string().regex(/^[\w-]+$/);

const anchorSchema = z.strictObject({
  v: z.literal(1),
  n: z.int().min(1),
  kind: z.enum(KINDS),
  siteId: z.string(),
  branch: z.string(),
  ...head.shape,
  timeTs: z.int(),
  keyId,
  /** SHA-256 of the line before it; of the first, zeros. */
  previous: sha256,
  /** Where a key is used first. */
  publicKey: base64url.optional(),
  /** What a branch continues. */
  base: z.object({ ...head.shape, backupId: z.string(), backupTs: z.int() }).optional(),
  signature: base64url,
});
export type Anchor = z.output<typeof anchorSchema>;

const receiptSchema = z.object({
  v: z.literal(1),
  siteId: z.string(),
  branch: z.string(),
  ...head.shape,
  timeTs: z.int(),
  anchor: z.int().min(0),
  anchorHash: sha256,
  keyId,
  publicKey: base64url,
  signature: base64url,
});

export const NO_ANCHOR = '0'.repeat(64);

/** What is signed names its kind, so that no anchor passes for a receipt. */
const signedText = (what: 'anchor' | 'receipt', { signature: _, ...content }: Partial<Anchor & AuditReceipt>): string =>
  `outpost-audit-${what}-v1\n${canonicalJson(content)}`;

export type AnchorContent = Omit<Anchor, 'v' | 'keyId' | 'signature'>;

/** Returns the line without its end. */
export function signAnchor(key: AnchorKey, content: AnchorContent): string {
  const anchor = { v: 1 as const, ...content, keyId: key.id };
  return JSON.stringify({ ...anchor, signature: key.sign(signedText('anchor', anchor)) });
}

export function signReceipt(
  key: AnchorKey,
  content: Omit<AuditReceipt, 'v' | 'keyId' | 'publicKey' | 'signature'>,
): AuditReceipt {
  const receipt = { v: 1 as const, ...content, keyId: key.id, publicKey: key.publicKey };
  return { ...receipt, signature: key.sign(signedText('receipt', receipt)) };
}

function isAnchorSigned({ lineHash: _, ...anchor }: LoggedAnchor, publicKey: string): boolean {
  return isSignedBy(publicKey, signedText('anchor', anchor), anchor.signature);
}

/** A receipt as it was stored elsewhere. Undefined for anything else; whose key signed it is for the caller to judge. */
export function readReceipt(value: unknown): AuditReceipt | undefined {
  const parsed = receiptSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

export function isReceiptSigned(receipt: AuditReceipt): boolean {
  if (keyIdOf(receipt.publicKey) !== receipt.keyId) return false;
  return isSignedBy(receipt.publicKey, signedText('receipt', receipt), receipt.signature);
}

/** A line of the log with its own hash, by which the next one names it. */
export interface LoggedAnchor extends Anchor {
  lineHash: string;
}

export interface ParsedLog {
  anchors: LoggedAnchor[];
  /** Public keys by id, as the lines introduce them. */
  keys: Map<string, string>;
  /** The first line that does not fit, counted from 1. Nothing after it counts. */
  firstBad?: number;
  /** Bytes of what counts. A last line without its end is what a crash left of an append, and not part of the log. */
  wholeBytes: number;
}

const INTRODUCES_KEY: ReadonlySet<AnchorKind> = new Set(['start', 'restart', 'restore', 'key']);

/**
 * Reads a log and checks its form, its order and its signatures. Since every line names the hash of the one before it, the last
 * signature of each key vouches for all lines before; the others are looked at only to name the first bad one.
 */
export function parseLog(text: string): ParsedLog {
  const anchors: LoggedAnchor[] = [];
  const keys = new Map<string, string>();
  let wholeBytes = 0;
  let previous = NO_ANCHOR;
  let firstBad: number | undefined;
  for (let start = 0; ; ) {
    const end = text.indexOf('\n', start);
    if (end < 0) break;
    const line = text.slice(start, end);
    const anchor = anchorOf(line);
    const isNext = anchor?.n === anchors.length + 1 && anchor.previous === previous;
    if (!anchor || !isNext || !introduces(anchor, keys)) {
      firstBad = anchors.length + 1;
      break;
    }
    previous = sha256Hex(line);
    anchors.push({ ...anchor, lineHash: previous });
    wholeBytes += Buffer.byteLength(line) + 1;
    start = end + 1;
  }
  const forged = firstUnsigned(anchors, keys);
  if (forged !== undefined) {
    firstBad = forged;
    anchors.length = forged - 1;
  }
  return { anchors, keys, wholeBytes, ...(firstBad !== undefined && { firstBad }) };
}

function anchorOf(line: string): Anchor | undefined {
  try {
    const parsed = anchorSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the key of a line is known, or rightly introduced by it. */
function introduces({ kind, keyId, publicKey }: Anchor, keys: Map<string, string>): boolean {
  if (publicKey === undefined) return keys.has(keyId);
  if (!INTRODUCES_KEY.has(kind) || keyIdOf(publicKey) !== keyId) return false;
  keys.set(keyId, publicKey);
  return true;
}

function firstUnsigned(anchors: readonly LoggedAnchor[], keys: ReadonlyMap<string, string>): number | undefined {
  const isSigned = (anchor: LoggedAnchor) => isAnchorSigned(anchor, keys.get(anchor.keyId)!);
  const isLastOfKey = (index: number) => anchors[index + 1]?.keyId !== anchors[index]!.keyId;
  if (anchors.every((anchor, index) => !isLastOfKey(index) || isSigned(anchor))) return undefined;
  return anchors.find((anchor) => !isSigned(anchor))!.n;
}
