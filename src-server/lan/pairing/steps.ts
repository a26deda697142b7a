/** Shared by the desk's and the device's side of pairing: context, transitions, expiry, and the device's equipment entry. */
import { type CallingDevice, type Change, type PairingRecord, SYSTEM } from '../../db/index.ts';
import { diagnostic } from '../../diagnostics.ts';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import type { SecretBox } from '../../secrets/sealed-text.ts';
import type { Repositories, Store } from '../../services/index.ts';
import { isShownAsWritten } from '../../vocabulary/shown-text.ts';
import type { RefusedAttempts } from '../refused-attempts.ts';
import { PAIRING_PROBLEMS, PAIRING_TABLE, type PairingEvent, type PairingState } from './machine.ts';

export const PAIRING_LIFETIME_MS = 10 * MINUTE_MS;
/** An ended code is still recognized for this long, so that a device receives the reason. */
export const REMEMBERED_MS = HOUR_MS;

export interface PairingContext {
  store: Store;
  siteId: string;
  siteName: () => string;
  clock: () => number;
  /** Monotonic milliseconds, for throttles. */
  elapsed: () => number;
  refused: RefusedAttempts;
  /** Seals secrets that must be readable later. */
  box: SecretBox;
  /** Pin of the current key, hex. */
  fingerprint: () => string;
  /** Base addresses for devices, such as `https://192.168.1.20:8481`. */
  addresses: () => readonly string[];
}

/** Decodes base64url; undefined yields no bytes. */
export const bytesOf = (text: string | undefined): Uint8Array => Buffer.from(text ?? '', 'base64url');

/** Returns the state after an event. @throws the problem that the table names for this state */
export function step(pairing: PairingRecord, event: PairingEvent): PairingState {
  const cell = PAIRING_TABLE[pairing.state as PairingState][event];
  if (typeof cell === 'string') return cell;
  const { code, message } = PAIRING_PROBLEMS[cell.problem];
  throw new OutpostError(code, message);
}

/** Ends a pairing and revokes its unused credential. */
export async function endPairing(
  { store, clock }: PairingContext,
  id: string,
  event: 'refuse' | 'cancel' | 'expire',
  change: Change,
): Promise<void> {
  await store.transaction(async ({ pairings, devices }) => {
    const current = await pairings.require(id);
    const state = step(current, event);
    if (state === current.state) return;
    await pairings.update(id, { state, endedTs: clock() }, `pairing.${event}`, change);
    if (current.credentialId !== undefined) {
      await devices.revoke(current.credentialId, { ...change, reason: diagnostic('PAIRING_INCOMPLETE').message });
    }
  });
}

/** Closes the typed code of a pairing that nobody has called yet. Its QR code stays valid: nobody can guess that. */
export async function lockTypedCode({ store }: PairingContext, id: string): Promise<void> {
  await store.transaction(async ({ pairings }) => {
    const current = await pairings.require(id);
    const state = step(current, 'lock');
    if (state !== current.state) await pairings.update(id, { state }, 'pairing.lock', SYSTEM);
  });
}

/** Ends expired pairings and deletes secrets that are no longer needed. */
export async function sweepPairings(context: PairingContext): Promise<void> {
  const { store, clock } = context;
  for (const { id } of await store.pairings.listOverdue(PAIRING_LIFETIME_MS))
    await endPairing(context, id, 'expire', SYSTEM);
  await store.pairings.forgetSecrets(clock() - REMEMBERED_MS);
}

/** Serial numbers as printed on devices; no paths, no look-alike characters. */
const SERIAL = /^[\p{L}\p{N}][\p{L}\p{N} ._:+#-]*$/u;

/** @throws INVALID_INPUT for a serial number or name with disallowed characters */
export function requireSoundNames({ serial, displayName, hardwareId, firmwareId }: CallingDevice): void {
  if (!SERIAL.test(serial)) {
    throw new OutpostError(
      'INVALID_INPUT',
      'The serial number of the device may contain only letters, digits, spaces and . _ : + # -, and must begin with a letter or digit.',
    );
  }
  if ([displayName, hardwareId, firmwareId].some((text) => text !== undefined && !isShownAsWritten(text))) {
    throw new OutpostError('INVALID_INPUT', 'The names of the device contain invisible characters.');
  }
}

const EQUIPMENT_TYPES = { HUB: 'LINK_HUB', PHONE: 'LINK_PHONE' } as const;

/** @throws CONFLICT when the serial number belongs to other equipment */
export async function requireFreeSerial(
  { equipment }: Repositories,
  accountId: string,
  { serial, kind }: CallingDevice,
): Promise<void> {
  const known = await equipment.get(serial);
  if (!known || (known.accountId === accountId && known.type === EQUIPMENT_TYPES[kind])) return;
  throw new OutpostError(
    'CONFLICT',
    `The serial number ${serial} is already registered for other equipment. Check the serial number of the device.`,
  );
}

/** Updates the equipment entry of a known serial number, preserving its name, or registers a new one. */
export async function enterEquipment(
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
