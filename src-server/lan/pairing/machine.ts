/**
 * The state machine of a pairing as one table. Pure: authentication, storage and responses are elsewhere.
 *
 * OFFERED -call, scan-> CALLED -reveal-> COMPARING -confirm-> CONFIRMED -acknowledge-> COMPLETE; from the first four also to
 * REFUSED, CANCELLED and EXPIRED. Wrong codes move an OFFERED one to LOCKED, which only a QR code leaves.
 */

import type { ErrorCodeName } from '../../errors.ts';
import { PAIRING_STATES, type PairingState } from '../../vocabulary/devices.ts';

export { PAIRING_STATES, type PairingState };

export const PAIRING_EVENTS = [
  /** A device proves that it knows the typed code and commits to its nonce. */
  'call',
  /** The same with the secret of the QR code. */
  'scan',
  /** The same call repeated, because its response was lost. */
  'call-again',
  /** The device reveals the nonce it committed to; both sides now have the check code. */
  'reveal',
  /** The desk confirms that both check codes match. */
  'confirm',
  /** The desk reports that they differ, or does not know the device. */
  'refuse',
  /** The device requests its credential. */
  'collect',
  /** The device uses its credential for the first time. */
  'acknowledge',
  /** The desk cancels the pairing. */
  'cancel',
  'expire',
  /** Too many wrong typed codes. */
  'lock',
] as const;
export type PairingEvent = (typeof PAIRING_EVENTS)[number];

/** The reasons why an event is refused in a state. */
export const PAIRING_PROBLEMS = {
  used: {
    code: 'PAIRING_USED',
    message: 'This pairing code was used already. Ask at the desk for a new one.',
  },
  expired: {
    code: 'PAIRING_EXPIRED',
    message: 'This pairing code has expired. Ask at the desk for a new one.',
  },
  cancelled: {
    code: 'PAIRING_CANCELLED',
    message: 'The desk cancelled this pairing. Ask at the desk for a new code.',
  },
  refused: {
    code: 'PAIRING_REFUSED',
    message: 'The desk refused this device. If the check codes differed, someone else may be on the network.',
  },
  locked: {
    code: 'PAIRING_TOO_MANY_TRIES',
    message:
      'There were too many wrong codes, so this code was closed. Scan the QR code, or ask at the desk for a new code.',
  },
  noDevice: {
    code: 'CONFLICT',
    message: 'No device has called yet. Scan or type the code on the device first.',
  },
  outOfOrder: {
    code: 'CONFLICT',
    message: 'This step comes later: call with the code first, then show the nonce.',
  },
  confirmed: {
    code: 'CONFLICT',
    message: 'This device was confirmed already. To undo it, remove the device.',
  },
  ended: {
    code: 'CONFLICT',
    message: 'This pairing has ended. Start a new one.',
  },
} as const satisfies Record<string, { code: ErrorCodeName; message: string }>;
export type PairingProblem = keyof typeof PAIRING_PROBLEMS;

type Cell = PairingState | { problem: PairingProblem };
const no = (problem: PairingProblem): Cell => ({ problem });

/** An ended pairing reports the reason to the device, but only the fact to the desk. */
const ended = (state: PairingState, problem: PairingProblem): Record<PairingEvent, Cell> => ({
  call: no(problem),
  scan: no(problem),
  'call-again': no(problem),
  reveal: no(problem),
  collect: no(problem),
  confirm: no('ended'),
  refuse: no('ended'),
  cancel: no('ended'),
  acknowledge: state,
  expire: state,
  lock: state,
});

export const PAIRING_TABLE: Readonly<Record<PairingState, Readonly<Record<PairingEvent, Cell>>>> = {
  OFFERED: {
    call: 'CALLED',
    scan: 'CALLED',
    'call-again': no('outOfOrder'),
    reveal: no('outOfOrder'),
    confirm: no('noDevice'),
    refuse: no('noDevice'),
    collect: no('outOfOrder'),
    acknowledge: 'OFFERED',
    cancel: 'CANCELLED',
    expire: 'EXPIRED',
    lock: 'LOCKED',
  },
  CALLED: {
    call: no('used'),
    scan: no('used'),
    'call-again': 'CALLED',
    reveal: 'COMPARING',
    confirm: no('noDevice'),
    refuse: 'REFUSED',
    collect: no('outOfOrder'),
    acknowledge: 'CALLED',
    cancel: 'CANCELLED',
    expire: 'EXPIRED',
    lock: 'CALLED',
  },
  COMPARING: {
    call: no('used'),
    scan: no('used'),
    'call-again': 'COMPARING',
    reveal: 'COMPARING',
    confirm: 'CONFIRMED',
    refuse: 'REFUSED',
    collect: 'COMPARING',
    acknowledge: 'COMPARING',
    cancel: 'CANCELLED',
    expire: 'EXPIRED',
    lock: 'COMPARING',
  },
  CONFIRMED: {
    call: no('used'),
    scan: no('used'),
    'call-again': 'CONFIRMED',
    reveal: 'CONFIRMED',
    confirm: 'CONFIRMED',
    refuse: no('confirmed'),
    collect: 'CONFIRMED',
    acknowledge: 'COMPLETE',
    cancel: 'CANCELLED',
    expire: 'EXPIRED',
    lock: 'CONFIRMED',
  },
  COMPLETE: ended('COMPLETE', 'used'),
  REFUSED: ended('REFUSED', 'refused'),
  CANCELLED: ended('CANCELLED', 'cancelled'),
  EXPIRED: ended('EXPIRED', 'expired'),
  LOCKED: {
    call: no('locked'),
    scan: 'CALLED',
    'call-again': no('outOfOrder'),
    reveal: no('outOfOrder'),
    confirm: no('noDevice'),
    refuse: no('noDevice'),
    collect: no('outOfOrder'),
    acknowledge: 'LOCKED',
    cancel: 'CANCELLED',
    expire: 'EXPIRED',
    lock: 'LOCKED',
  },
};

const ENDED: readonly PairingState[] = ['COMPLETE', 'REFUSED', 'CANCELLED', 'EXPIRED'];

/** True in a final state. */
export function hasEnded(state: PairingState): boolean {
  return ENDED.includes(state);
}
