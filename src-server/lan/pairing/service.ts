/**
 * Pairing as a desk and a device see it: starts pairings, answers the three calls of a device, takes the desk's decision.
 * What may happen when is in {@link PAIRING_TABLE}; here it is checked, stored and told.
 */
import { randomBytes } from 'node:crypto';
import {
  type CallingDevice,
  type Change,
  newId,
  type PairingRecord,
  type Repositories,
  type Store,
  SYSTEM,
} from '../../db/index.ts';
import { type ErrorCodeName, OutpostError } from '../../errors.ts';
import type { SecretBox } from '../../sealed-text.ts';
import { deviceToken } from '../device-identity.ts';
import {
  checkCodeOf,
  commitmentOf,
  keyOfCode,
  NONCE_BYTES,
  newCode,
  pairingLink,
  proofOf,
  sameBytes,
} from './codes.ts';
import { hasEnded, PAIRING_PROBLEMS, PAIRING_TABLE, type PairingEvent, type PairingState } from './machine.ts';
import { TRIES_PER_PAIRING, TryLimits } from './try-limits.ts';

export const PROTOCOL_VERSION = 1;
const LIFETIME_MS = 10 * 60 * 1000;
/** An ended code is still recognised for this long, so that a device is told why it does not work. */
const REMEMBERED_MS = 60 * 60 * 1000;
const LISTED_MS = 24 * 60 * 60 * 1000;
/** Recordings are placed in time by the device's clock; a difference like this is a wrong clock, not a slow one. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60 * 1000;
/** Open at once in an account; more can only be a mistake. */
const MAX_OPEN = 20;

export interface PairingServiceOptions {
  store: Store;
  siteId: string;
  siteName: () => string;
  clock: () => number;
  /** Seals what must be read again. */
  box: SecretBox;
  /** Pin of the key that devices meet now, hex. */
  fingerprint: () => string;
  /** Where devices can call, `https://192.168.1.20:8481`. */
  addresses: () => readonly string[];
}

export interface StartedPairing {
  pairing: PairingRecord;
  /** What is typed when the QR code cannot be scanned. */
  code: string;
  /** What the QR code says. */
  link: string;
  fingerprint: string;
  addresses: string[];
}

export interface PairingCall {
  protocolVersion: number;
  /** From the QR code; absent when the code was typed. */
  siteId?: string;
  pairingId?: string;
  /** SHA-256 of the device's nonce, base64url. */
  commitment: string;
  proof: string;
  /** Clock of the device, epoch ms. */
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

const bytes = (text: string | undefined): Uint8Array => Buffer.from(text ?? '', 'base64url');
const problem = (name: keyof typeof PAIRING_PROBLEMS): OutpostError =>
  new OutpostError(PAIRING_PROBLEMS[name].code, PAIRING_PROBLEMS[name].message);

/** The state after an event. @throws what the table says */
function step(pairing: PairingRecord, event: PairingEvent): PairingState {
  const cell = PAIRING_TABLE[pairing.state as PairingState][event];
  if (typeof cell === 'string') return cell;
  throw problem(cell.problem);
}

function wrongCode(): OutpostError {
  return new OutpostError(
    'PAIRING_CODE_WRONG',
    'This pairing code is not right, or another computer stands between the device and the site. Check the code at the desk and type it again.',
  );
}

export class PairingService {
  readonly #options: PairingServiceOptions;
  readonly #limits: TryLimits;

  constructor(options: PairingServiceOptions) {
    this.#options = options;
    this.#limits = new TryLimits(options.clock);
  }

  /** @throws CONFLICT when nothing listens for devices, or too many pairings are open */
  async start(
    input: { accountId: string; userId: string; subject?: { studyId: string; subjectId: string } },
    change: Change,
  ): Promise<StartedPairing> {
    const { store, siteId, siteName, clock, box } = this.#options;
    await this.sweep();
    const addresses = [...this.#options.addresses()];
    if (addresses.length === 0) {
      throw new OutpostError(
        'CONFLICT',
        'The site does not listen on the local network now, so no device can call. See Site, Network.',
      );
    }
    const open = (await this.list(input.accountId)).filter(({ endedTs }) => endedTs === undefined);
    if (open.length >= MAX_OPEN) {
      throw new OutpostError('CONFLICT', `${MAX_OPEN} pairings are open already. Cancel those that nobody needs.`);
    }
    const id = newId();
    const secret = randomBytes(32);
    const code = newCode();
    const codeKey = await keyOfCode(code, siteId);
    const expirationTs = clock() + LIFETIME_MS;
    const sealed = (key: Uint8Array) => box.seal(Buffer.from(key).toString('base64url'));
    const pairing = await store.pairings.create(
      { id, ...input, secretKey: sealed(secret), codeKey: sealed(codeKey), expirationTs },
      change,
    );
    const fingerprint = this.#options.fingerprint();
    const link = pairingLink({
      siteId,
      siteName: siteName(),
      pairingId: id,
      secret,
      fingerprint,
      expirationTs,
      addresses,
    });
    return { pairing, code, link, fingerprint, addresses };
  }

  /** Those of the last day, newest first. */
  async list(accountId: string): Promise<PairingRecord[]> {
    await this.sweep();
    return await this.#options.store.pairings.listSince(this.#options.clock() - LISTED_MS, accountId);
  }

  /** @throws NOT_FOUND */
  async get(id: string, accountId: string): Promise<PairingRecord> {
    await this.sweep();
    return await this.#options.store.pairings.require(id, accountId);
  }

  /**
   * A device calls with its code. The same call again gives the same answer.
   * @throws PAIRING_VERSION, PAIRING_WRONG_SITE, THROTTLED, PAIRING_CODE_WRONG, PAIRING_CLOCK, CONFLICT for a serial number
   * of another kind of equipment, and the reason of a pairing's end
   */
  async call(input: PairingCall, address: string): Promise<PairingCallAnswer> {
    const { store, siteId, siteName, clock } = this.#options;
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
        'This pairing code is of another site. Check that the device is on the network of that site.',
      );
    }
    await this.sweep();
    const wasRight = this.#limits.begin(address);
    const found = await this.#findByProof(input);
    if (!found) throw await this.#refuseWrongCode(input, address);
    wasRight();
    const { pairing, usedKey } = found;
    return await this.#orNote(pairing.id, address, input.device, async () => {
      const isAgain = pairing.commitment === input.commitment;
      step(pairing, isAgain ? 'call-again' : 'call');
      if (!isAgain) await this.#requireSameTime(pairing, input.clockTs);
      const called = await store.transaction(async (repositories) => {
        const current = await repositories.pairings.require(pairing.id);
        const again = current.commitment === input.commitment;
        const state = step(current, again ? 'call-again' : 'call');
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
    });
  }

  /** The device shows its nonce; both sides can show the check code from now on. @throws as {@link call} */
  async reveal(id: string, nonce: string, address: string): Promise<void> {
    const { store, box, fingerprint } = this.#options;
    const pairing = await this.#ofNonce(id, nonce, address);
    await this.#orNote(id, address, pairing.device, async () => {
      await store.transaction(async ({ pairings }) => {
        const current = await pairings.require(id);
        const state = step(current, 'reveal');
        if (state === current.state) return;
        const sealed = current.usedKey === 'code' ? current.codeKey : current.secretKey;
        const checkCode = checkCodeOf({
          key: bytes(box.open(sealed ?? '')),
          fingerprint: Buffer.from(fingerprint(), 'hex'),
          deviceNonce: bytes(nonce),
          serverNonce: bytes(current.serverNonce),
        });
        await pairings.update(id, { state, deviceNonce: nonce, checkCode }, 'pairing.compare', SYSTEM);
      });
    });
  }

  /** The device asks for its credential; the answer is the same until the device has used it. @throws as {@link call} */
  async collect(id: string, nonce: string, address: string): Promise<PairingCollection> {
    const { siteId, siteName, box } = this.#options;
    const pairing = await this.#ofNonce(id, nonce, address);
    return await this.#orNote(id, address, pairing.device, async () => {
      const state = step(pairing, 'collect');
      const secret = box.open(pairing.pendingToken ?? '');
      if (state !== 'CONFIRMED' || pairing.credentialId === undefined || secret === undefined) {
        return { state: 'WAITING' };
      }
      const token = deviceToken(siteId, pairing.credentialId, secret);
      return { state: 'PAIRED', credentialId: pairing.credentialId, token, siteId, siteName: siteName() };
    });
  }

  /**
   * The desk says that both check codes are the same: the device is entered among the equipment (or its entry brought up to
   * date) and may collect its credential.
   * @throws NOT_FOUND, CONFLICT, and those of handing equipment out when the pairing was started for a subject
   */
  async confirm(id: string, accountId: string, checkCode: string, change: Change): Promise<PairingRecord> {
    const { store, clock, box } = this.#options;
    await this.get(id, accountId);
    return await store.transaction(async (repositories) => {
      const { pairings, devices, equipment } = repositories;
      const current = await pairings.require(id, accountId);
      const state = step(current, 'confirm');
      if (current.checkCode !== checkCode || !current.device) {
        throw new OutpostError('CONFLICT', 'The check code at the desk is another one by now. Compare them again.');
      }
      if (state === current.state) return current;
      const { device } = current;
      await enterEquipment(repositories, accountId, device, change);
      if (current.subject) await equipment.assign(device.serial, current.subject, change);
      const { kind, serial } = device;
      const added = await devices.add({ accountId, kind, serial, equipmentId: serial }, change);
      const fields = {
        state,
        credentialId: added.device.id,
        pendingToken: box.seal(added.secret),
        expirationTs: clock() + LIFETIME_MS,
      };
      return await pairings.update(id, fields, 'pairing.confirm', change);
    });
  }

  /** The desk says that the codes differ. @throws NOT_FOUND, CONFLICT */
  async refuse(id: string, accountId: string, change: Change): Promise<void> {
    await this.get(id, accountId);
    await this.#end(id, 'refuse', 'pairing.refuse', change);
  }

  /** @throws NOT_FOUND, CONFLICT when it has ended */
  async cancel(id: string, accountId: string, change: Change): Promise<void> {
    await this.get(id, accountId);
    await this.#end(id, 'cancel', 'pairing.cancel', change);
  }

  /** Ends what is over its time and forgets what is no longer needed. */
  async sweep(): Promise<void> {
    const { store, clock } = this.#options;
    for (const { id } of await store.pairings.listOverdue()) {
      await this.#end(id, 'expire', 'pairing.expire', SYSTEM);
    }
    await store.pairings.forgetSecrets(clock() - REMEMBERED_MS);
  }

  async #end(
    id: string,
    event: 'refuse' | 'cancel' | 'expire' | 'lock',
    action: string,
    change: Change,
  ): Promise<void> {
    const { store, clock } = this.#options;
    await store.transaction(async ({ pairings, devices }) => {
      const current = await pairings.require(id);
      const state = step(current, event);
      if (state === current.state) return;
      await pairings.update(id, { state, endedTs: clock() }, action, change);
      if (current.credentialId !== undefined) {
        await devices.revoke(current.credentialId, { ...change, reason: 'Its pairing was not completed.' });
      }
    });
  }

  /** The pairing whose secret or code the caller knows; ended ones too, so that the reason can be told. */
  async #findByProof(input: PairingCall): Promise<{ pairing: PairingRecord; usedKey: 'secret' | 'code' } | undefined> {
    const { store, clock, box, fingerprint } = this.#options;
    const pin = Buffer.from(fingerprint(), 'hex');
    const proof = bytes(input.proof);
    const matches = (sealed: string | undefined) => {
      const key = box.open(sealed ?? '');
      return key !== undefined && sameBytes(proof, proofOf(bytes(key), pin, bytes(input.commitment)));
    };
    if (input.pairingId !== undefined) {
      const pairing = await store.pairings.get(input.pairingId);
      return pairing && matches(pairing.secretKey) ? { pairing, usedKey: 'secret' } : undefined;
    }
    const recent = await store.pairings.listSince(clock() - REMEMBERED_MS);
    const pairing = recent.find(({ codeKey }) => matches(codeKey));
    return pairing && { pairing, usedKey: 'code' };
  }

  async #refuseWrongCode(input: PairingCall, address: string): Promise<OutpostError> {
    const { store } = this.#options;
    const { serial } = input.device;
    // The secret of a QR code cannot be guessed, so only typed codes use tries up.
    const exhausted = input.pairingId === undefined ? await store.pairings.countWrongTry(TRIES_PER_PAIRING) : [];
    for (const id of exhausted) await this.#end(id, 'lock', 'pairing.lock', SYSTEM);
    await store.pairings.noteRefusal(undefined, { code: 'PAIRING_CODE_WRONG', address, serial }, SYSTEM);
    return wrongCode();
  }

  async #requireSameTime(pairing: PairingRecord, clockTs: number): Promise<void> {
    const { store, clock } = this.#options;
    const serverTs = clock();
    const differenceMs = clockTs - serverTs;
    if (Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS) return;
    const minutes = Math.round(Math.abs(differenceMs) / 60_000);
    const fields = { problem: 'PAIRING_CLOCK', clockDifferenceMs: differenceMs };
    await store.pairings.update(pairing.id, fields, 'pairing.clock-differs', SYSTEM);
    throw new OutpostError(
      'PAIRING_CLOCK',
      `The clock of the device is ${minutes} minutes ${differenceMs < 0 ? 'behind' : 'ahead of'} the clock of the site. Set the one that is wrong, then call again with the same code.`,
      { details: { differenceMinutes: Math.sign(differenceMs) * minutes, serverTs } },
    );
  }

  /** The pairing in which this nonce was committed to. Only the device that called knows it. */
  async #ofNonce(id: string, nonce: string, address: string): Promise<PairingRecord> {
    await this.sweep();
    const wasRight = this.#limits.begin(address);
    const pairing = await this.#options.store.pairings.get(id);
    if (!pairing?.commitment || !sameBytes(commitmentOf(bytes(nonce)), bytes(pairing.commitment))) throw wrongCode();
    wasRight();
    return pairing;
  }

  /** Writes refused attempts of a known pairing into the audit. */
  async #orNote<T>(id: string, address: string, device: CallingDevice | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof OutpostError && isRefusal(thrown.code)) {
        const facts = { code: thrown.code, address, ...(device && { serial: device.serial }) };
        await this.#options.store.pairings.noteRefusal(id, facts, SYSTEM);
      }
      throw thrown;
    }
  }
}

function isRefusal(code: ErrorCodeName): boolean {
  return code.startsWith('PAIRING_') || code === 'CONFLICT';
}

const EQUIPMENT_TYPES = { HUB: 'LINK_HUB', PHONE: 'LINK_PHONE' } as const;

/** @throws CONFLICT when the serial number is that of other equipment */
async function requireFreeSerial(
  { equipment }: Repositories,
  accountId: string,
  { serial, kind }: CallingDevice,
): Promise<void> {
  const known = await equipment.get(serial);
  if (!known || (known.accountId === accountId && known.type === EQUIPMENT_TYPES[kind])) return;
  throw new OutpostError(
    'CONFLICT',
    `The serial number ${serial} is registered already, for other equipment. Check the serial number of the device.`,
  );
}

/** A known serial number keeps its entry and its name; a new one is registered. */
async function enterEquipment(
  repositories: Repositories,
  accountId: string,
  device: CallingDevice,
  change: Change,
): Promise<void> {
  await requireFreeSerial(repositories, accountId, device);
  const { equipment } = repositories;
  const { serial, kind, displayName, hardwareId, firmwareId } = device;
  const parts = { ...(hardwareId && { hardwareId }), ...(firmwareId && { firmwareId }) };
  if (await equipment.get(serial)) await equipment.update(serial, parts, change);
  else await equipment.register({ accountId, id: serial, type: EQUIPMENT_TYPES[kind], displayName, ...parts }, change);
}

/** A pairing in words for the desk. */
export function isPairingOpen(pairing: PairingRecord): boolean {
  return !hasEnded(pairing.state as PairingState);
}
