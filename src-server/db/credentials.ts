/** Passwords (argon2id) and access tokens. Secrets are shown once; only hashes are stored. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { DAY_MS } from '../durations.ts';
import { sha256Hex } from '../files/content-hash.ts';

/** OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

export const ACCESS_TOKEN_LIFETIME_MS = 14 * DAY_MS;
/**
 * A token that expires later than this from now was issued while the clock was far ahead. The limit is twice the lifetime, so
 * that correcting a clock by hours or days signs nobody out.
 */
export const LONGEST_ACCESS_MS = 2 * ACCESS_TOKEN_LIFETIME_MS;
const PASSWORD_LENGTH = { shortest: 8, longest: 64 };

/** Passwords have 8 to 64 characters, counted as code points; all of them count. */
export function isPasswordLengthAllowed(password: string): boolean {
  const length = [...password].length;
  return length >= PASSWORD_LENGTH.shortest && length <= PASSWORD_LENGTH.longest;
}

export async function hashPassword(password: string): Promise<string> {
  // NFKC: the same password typed on another keyboard or system may arrive in another composition (RFC 8265).
  return await hash(password.normalize('NFKC'), ARGON2);
}

let decoy: Promise<string> | undefined;

/**
 * Compares a password with a stored hash. Without one (unknown e-mail, user without password) it takes as long and
 * returns false, so that the timing reveals nothing.
 */
export async function verifyPassword(password: string, storedHash: string | null | undefined): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(32).toString('hex'));
  const matches = await verify(storedHash ?? (await decoy), password.normalize('NFKC'));
  return matches && typeof storedHash === 'string';
}

/** A new access token: 12 random bytes as 16 characters of standard base64. */
export function newAccessToken(): string {
  return randomBytes(12).toString('base64');
}

/** A sign-in token for a subject's phone, or a code that an admin hands over: letters and digits that are hard to confuse. */
export function newReadableSecret(length = 20): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** SHA-256 in hex, as tokens are stored: they are random, so no slow hash is needed. */
export function hashToken(token: string): string {
  return sha256Hex(token);
}

/** Compares two hex hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}
