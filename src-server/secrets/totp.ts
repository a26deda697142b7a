/**
 * Time-based one-time passwords (RFC 6238, on RFC 4226) as authenticator programs make them: SHA-1, six digits, steps of 30 s. Written
 * on node:crypto: it is one HMAC and a truncation, which the vectors of both RFCs check in full, while the libraries for it bring a
 * second implementation of SHA-1 and of randomness along.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_MS = 30_000;
/** RFC 4226, 4: at least 128 bits, 160 recommended. */
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function newTotpSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/** The time step of an instant in epoch ms. */
export function stepAt(timeTs: number): number {
  return Math.floor(timeTs / STEP_MS);
}

/** The one-time password for a counter (RFC 4226, 5.3). */
export function oneTimePassword(secret: Uint8Array, counter: number, digits = 6): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(message).digest();
  const offset = mac[mac.length - 1]! & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The time step whose code this is, at most one before or after that of `nowTs`; undefined when there is none. */
export function matchingStep(secret: Uint8Array, code: string, nowTs: number): number | undefined {
  const given = Buffer.from(code);
  const now = stepAt(nowTs);
  let found: number | undefined;
  for (const step of [now, now - 1, now + 1]) {
    if (step < 0) continue;
    const expected = Buffer.from(oneTimePassword(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) found ??= step;
  }
  return found;
}

/** RFC 4648, without padding, as people type it. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let [bits, value] = [0, 0];
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31];
}

/** What the QR code of a new second factor holds (the key URI format of authenticator programs). */
export function totpLink(secret: Uint8Array, { issuer, account }: { issuer: string; account: string }): string {
  // A colon would separate issuer and account.
  const name = issuer.replaceAll(':', ' ');
  const label = `${encodeURIComponent(name)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(name)}&algorithm=SHA1&digits=6&period=30`;
}
