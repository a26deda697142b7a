/** Signed addresses: an HMAC over path and query grants access without credentials for one hour. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { isOpen } from '../../clock-rules.ts';
import { HOUR_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import type { ApiDeps } from '../deps.ts';

const SIGNED_URL_LIFETIME_MS = HOUR_MS;

function signatureOf(key: Uint8Array, pathAndQuery: string): string {
  return createHmac('sha256', key).update(pathAndQuery).digest('base64url');
}

/** Signs `path` (without a query), its expiry and every member of `query`. */
function signPath(key: Uint8Array, path: string, expirationMs: number, query: Record<string, string> = {}): string {
  const search = new URLSearchParams({ ...query, expires: String(expirationMs) });
  const signed = `${path}?${search}`;
  return `${signed}&signature=${signatureOf(key, signed)}`;
}

/** @throws FORBIDDEN unless `pathAndQuery`, as received, was signed with this key and has not expired */
export function checkSignedPath(key: Uint8Array, pathAndQuery: string, nowMs: number): void {
  const match = /^(.*)&signature=([\w-]+)$/.exec(pathAndQuery);
  const expected = Buffer.from(signatureOf(key, match?.[1] ?? ''));
  const given = Buffer.from(match?.[2] ?? '');
  const valid = match !== null && expected.length === given.length && timingSafeEqual(expected, given);
  if (!valid) {
    throw new OutpostError(
      'FORBIDDEN',
      'This address was not signed by this site, or it was changed. Request a new one.',
    );
  }
  const expires = Number(new URLSearchParams(match[1]!.slice(match[1]!.indexOf('?'))).get('expires'));
  if (!isOpen(expires, SIGNED_URL_LIFETIME_MS, nowMs)) {
    throw new OutpostError('FORBIDDEN', 'This address has expired. Request a new one.');
  }
}

/** Returns an absolute signed address under the host name that the caller used, valid for one hour. */
export function signedUrlOf(
  deps: Pick<ApiDeps, 'secrets' | 'clock'>,
  request: Request,
  path: string,
): { href: string; expiration: number } {
  const expiration = deps.clock() + SIGNED_URL_LIFETIME_MS;
  const signed = signPath(deps.secrets.urlSigningKey, path, expiration);
  return { href: `${request.protocol}://${request.headers.host}${signed}`, expiration };
}
