/**
 * Calls one of the site's own addresses as a device would. Success means that the port is open and answers with the site's key;
 * it cannot detect a firewall that blocks only other computers.
 */
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { bareHost } from '../addresses.ts';
import { fingerprintOfSpki } from './identity/certificate.ts';

const PATIENCE_MS = 3000;

/** `other`: something answers, but not with the key of the site. */
export type Reach = 'reached' | 'refused' | 'no-answer' | 'other';

/** @param pins fingerprints of the keys of the site */
export function tryAddress(url: string, pins: readonly string[]): Promise<Reach> {
  const { hostname, port } = new URL(url);
  const host = bareHost(hostname);
  return new Promise((resolve) => {
    // Self-signed: the pin is checked instead.
    const options = { host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
    const socket = connect({ ...options, ...(isIP(host) === 0 && { servername: host }) }, () => {
      const spki = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' });
      end(spki && pins.includes(fingerprintOfSpki(spki)) ? 'reached' : 'other');
    });
    let isConnected = false;
    const timer = setTimeout(() => end(isConnected ? 'other' : 'no-answer'), PATIENCE_MS);
    function end(reach: Reach): void {
      clearTimeout(timer);
      socket.destroy();
      resolve(reach);
    }
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (isConnected) end('other');
      else end(code === 'ECONNREFUSED' ? 'refused' : 'no-answer');
    });
  });
}
