/**
 * Signatures of the list of updates: Ed25519 over the bytes of the file, so that `openssl pkeyutl -verify -rawin` checks them too. The
 * hashes that electron-builder writes into `latest.yml` are no signature: anyone who can replace an installer can replace them.
 */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256Hex } from '../../src-server/files/content-hash.ts';

export interface PinnedKey {
  id: string;
  key: KeyObject;
}

const ID_LENGTH = 16;

/** Names a public key: the start of the SHA-256 of its SPKI form. */
export const keyId = (key: KeyObject): string =>
  sha256Hex(key.export({ type: 'spki', format: 'der' })).slice(0, ID_LENGTH);

/** Reads a public key in PEM, or that of a private one. @throws Error when it is not Ed25519 */
export function pinnedKey(pem: string): PinnedKey {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`The key is ${key.asymmetricKeyType}, not Ed25519.`);
  return { id: keyId(key), key };
}

/** One line for each key: its id and the signature in Base64. */
export const signatureLines = (list: Uint8Array, privateKeys: readonly KeyObject[]): string =>
  privateKeys.map((key) => `${keyId(createPublicKey(key))} ${sign(null, list, key).toString('base64')}\n`).join('');

/**
 * Whether one of the pinned keys has signed these bytes: a release names two, the one in use and the next one, so a lost or
 * retired key is replaced without a program that trusts neither. `unsigned` when no line is of a pinned key.
 */
export function checkSignatures(
  list: Uint8Array,
  lines: string,
  pinned: readonly PinnedKey[],
): 'signed' | 'unsigned' | 'wrong' {
  const ofPinned = lines.split('\n').flatMap((line) => {
    const [id, signature, ...more] = line.trim().split(' ');
    const found = pinned.find((one) => one.id === id);
    return found && signature !== undefined && more.length === 0 ? [{ key: found.key, signature }] : [];
  });
  if (ofPinned.length === 0) return 'unsigned';
  // A line that is wrong is a sign of tampering, whatever the other lines are.
  return ofPinned.every(({ key, signature }) => verify(null, list, key, Buffer.from(signature, 'base64')))
    ? 'signed'
    : 'wrong';
}
