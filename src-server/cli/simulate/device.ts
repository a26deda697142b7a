/** Options and error handling shared by `outpost simulate hub` and `outpost simulate phone`. */
import { join } from 'node:path';
import { ERROR_CODES, errorFromJSON, OutpostError, toOutpostError } from '../../errors.ts';
import { PinMismatch, Refusal } from '../../simulator/device/connection.ts';
import { type Faults, parseFaults } from '../../simulator/device/faults.ts';
import type { PairingInvitation } from '../../simulator/device/pairing.ts';

export interface DeviceCommand {
  /** State folder of the device. */
  state?: string;
  serial: string;
  site?: string;
  code?: string;
  link?: string;
  fault: string[];
  once: boolean;
  json: boolean;
}

/** Returns the state folder, which is the identity of the device. */
export function deviceFolder({ state, serial }: DeviceCommand, kind: string): string {
  return state ?? join('.', `simulated-${kind}-${serial.replace(/[^\w.-]/g, '_')}`);
}

/** @throws INVALID_INPUT */
export function faultsOf(texts: readonly string[]): Faults {
  try {
    return parseFaults(texts);
  } catch (thrown) {
    throw new OutpostError('INVALID_INPUT', thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Returns how to pair the device. @throws INVALID_INPUT */
export function pairing({ site, code, link }: DeviceCommand): PairingInvitation {
  if (link !== undefined) return { link };
  if (site !== undefined && code !== undefined) return { url: site, code };
  throw new OutpostError(
    'INVALID_INPUT',
    'This device is not paired yet. Start pairing at the desk, then add --site and --code, or --link with the text of the QR code.',
  );
}

/** Returns a signal that aborts on Ctrl+C or SIGTERM. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

export function inWords(problem: unknown): string {
  if (problem instanceof Refusal) return `The site answered ${problem.code}: ${problem.message}`;
  if (problem instanceof PinMismatch) return problem.message;
  return `Network error (${problem instanceof Error ? problem.message : String(problem)}).`;
}

/** Converts a failure for the exit code, keeping the site's own error code where the site refused. */
export function asOutpostError(thrown: unknown): OutpostError {
  if (thrown instanceof Refusal && thrown.code in ERROR_CODES) {
    return errorFromJSON({ code: thrown.code, message: thrown.message });
  }
  if (thrown instanceof PinMismatch) return new OutpostError('CONFLICT', thrown.message, { cause: thrown });
  return toOutpostError(thrown);
}
