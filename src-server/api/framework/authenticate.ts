/** Authenticates the caller: a user with Basic credentials (user id and access token), or a device with its own token. */
import type { Request } from 'express';
import { plainAddress } from '../../addresses.ts';
import { isOpen } from '../../clock-rules.ts';
import {
  type Change,
  type DeviceIdentity,
  type DeviceKind,
  LONGEST_ACCESS_MS,
  type UserRecord,
} from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { Role } from '../../study/permissions.ts';
import type { ApiDeps } from '../deps.ts';
import type { ResponseCache } from './response-cache.ts';

export interface Caller {
  user: UserRecord;
  /** Role in the account. */
  role: Role;
  /** The token of this request, for log-out. */
  accessToken: string;
  sessionId: string;
}

function readCredentials(header: string | undefined): { userId: string; token: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_=-]+)$/i.exec(header?.trim() ?? '')?.[1];
  if (!encoded) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon > 0 ? { userId: text.slice(0, colon), token: text.slice(colon + 1) } : undefined;
}

/** Cached callers by credentials, until a user or token changes: a log-out or a disabled user takes effect at once. */
export type KnownCallers = ResponseCache<{ caller: Caller; expirationTs: number }>;

/** Returns the caller of a request. @throws UNAUTHORIZED unless the token is valid and the user is enabled */
export async function authenticate(deps: ApiDeps, request: Request, known?: KnownCallers): Promise<Caller> {
  const credentials = readCredentials(request.headers.authorization);
  if (!credentials) {
    throw new OutpostError(
      'UNAUTHORIZED',
      'Sign in first: this address requires Basic credentials of user id and access token.',
    );
  }
  const { userId, token } = credentials;
  const find = async () => {
    const valid = await deps.store.tokens.authenticate(userId, token);
    if (!valid) return undefined;
    const { id: sessionId, user, expirationTs } = valid;
    return { caller: { user, role: user.role, accessToken: token, sessionId }, expirationTs };
  };
  const found = await (known ? known.getOrMake(`${userId}:${token}`, {}, find) : find());
  if (!found || !isOpen(found.expirationTs, LONGEST_ACCESS_MS, deps.clock())) {
    throw new OutpostError('UNAUTHORIZED', 'The access token is not valid or has expired. Sign in again.');
  }
  return found.caller;
}

/** Returns what the audit log records of a write by the caller. */
export function changeBy({ user }: Pick<Caller, 'user'>, reason?: string): Change {
  return { actor: { type: 'USER', id: user.id }, ...(reason ? { reason } : {}) };
}

/** Returns the remote address of a request: `192.168.1.20` or an IPv6 address. */
export function addressOf({ socket }: Pick<Request, 'socket'>): string {
  return plainAddress(socket.remoteAddress);
}

/**
 * Returns the host and port under which a browser called; undefined for other programs, which send no fetch metadata. The check of the
 * Host header has accepted it.
 */
function webHostOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  return headers['sec-fetch-site'] === undefined ? undefined : headers.host?.toLowerCase();
}

/**
 * Returns the hub or phone of a request.
 * @throws UNAUTHORIZED, DEVICE_WRONG_SITE, DEVICE_REVOKED; FORBIDDEN for a device of another kind
 */
export async function callingDevice(
  deps: Pick<ApiDeps, 'authenticateDevice'>,
  request: Request,
  kinds?: readonly DeviceKind[],
): Promise<DeviceIdentity> {
  const device = await deps.authenticateDevice(request.headers.authorization, addressOf(request), webHostOf(request));
  if (kinds && !kinds.includes(device.kind)) {
    throw new OutpostError('FORBIDDEN', `This address is for ${kinds.join(' and ')} devices only.`);
  }
  return device;
}

/** Returns what the audit log records of a write by a device. */
export function changeByDevice(device: DeviceIdentity): Change {
  return { actor: { type: 'DEVICE', id: device.credentialId } };
}
