/** The words of devices: their faults, and the states of a pairing. */

/** Only the last two are malfunctions; the others are part of an ordinary day. */
export const FAULT_CLASSES = [
  'FLAT_BATTERY',
  'FULL_MEMORY',
  'CLOCK_NOT_SET',
  'LOST_CONTACT',
  'FIRMWARE_RESET',
  'HUB_ERROR',
] as const;
export type FaultClass = (typeof FAULT_CLASSES)[number];

/** What moves a pairing from one state to the next is in `lan/pairing/machine.ts`. */
export const PAIRING_STATES = [
  'OFFERED',
  'CALLED',
  'COMPARING',
  'CONFIRMED',
  'COMPLETE',
  'REFUSED',
  'CANCELLED',
  'EXPIRED',
  'LOCKED',
] as const;
export type PairingState = (typeof PAIRING_STATES)[number];

/** Makers of devices whose files importers read, as recordings name them. */
export const DEVICE_MAKERS = [
  'ActiGraph',
  'Apple',
  'Axivity',
  'Bittium',
  'Empatica',
  'GENEActiv',
  'movisens',
  'Movesense',
  'Parmay',
  'Polar',
  'Shimmer',
] as const;
export type DeviceMaker = (typeof DEVICE_MAKERS)[number];
