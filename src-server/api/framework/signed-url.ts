/**
 * Signed addresses: an HMAC over path and query grants access without credentials for one hour, and no longer than the rights of the person
 * or device that requested the address. The address names them, and each use compares them with the present ones.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { isOpen } from '../../clock-rules.ts';
import type { UserRecord } from '../../db/index.ts';
import { HOUR_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import { isAllowed, type Operation, PERMISSIONS, roleInStudy } from '../../study/permissions.ts';
import type { ApiDeps } from '../deps.ts';
import { type Rights, requestContext } from './guards.ts';

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

/**
 * Returns the rights that the address was made by.
 * @throws FORBIDDEN unless `pathAndQuery`, as received, was signed with this key and has not expired
 */
function checkSignedPath(key: Uint8Array, pathAndQuery: string, nowMs: number): Rights | undefined {
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
  const query = new URLSearchParams(match[1]!.slice(match[1]!.indexOf('?')));
  if (!isOpen(Number(query.get('expires')), SIGNED_URL_LIFETIME_MS, nowMs)) {
    throw new OutpostError('FORBIDDEN', 'This address has expired. Request a new one.');
  }
  return rightsIn(query);
}

/** Members of a signed query that name the rights. */
function queryOf(rights: Rights): Record<string, string> {
  if (rights.kind === 'DEVICE') return { device: rights.deviceId };
  const { userId, accessRound, operation, studyId, subjectId } = rights;
  return {
    user: userId,
    round: String(accessRound),
    operation,
    ...(studyId !== undefined && { study: studyId }),
    ...(subjectId !== undefined && { subject: subjectId }),
  };
}

function rightsIn(query: URLSearchParams): Rights | undefined {
  const [deviceId, userId, operation] = ['device', 'user', 'operation'].map((name) => query.get(name));
  if (deviceId) return { kind: 'DEVICE', deviceId };
  if (!userId || !operation) return undefined;
  const [studyId, subjectId] = [query.get('study'), query.get('subject')];
  const place = { ...(studyId && { studyId }), ...(subjectId && { subjectId }) };
  return { kind: 'USER', userId, accessRound: Number(query.get('round')), operation, ...place };
}

/**
 * Returns by whose rights a request for a signed address is admitted, and the account that they are in.
 * @throws FORBIDDEN when the address is not signed or expired, or its maker may no longer request it
 */
export async function requireSignedRights(
  deps: ApiDeps,
  request: Request,
): Promise<{ rights: Rights; accountId?: string }> {
  const rights = checkSignedPath(deps.secrets.urlSigningKey, request.originalUrl, deps.clock());
  if (rights?.kind === 'DEVICE') {
    const device = await deps.store.devices.get(rights.deviceId);
    if (device && device.revokedTs === undefined) return { rights };
  } else if (rights) {
    const user = await deps.store.users.get(rights.userId);
    if (user && (await hasRights(deps, user, rights))) return { rights, accountId: user.accountId };
  }
  throw new OutpostError(
    'FORBIDDEN',
    'The rights by which this address was made have ended. Sign in and request a new one.',
  );
}

async function hasRights(
  { store }: ApiDeps,
  user: UserRecord,
  { accessRound, operation, studyId }: Extract<Rights, { kind: 'USER' }>,
): Promise<boolean> {
  if (user.isDisabled || user.accessRound !== accessRound || !isOperation(operation)) return false;
  if (studyId === undefined) return isAllowed(user.role, operation);
  if ((await store.studies.get(studyId))?.accountId !== user.accountId) return false;
  if (PERMISSIONS[operation].scope === 'account') return isAllowed(user.role, operation);
  return isAllowed(roleInStudy(user.role, await store.studies.membershipRole(studyId, user.id)), operation);
}

const isOperation = (name: string): name is Operation => Object.hasOwn(PERMISSIONS, name);

/**
 * Returns an absolute signed address under the host name that the caller used, valid for one hour and only as long as the rights by which
 * `request` was admitted.
 */
export function signedUrlOf(
  deps: Pick<ApiDeps, 'secrets' | 'clock'>,
  request: Request,
  path: string,
): { href: string; expiration: number } {
  const expiration = deps.clock() + SIGNED_URL_LIFETIME_MS;
  const { rights } = requestContext(request.res!);
  if (!rights) throw new OutpostError('INTERNAL', 'An address can be signed only by the rights of a caller.');
  const signed = signPath(deps.secrets.urlSigningKey, path, expiration, queryOf(rights));
  return { href: `${request.protocol}://${request.headers.host}${signed}`, expiration };
}
