/**
 * The lock of the app: a code that is asked for before anything of the subject is shown. It keeps people out who hold the
 * unlocked phone. It does not encrypt: a code of a few digits is found in minutes by anybody who can copy the storage, and the
 * phone's own encryption, bound to its hardware, protects that (decision 0038).
 */

export interface LockRecord {
  salt: Uint8Array<ArrayBuffer>;
  iterations: number;
  hash: Uint8Array;
  /** Wrong codes since the last right one. They survive a reload. */
  failures: number;
  /** By the phone's clock, ms. */
  lastFailureMs: number;
}

const ITERATIONS = 210_000;
const FREE_TRIES = 3;
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;

async function hashOf(code: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(code), 'PBKDF2', false, ['deriveBits']);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt, iterations }, key, 256),
  );
}

export async function newLock(code: string, iterations = ITERATIONS): Promise<LockRecord> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  return { salt, iterations, hash: await hashOf(code, salt, iterations), failures: 0, lastFailureMs: 0 };
}

export async function isRightCode({ salt, iterations, hash }: LockRecord, code: string): Promise<boolean> {
  const given = await hashOf(code, salt, iterations);
  return given.reduce((difference, byte, index) => difference | (byte ^ (hash[index] ?? 0)), 0) === 0;
}

/** How long the next try has to wait, ms. A clock that was set back does not make it longer than the longest wait. */
export function waitMs({ failures, lastFailureMs }: LockRecord, nowMs: number): number {
  if (failures < FREE_TRIES) return 0;
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, failures - FREE_TRIES));
  const passedMs = nowMs - lastFailureMs;
  return passedMs < 0 ? wait : Math.max(0, wait - passedMs);
}

export const afterFailure = (lock: LockRecord, nowMs: number): LockRecord => ({
  ...lock,
  failures: lock.failures + 1,
  lastFailureMs: nowMs,
});
