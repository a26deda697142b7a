/** The desk's side of pairing: start, list, confirm, refuse, cancel. {@link PAIRING_TABLE} defines the transitions. */
import { randomBytes } from 'node:crypto';
import { type Change, newId, type PairingRecord } from '../../db/index.ts';
import { DAY_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import { keyOfCode, newCode, pairingLink } from './codes.ts';
import { endPairing, enterEquipment, PAIRING_LIFETIME_MS, type PairingContext, step, sweepPairings } from './steps.ts';
import { TRIES_PER_PAIRING } from './try-limits.ts';

const LISTED_MS = DAY_MS;
/** Open pairings per account. */
const MAX_OPEN = 20;

export interface StartedPairing {
  pairing: PairingRecord;
  /** For typing when the QR code cannot be scanned. */
  code: string;
  /** The content of the QR code. */
  link: string;
  fingerprint: string;
  addresses: string[];
}

export class PairingDesk {
  /** The number of wrong codes that closes a pairing. */
  readonly maxWrongTries = TRIES_PER_PAIRING;
  readonly #context: PairingContext;

  constructor(context: PairingContext) {
    this.#context = context;
  }

  /** Creates a pairing with its code and QR link. @throws CONFLICT when no listener is open, or too many pairings are */
  async start(
    input: { accountId: string; userId: string; subject?: { studyId: string; subjectId: string } },
    change: Change,
  ): Promise<StartedPairing> {
    const { store, siteId, siteName, clock, box } = this.#context;
    await sweepPairings(this.#context);
    const addresses = [...this.#context.addresses()];
    if (addresses.length === 0) {
      throw new OutpostError(
        'CONFLICT',
        'The site does not listen on the local network, so no device can connect. See Site, Network.',
      );
    }
    const open = (await this.list(input.accountId)).filter(({ endedTs }) => endedTs === undefined);
    if (open.length >= MAX_OPEN) {
      throw new OutpostError('CONFLICT', `${MAX_OPEN} pairings are already open. Cancel those that are not needed.`);
    }
    const id = newId();
    const secret = randomBytes(32);
    const code = newCode();
    const codeKey = await keyOfCode(code, siteId);
    const expirationTs = clock() + PAIRING_LIFETIME_MS;
    const sealed = (key: Uint8Array) => box.seal(Buffer.from(key).toString('base64url'));
    const pairing = await store.pairings.create(
      { id, ...input, secretKey: sealed(secret), codeKey: sealed(codeKey), expirationTs },
      change,
    );
    const fingerprint = this.#context.fingerprint();
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

  /** Returns the pairings of the last day, newest first. */
  async list(accountId: string): Promise<PairingRecord[]> {
    await sweepPairings(this.#context);
    return await this.#context.store.pairings.listSince(this.#context.clock() - LISTED_MS, accountId);
  }

  /** @throws NOT_FOUND */
  async get(id: string, accountId: string): Promise<PairingRecord> {
    await sweepPairings(this.#context);
    return await this.#context.store.pairings.require(id, accountId);
  }

  /**
   * Confirms that both check codes match: registers the device as equipment (or updates its entry) and issues the credential that
   * it collects.
   * @throws NOT_FOUND, CONFLICT, and the errors of assigning equipment when the pairing was started for a subject
   */
  async confirm(id: string, accountId: string, checkCode: string, change: Change): Promise<PairingRecord> {
    const { store, clock, box } = this.#context;
    await this.get(id, accountId);
    return await store.transaction(async (repositories) => {
      const { pairings, devices, equipment } = repositories;
      const current = await pairings.require(id, accountId);
      const state = step(current, 'confirm');
      if (current.checkCode !== checkCode || !current.device) {
        throw new OutpostError('CONFLICT', 'The check code at the desk has changed. Compare the codes again.');
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
        expirationTs: clock() + PAIRING_LIFETIME_MS,
      };
      return await pairings.update(id, fields, 'pairing.confirm', change);
    });
  }

  /** Refuses a device whose check code differs. @throws NOT_FOUND, CONFLICT */
  async refuse(id: string, accountId: string, change: Change): Promise<void> {
    await this.get(id, accountId);
    await endPairing(this.#context, id, 'refuse', change);
  }

  /** @throws NOT_FOUND, CONFLICT when it has ended */
  async cancel(id: string, accountId: string, change: Change): Promise<void> {
    await this.get(id, accountId);
    await endPairing(this.#context, id, 'cancel', change);
  }
}
