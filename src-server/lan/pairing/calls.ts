/**
 * The device's side of pairing: three calls that are checked, applied to {@link PAIRING_TABLE} and stored. The steps and formulas
 * are in `resources/protocol/pairing.md`.
 */
import { randomBytes } from 'node:crypto';
import { type CallingDevice, type PairingRecord, SYSTEM } from '../../db/index.ts';
import { MINUTE_MS } from '../../durations.ts';
import { type ErrorCodeName, OutpostError } from '../../errors.ts';
import { deviceToken, PROTOCOL_VERSION } from '../device-identity.ts';
import { checkCodeOf, commitmentOf, NONCE_BYTES, proofOf, sameBytes } from './codes.ts';
import {
  bytesOf,
  lockTypedCode,
  type PairingContext,
  REMEMBERED_MS,
  requireFreeSerial,
  requireSoundNames,
  step,
  sweepPairings,
} from './steps.ts';
import { TRIES_PER_PAIRING, TryLimits } from './try-limits.ts';

/** The device's clock timestamps recordings; a larger difference is a wrong clock, not drift. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * MINUTE_MS;

export interface PairingCall {
  protocolVersion: number;
  /** From the QR code; absent when the code was typed. */
  siteId?: string;
  pairingId?: string;
  /** SHA-256 of the device's nonce, base64url. */
  commitment: string;
  proof: string;
  /** The device's clock, epoch ms. */
  clockTs: number;
  device: CallingDevice;
}

export interface PairingCallAnswer {
  pairingId: string;
  siteId: string;
  siteName: string;
  serverNonce: string;
  serverTs: number;
  expirationTs: number;
}

export type PairingCollection =
  | { state: 'WAITING' }
  | { state: 'PAIRED'; credentialId: string; token: string; siteId: string; siteName: string };

/** A call and the facts known about its caller so far, for the audit. */
interface Attempt {
  address: string;
  device?: CallingDevice;
  pairingId?: string;
}

function wrongCode(): OutpostError {
  return new OutpostError(
    'PAIRING_CODE_WRONG',
    'This pairing code is wrong, or another computer intercepts the connection. Check the code at the desk and type it again.',
  );
}

export class PairingCalls {
  readonly #context: PairingContext;
  readonly #limits: TryLimits;

  constructor(context: PairingContext) {
    this.#context = context;
    this.#limits = new TryLimits(context.elapsed);
  }

  /**
   * Handles a device's call with its code. Idempotent: a repeated call returns the same answer.
   * @throws PAIRING_VERSION, PAIRING_WRONG_SITE, THROTTLED, PAIRING_CODE_WRONG, PAIRING_CLOCK, CONFLICT for a serial number
   * of another kind of equipment, and the reason why a pairing ended
   */
  async call(input: PairingCall, address: string): Promise<PairingCallAnswer> {
    const attempt: Attempt = { address, device: input.device };
    return await this.#orNote(attempt, async () => await this.#call(input, attempt));
  }

  async #call(input: PairingCall, attempt: Attempt): Promise<PairingCallAnswer> {
    const { store, siteId, siteName, clock } = this.#context;
    const { address } = attempt;
    if (input.protocolVersion !== PROTOCOL_VERSION) {
      throw new OutpostError(
        'PAIRING_VERSION',
        `The device speaks version ${input.protocolVersion} of the protocol, this site version ${PROTOCOL_VERSION}. Update ${input.protocolVersion > PROTOCOL_VERSION ? 'Outpost on this computer' : 'the device'}.`,
        { details: { supportedVersion: PROTOCOL_VERSION } },
      );
    }
    if (input.siteId !== undefined && input.siteId.toLowerCase() !== siteId) {
      throw new OutpostError(
        'PAIRING_WRONG_SITE',
        'This pairing code belongs to another site. Check that the device is on the network of that site.',
      );
    }
    await sweepPairings(this.#context);
    const { pairing, usedKey } = await this.#requireProof(input, address);
    attempt.pairingId = pairing.id;
    requireSoundNames(input.device);
    const isAgain = pairing.commitment === input.commitment;
    // Earlier versions ended a pairing with its typed code.
    const firstCall = usedKey === 'secret' && pairing.endedTs === undefined ? 'scan' : 'call';
    step(pairing, isAgain ? 'call-again' : firstCall);
    if (!isAgain) await this.#requireSameTime(pairing, input.clockTs);
    const called = await store.transaction(async (repositories) => {
      const current = await repositories.pairings.require(pairing.id);
      const again = current.commitment === input.commitment;
      const state = step(current, again ? 'call-again' : firstCall);
      if (again) return current;
      await requireFreeSerial(repositories, current.accountId, input.device);
      const fields = {
        state,
        usedKey,
        device: input.device,
        address,
        clockDifferenceMs: input.clockTs - clock(),
        commitment: input.commitment,
        serverNonce: randomBytes(NONCE_BYTES).toString('base64url'),
      };
      return await repositories.pairings.update(pairing.id, fields, 'pairing.call', SYSTEM);
    });
    return {
      pairingId: called.id,
      siteId,
      siteName: siteName(),
      serverNonce: called.serverNonce ?? '',
      serverTs: clock(),
      expirationTs: called.expirationTs,
    };
  }

  /** Accepts the device's nonce, from which both sides derive the check code. @throws as {@link call} */
  async reveal(id: string, nonce: string, address: string): Promise<void> {
    const { store, box, fingerprint } = this.#context;
    await this.#orNote({ address }, async (attempt) => {
      await this.#findByNonce(id, nonce, attempt);
      await store.transaction(async ({ pairings }) => {
        const current = await pairings.require(id);
        const state = step(current, 'reveal');
        if (state === current.state) return;
        const sealed = current.usedKey === 'code' ? current.codeKey : current.secretKey;
        const checkCode = checkCodeOf({
          key: bytesOf(box.open(sealed ?? '')),
          fingerprint: Buffer.from(fingerprint(), 'hex'),
          deviceNonce: bytesOf(nonce),
          serverNonce: bytesOf(current.serverNonce),
        });
        await pairings.update(id, { state, deviceNonce: nonce, checkCode }, 'pairing.compare', SYSTEM);
      });
    });
  }

  /** Returns the device's credential once the desk has confirmed, repeatedly until its first use. @throws as {@link call} */
  async collect(id: string, nonce: string, address: string): Promise<PairingCollection> {
    const { siteId, siteName, box } = this.#context;
    return await this.#orNote({ address }, async (attempt) => {
      const pairing = await this.#findByNonce(id, nonce, attempt);
      const state = step(pairing, 'collect');
      const secret = box.open(pairing.pendingToken ?? '');
      if (state !== 'CONFIRMED' || pairing.credentialId === undefined || secret === undefined) {
        return { state: 'WAITING' };
      }
      const token = deviceToken(siteId, pairing.credentialId, secret);
      return { state: 'PAIRED', credentialId: pairing.credentialId, token, siteId, siteName: siteName() };
    });
  }

  /** Finds the pairing whose secret or code the caller knows, including ended ones, whose reason is then reported. */
  async #findByProof(input: PairingCall): Promise<{ pairing: PairingRecord; usedKey: 'secret' | 'code' } | undefined> {
    const { store, clock, box, fingerprint } = this.#context;
    const pin = Buffer.from(fingerprint(), 'hex');
    const proof = bytesOf(input.proof);
    const matches = (sealed: string | undefined) => {
      const key = box.open(sealed ?? '');
      return key !== undefined && sameBytes(proof, proofOf(bytesOf(key), pin, bytesOf(input.commitment)));
    };
    if (input.pairingId !== undefined) {
      const pairing = await store.pairings.get(input.pairingId);
      return pairing && matches(pairing.secretKey) ? { pairing, usedKey: 'secret' } : undefined;
    }
    const recent = await store.pairings.listSince(clock() - REMEMBERED_MS);
    const pairing = recent.find(({ codeKey }) => matches(codeKey));
    return pairing && { pairing, usedKey: 'code' };
  }

  /** @throws PAIRING_CODE_WRONG, THROTTLED */
  async #requireProof(
    input: PairingCall,
    address: string,
  ): Promise<{ pairing: PairingRecord; usedKey: 'secret' | 'code' }> {
    if (input.pairingId !== undefined) {
      const scanned = await this.#findByProof(input);
      if (scanned) return scanned;
      this.#limits.begin(address);
      throw wrongCode();
    }
    const wasRight = this.#limits.begin(address);
    const typed = await this.#findByProof(input);
    if (!typed) {
      const exhausted = await this.#context.store.pairings.countWrongTry(TRIES_PER_PAIRING);
      for (const id of exhausted) await lockTypedCode(this.#context, id);
      throw wrongCode();
    }
    wasRight();
    return typed;
  }

  async #requireSameTime(pairing: PairingRecord, clockTs: number): Promise<void> {
    const { store, clock } = this.#context;
    const serverTs = clock();
    const differenceMs = clockTs - serverTs;
    if (Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS) return;
    const minutes = Math.round(Math.abs(differenceMs) / MINUTE_MS);
    const fields = { problem: 'PAIRING_CLOCK', clockDifferenceMs: differenceMs };
    await store.pairings.update(pairing.id, fields, 'pairing.clock-differs', SYSTEM);
    throw new OutpostError(
      'PAIRING_CLOCK',
      `The clock of the device is ${minutes} minutes ${differenceMs < 0 ? 'behind' : 'ahead of'} the clock of the site. Set the one that is wrong, then call again with the same code.`,
      { details: { differenceMinutes: Math.sign(differenceMs) * minutes, serverTs } },
    );
  }

  /** Finds the pairing that committed to this nonce, which only the calling device knows. */
  async #findByNonce(id: string, nonce: string, attempt: Attempt): Promise<PairingRecord> {
    await sweepPairings(this.#context);
    const pairing = await this.#context.store.pairings.get(id);
    if (!pairing?.commitment || !sameBytes(commitmentOf(bytesOf(nonce)), bytesOf(pairing.commitment))) {
      this.#limits.begin(attempt.address);
      throw wrongCode();
    }
    attempt.pairingId = pairing.id;
    attempt.device = pairing.device;
    return pairing;
  }

  /** Records refused attempts, with the pairing if it was found. */
  async #orNote<T>(attempt: Attempt, work: (attempt: Attempt) => Promise<T>): Promise<T> {
    return await this.#context.refused.orNote(
      () => work(attempt),
      ({ code }) =>
        isRefusal(code)
          ? {
              kind: 'PAIRING',
              address: attempt.address,
              ...(attempt.pairingId !== undefined && { aboutId: attempt.pairingId }),
              ...(attempt.device && { serial: attempt.device.serial }),
            }
          : undefined,
    );
  }
}

function isRefusal(code: ErrorCodeName): boolean {
  return code.startsWith('PAIRING_') || code === 'CONFLICT' || code === 'THROTTLED' || code === 'INVALID_INPUT';
}
