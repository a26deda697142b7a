/** Faults of a simulated device, named as in `--fault`: faults of its transfers and of its clock. */

export interface Faults {
  /** Cuts the connection, once for each value, after that many bytes of recordings. */
  cutAtBytes: number[];
  /** The program kills itself with SIGKILL after that many bytes. */
  killAtBytes?: number;
  /** Limits the rate at which recordings are sent. */
  bytesPerSecond?: number;
  /** Sends each chunk twice, over two connections at once. */
  duplicate: boolean;
  /** Sends the chunk after the next one before the next one. */
  reorder: boolean;
  /** Flips one bit in one chunk of each recording. */
  flip: boolean;
  /** The device's clock is ahead of true time by this much. */
  clockAheadMs: number;
}

export const NO_FAULTS: Faults = { cutAtBytes: [], duplicate: false, reorder: false, flip: false, clockAheadMs: 0 };

export const FAULTS_HELP = `Faults (repeat --fault for several):
  cut=BYTES      cut the connection once so many bytes of recordings, or reports, were sent
  kill=BYTES     end the program there, without a warning; run it again to continue
  slow=BYTES     send no more bytes per second than this
  duplicate      send each chunk, or call, twice, over two connections at once
  reorder        send each chunk before the one ahead of it, and reports from the last to the first
  flip           flip one bit of a chunk of each recording, or of a call, on its way
  clock=SECONDS  the device's clock is ahead by so much (behind with a minus)`;

/** @throws Error that names the unknown fault */
export function parseFaults(texts: readonly string[]): Faults {
  const faults: Faults = { ...NO_FAULTS, cutAtBytes: [] };
  for (const text of texts) {
    const [name, value] = text.split('=');
    const number = () => {
      const parsed = Number(value);
      if (value === undefined || !Number.isFinite(parsed))
        throw new Error(`--fault ${name} needs a number: ${name}=1000.`);
      return parsed;
    };
    if (name === 'cut') faults.cutAtBytes.push(number());
    else if (name === 'kill') faults.killAtBytes = number();
    else if (name === 'slow') faults.bytesPerSecond = Math.max(1, number());
    else if (name === 'clock') faults.clockAheadMs = number() * 1000;
    else if (name === 'duplicate' || name === 'reorder' || name === 'flip') faults[name] = true;
    else throw new Error(`The fault "${text}" is not known. See --help for the list.`);
  }
  faults.cutAtBytes.sort((a, b) => a - b);
  return faults;
}
