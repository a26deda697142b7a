/**
 * Codes and proofs of a pairing. A device knows either the secret of the QR code or the typed code; each yields a 32-byte key. All
 * formulas are in `resources/protocol/pairing.md`.
 */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { typedCode } from '../../secrets/typed-code.ts';

const PROTOCOL = 'outpost-pairing-1';
/** 32 letters and digits that are hard to confuse (no I, O, 0, 1): 5 bits each. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 8;
const CODE_ROUNDS = 200_000;
export const NONCE_BYTES = 32;

const derive = promisify(pbkdf2);

/** A code of 40 random bits in two groups: `K7PM-2XQD`. */
export function newCode(): string {
  const letters = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Derives the key of a typed code. Slow, so that an eavesdropper cannot try all codes while they are valid. */
export async function keyOfCode(code: string, siteId: string): Promise<Uint8Array> {
  return await derive(typedCode(code), `${PROTOCOL} code\0${siteId}`, CODE_ROUNDS, 32, 'sha256');
}

function keyed(key: Uint8Array, purpose: string, parts: readonly Uint8Array[]): Uint8Array {
  const hmac = createHmac('sha256', key).update(`${PROTOCOL} ${purpose}\0`);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

export function commitmentOf(nonce: Uint8Array): Uint8Array {
  return createHash('sha256').update(nonce).digest();
}

/** Proves that the caller knows the key and talks to the holder of the pinned key. */
export function proofOf(key: Uint8Array, fingerprint: Uint8Array, commitment: Uint8Array): Uint8Array {
  return keyed(key, 'proof', [fingerprint, commitment]);
}

/** The check code that both sides show: `7F3A-19C2`. It differs if another computer intercepts the connection. */
export function checkCodeOf(input: {
  key: Uint8Array;
  fingerprint: Uint8Array;
  deviceNonce: Uint8Array;
  serverNonce: Uint8Array;
}): string {
  const digest = keyed(input.key, 'check', [input.fingerprint, input.deviceNonce, input.serverNonce]);
  const hex = Buffer.from(digest.subarray(0, 4)).toString('hex').toUpperCase();
  return `${hex.slice(0, 4)}-${hex.slice(4)}`;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The content of the QR code: a URL with the secret in its fragment, because fragments are never sent to servers or logged. */
export function pairingLink(input: {
  siteId: string;
  siteName: string;
  pairingId: string;
  secret: Uint8Array;
  fingerprint: string;
  expirationTs: number;
  /** At most four are used. */
  addresses: readonly string[];
}): string {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  const members = new URLSearchParams([
    ['s', input.siteId],
    ['n', input.siteName],
    ['p', input.pairingId],
    ['k', text(input.secret)],
    ['f', text(Buffer.from(input.fingerprint, 'hex'))],
    ['e', String(Math.floor(input.expirationTs / 1000))],
    ...input.addresses.slice(0, 4).map((address) => ['a', address]),
  ]);
  return `outpost://pair/1#${members}`;
}
