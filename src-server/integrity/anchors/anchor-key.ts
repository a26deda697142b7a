/**
 * `audit-anchor.key`: the Ed25519 key that signs the heads of the audit trail (decision 0072). It lies beside the database, only the
 * account that runs the site can read it, and no backup holds it: with a copy of the database alone nobody can sign another trail.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeDurably } from '../../files/durable-files.ts';

/** PKCS #8 and SPKI of Ed25519 are these bytes and the 32 of the key (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const SEED = /^[0-9a-f]{64}$/;

export interface AnchorKey {
  /** The first 16 hex digits of the SHA-256 of the public key. */
  id: string;
  /** 32 bytes in base64url. */
  publicKey: string;
  /** What the file holds: 32 bytes in hex. */
  seed: string;
  sign(text: string): string;
}

/** Undefined where there is no such file, or one that is not a key. */
export async function readAnchorKey(path: string): Promise<AnchorKey | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined || !SEED.test(text.trim())) return undefined;
  return keyOf(Buffer.from(text.trim(), 'hex'));
}

/** Makes a key and makes it durable. A file that is there is replaced. */
export async function newAnchorKey(path: string): Promise<AnchorKey> {
  const seed = randomBytes(32);
  await writeDurably(path, `${seed.toString('hex')}\n`, 0o600);
  return keyOf(seed);
}

function keyOf(seed: Uint8Array): AnchorKey {
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key)
    .export({ format: 'der', type: 'spki' })
    .subarray(PUBLIC_PREFIX.length)
    .toString('base64url');
  return {
    id: keyIdOf(publicKey),
    publicKey,
    seed: Buffer.from(seed).toString('hex'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
  };
}

export function keyIdOf(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex').slice(0, 16);
}

/** Public keys that were used last. Reading one takes longer than a signature. */
const readKeys = new Map<string, KeyObject>();
const MOST_READ_KEYS = 16;

export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    let key = readKeys.get(publicKey);
    if (!key) {
      const bytes = Buffer.concat([PUBLIC_PREFIX, Buffer.from(publicKey, 'base64url')]);
      key = createPublicKey({ key: bytes, format: 'der', type: 'spki' });
      if (readKeys.size >= MOST_READ_KEYS) readKeys.clear();
      readKeys.set(publicKey, key);
    }
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
