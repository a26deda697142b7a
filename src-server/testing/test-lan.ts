/** The local network of an API under test: nothing listens, but pairing works against a key that is made up. */
import type { LanPort } from '../api/deps.ts';
import { OutpostError } from '../errors.ts';
import { PROTOCOL_VERSION } from '../lan/device-identity.ts';
import { PairingCalls } from '../lan/pairing/calls.ts';
import { PairingDesk } from '../lan/pairing/desk.ts';
import { PhoneSignIns } from '../lan/phone/sign-in.ts';
import type { RefusedAttempts } from '../lan/refused-attempts.ts';
import { SecretBox } from '../secrets/sealed-text.ts';
import type { Store } from '../services/index.ts';

export const TEST_FINGERPRINT = '5e'.repeat(32);

export function testLan(parts: {
  store: Store;
  siteId: string;
  clock: () => number;
  elapsed: () => number;
  refused: RefusedAttempts;
}): LanPort {
  const addresses = ['https://192.0.2.10:8481'];
  const context = {
    ...parts,
    siteName: () => 'Test site',
    box: new SecretBox(new Uint8Array(32).fill(9)),
    fingerprint: () => TEST_FINGERPRINT,
    addresses: () => addresses,
  };
  const unchangeable = () => Promise.reject(new OutpostError('CONFLICT', 'The key of this site is fixed.'));
  return {
    protocolVersion: PROTOCOL_VERSION,
    desk: new PairingDesk(context),
    calls: new PairingCalls(context),
    phones: new PhoneSignIns(parts),
    network: () => ({
      state: 'listening',
      isAllowed: true,
      urls: addresses,
      computerName: 'test-computer',
      pins: { fingerprint: TEST_FINGERPRINT },
    }),
    hasWebHost: (host) => addresses.includes(`https://${host}`),
    certificates: {
      state: () => {
        throw new OutpostError('CONFLICT', 'The site does not listen.');
      },
      replaceAuthority: unchangeable,
      setOwn: unchangeable,
      removeOwn: unchangeable,
      root: () => undefined,
      noteTrusted: () => undefined,
      ends: () => [],
    },
    check: () => Promise.resolve({ checkedTs: parts.clock(), addresses: [] }),
    configure: unchangeable,
    replaceKey: unchangeable,
    keepKey: unchangeable,
  };
}
