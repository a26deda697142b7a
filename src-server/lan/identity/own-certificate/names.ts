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

/**
 * Whether a certificate of the clinic is served for a name. Addresses and mDNS names always get the site's certificate: devices call
 * them, and pin its key.
 */
export function isServed(name: string): boolean {
  return isIP(name) === 0 && name.includes('.') && !name.endsWith('.local') && !name.endsWith('.localhost');
}
