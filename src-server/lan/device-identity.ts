/**
 * Authenticates hubs and phones by `Authorization: Bearer opd1.<siteId>.<credentialId>.<secret>`. The token contains the site's
 * id, so that a device that reaches another site receives that reason instead of an unknown token.
 */
import { type DeviceIdentity, deviceRevoked } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import type { RefusedAttempts } from './refused-attempts.ts';

export type { DeviceIdentity, DeviceKind } from '../db/index.ts';

/** Version of the protocol between devices and the site: `resources/protocol/pairing.md`. */
export const PROTOCOL_VERSION = 1;

/** A credential whose secret matched. */
interface FoundCredential {
  identity: DeviceIdentity;
  revokedTs?: number;
  revokedReason?: string;
  /** When it was first used, which completes its pairing. */
  firstUsedTs?: number;
  /** Host under which its browser called last. */
  webHost?: string;
  /** The last recorded contact is due for an update. */
  isContactDue: boolean;
}

/** The part of the store's `devices` that holds credentials. */
interface CredentialStore {
  authenticate(credentialId: string, secret: string): Promise<FoundCredential | undefined>;
  /** Whether it was a phone of a person who was erased. */
  wasErased(credentialId: string): Promise<boolean>;
  recordFirstUse(credentialId: string): Promise<void>;
  recordContact(credentialId: string, contact: { address: string; webHost?: string }): Promise<void>;
}

/**
 * Identifies the device of an Authorization header; `address` is the caller's, `webHost` the host and port that a browser called. A
 * refused token is recorded, a missing one is not.
 * @throws UNAUTHORIZED, DEVICE_WRONG_SITE, DEVICE_REVOKED, SUBJECT_ERASED
 */
export type AuthenticateDevice = (
  authorizationHeader: string | undefined,
  address: string,
  webHost?: string,
) => Promise<DeviceIdentity>;

const BEARER = /^bearer /i;
const TOKEN = /^bearer +opd1\.([0-9a-f-]{36})\.([0-9a-f-]{36})\.([\w-]{20,100})$/i;

/** Returns the token that a device stores. `secret` is base64url. */
export function deviceToken(siteId: string, credentialId: string, secret: string): string {
  return `opd1.${siteId}.${credentialId}.${secret}`;
}

export function deviceAuthenticator(
  siteId: string,
  store: CredentialStore,
  refused: RefusedAttempts,
): AuthenticateDevice {
  const authenticate = async (
    authorizationHeader: string | undefined,
    address: string,
    webHost: string | undefined,
  ): Promise<DeviceIdentity> => {
    const match = TOKEN.exec(authorizationHeader?.trim() ?? '');
    if (!match) {
      throw new OutpostError(
        'UNAUTHORIZED',
        'This address is for paired devices: it needs the token that the device got when it was paired.',
      );
    }
    const [, tokenSiteId = '', credentialId = '', secret = ''] = match;
    if (tokenSiteId.toLowerCase() !== siteId) {
      throw new OutpostError(
        'DEVICE_WRONG_SITE',
        'This device is paired with another site. Pair it with this one, or connect it to the network of its own site.',
      );
    }
    const found = await store.authenticate(credentialId.toLowerCase(), secret);
    if (!found) {
      if (await store.wasErased(credentialId.toLowerCase())) {
        throw new OutpostError(
          'SUBJECT_ERASED',
          'The person who used this device was erased at this site, so it accepts nothing of them any more. Delete the data on the device.',
        );
      }
      throw new OutpostError(
        'UNAUTHORIZED',
        "The token of this device is not known here. Pair the device again; a subject's own phone signs in again.",
      );
    }
    if (found.revokedTs !== undefined) {
      throw deviceRevoked({ ...found.identity, revokedReason: found.revokedReason });
    }
    if (found.firstUsedTs === undefined) await store.recordFirstUse(credentialId.toLowerCase());
    const hasMoved = webHost !== undefined && webHost !== found.webHost;
    if (found.isContactDue || hasMoved)
      await store.recordContact(credentialId.toLowerCase(), { address, ...(hasMoved && { webHost }) });
    return found.identity;
  };
  return async (authorizationHeader, address, webHost) =>
    await refused.orNote(
      () => authenticate(authorizationHeader, address, webHost),
      ({ kind, details }) => {
        if (kind !== 'unauthorized' || !BEARER.test(authorizationHeader ?? '')) return undefined;
        const { credentialId, serial } = (details ?? {}) as { credentialId?: string; serial?: string };
        return { kind: 'TOKEN', address, aboutId: credentialId, serial };
      },
    );
}
