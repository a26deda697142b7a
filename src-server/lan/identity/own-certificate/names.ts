/** Names that the clinic's own certificate is served for. */
import { isIP } from 'node:net';
import { DAY_MS } from '../../../durations.ts';

/** When the end of a certificate is announced. */
export const EXPIRY_WARNING_MS = 30 * DAY_MS;

/** Whether a name of a certificate, perhaps a wildcard, covers a host name; both in lower case. */
export function covers(name: string, hostName: string): boolean {
  if (!name.startsWith('*.')) return name === hostName;
  const dot = hostName.indexOf('.');
  return dot > 0 && hostName.slice(dot) === name.slice(1);
}

/** A host name in lower case, perhaps with a wildcard for its first label; `xn--` for letters of other scripts. */
const HOST_NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;
/** URLs take a name that ends in a number for an address, however it is written. */
const ENDS_IN_NUMBER = /\.(\d+|0x[0-9a-f]*)$/;
/** Of a host name (RFC 1035). */
const MOST_CHARACTERS = 253;

/**
 * Whether a certificate of the clinic is served for a name. Addresses and mDNS names always get the site's certificate: devices call
 * them, and pin its key. What no browser asks for (a NUL, a final dot, spaces) is not served either.
 */
export function isServed(name: string): boolean {
  if (isIP(name) !== 0 || name.length > MOST_CHARACTERS) return false;
  return HOST_NAME.test(name) && !ENDS_IN_NUMBER.test(name) && !name.endsWith('.local') && !name.endsWith('.localhost');
}
