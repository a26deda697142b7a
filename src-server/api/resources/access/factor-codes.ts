/** Codes of second factors: secrets are opened and typed codes judged here, and wrong ones throttled and noted. */
import type { Request } from 'express';
import type { UserRecord } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import { SecretBox } from '../../../secrets/sealed-text.ts';
import { base32, newTotpSecret, totpLink } from '../../../secrets/totp.ts';
import { type FactorProof, proofOf } from '../../../services/index.ts';
import type { SecondFactorSetup } from '../../contract/index.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf, type Caller } from '../../framework/authenticate.ts';
import { invalidField } from '../../framework/errors.ts';
import { noteFailure } from './check-password.ts';
import { CodeThrottle } from './code-throttle.ts';

/** For how long an address stays one from which the user signs in. */
const KNOWN_ADDRESS_MS = 60 * DAY_MS;

const throttles = new WeakMap<ApiDeps, CodeThrottle>();

function throttleOf(deps: ApiDeps): CodeThrottle {
  const throttle = throttles.get(deps) ?? new CodeThrottle(deps.elapsed);
  throttles.set(deps, throttle);
  return throttle;
}

interface Factor {
  secret: string;
}

/** Returns what a code of somebody who signs in proves. @throws SECOND_FACTOR_WRONG, THROTTLED */
export async function loginProof(
  deps: ApiDeps,
  request: Request,
  user: UserRecord,
  factor: Factor,
  code: string,
): Promise<FactorProof> {
  const address = addressOf(request);
  const isKnown =
    (await deps.store.tokens.hasSessionFrom(user.id, address)) ||
    (await deps.store.accessLog.knowsAddress(user.id, address, deps.clock() - KNOWN_ADDRESS_MS));
  const proof = judged(deps, user.id, factor, code, { place: address, isKnown });
  if (proof) return proof;
  noteFailure(deps, request, 'CODE', { user });
  throw wrongCode();
}

/** Returns what a code of a signed-in person proves. @throws INVALID_INPUT for `code`, THROTTLED */
export async function callerProof(deps: ApiDeps, { user, sessionId }: Caller, code: string): Promise<FactorProof> {
  const factor = await deps.store.secondFactors.find(user.id);
  if (!factor) throw new OutpostError('CONFLICT', 'No second factor is set up for this account. Set it up first.');
  const proof = judged(deps, user.id, factor, code, { place: sessionId, isKnown: true });
  if (!proof) throw invalidField('code', 'is wrong or was used already');
  return proof;
}

/** Of a signed-in person, before the second factor is on: a recovery code proves nothing. */
export async function firstProof(
  deps: ApiDeps,
  userId: string,
  code: string,
  place: string,
): Promise<FactorProof | undefined> {
  const factor = await deps.store.secondFactors.find(userId);
  const proof = factor && judged(deps, userId, factor, code, { place, isKnown: true });
  return proof?.kind === 'STEP' ? proof : undefined;
}

export function wrongCode(): OutpostError {
  return new OutpostError(
    'SECOND_FACTOR_WRONG',
    'The code is wrong, used or of another time. Enter the one that shows now, or a recovery code.',
  );
}

export function newSetup(
  { siteName, secrets }: ApiDeps,
  { email }: UserRecord,
): SecondFactorSetup & { sealed: string } {
  const secret = newTotpSecret();
  return {
    secret: base32(secret),
    link: totpLink(secret, { issuer: `Outpost ${siteName}`, account: email }),
    sealed: new SecretBox(secrets.urlSigningKey).seal(Buffer.from(secret).toString('hex')),
  };
}

function judged(
  deps: ApiDeps,
  userId: string,
  factor: Factor,
  code: string,
  { place, isKnown }: { place: string; isKnown: boolean },
): FactorProof | undefined {
  // A secret that was sealed by another site (a database in a new folder) cannot be opened: recovery codes still work.
  const opened = new SecretBox(deps.secrets.urlSigningKey).open(factor.secret);
  const secret = opened === undefined ? undefined : Buffer.from(opened, 'hex');
  const attempt = () => proofOf(code, factor, secret, deps.clock());
  if (!/^[\d\s-]*$/.test(code)) return attempt();
  const succeed = throttleOf(deps).begin(userId, place, isKnown);
  const proof = attempt();
  if (proof) succeed();
  return proof;
}
