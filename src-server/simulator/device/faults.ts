/** Faults of a simulated device, as `--fault` names them: what goes wrong with the bytes it sends, and with its clock. */

export interface Faults {
  /** The connection is cut once so many bytes of recordings were sent. Each once. */
  cutAtBytes: number[];
  /** The program ends itself with SIGKILL there. */
  killAtBytes?: number;
  /** Recordings are sent no faster. */
  bytesPerSecond?: number;
  /** Each piece goes out twice, over two connections at once. */
  duplicate: boolean;
  /** The piece after the next is sent before the next. */
  reorder: boolean;
  /** One bit of a piece is flipped on its way, in one piece of each recording. */
  flip: boolean;
  /** The device's clock is ahead of true time by so much. */
  clockAheadMs: number;
}

export const NO_FAULTS: Faults = { cutAtBytes: [], duplicate: false, reorder: false, flip: false, clockAheadMs: 0 };

export const FAULTS_HELP = `Faults (repeat --fault for several):
  cut=BYTES      cut the connection once so many bytes of recordings, or reports, were sent
  kill=BYTES     end the program there, without a warning; run it again to go on
  slow=BYTES     send no more bytes per second than this
  duplicate      send each piece, or call, twice, over two connections at once
  reorder        send each piece before the one ahead of it, and reports from the last to the first
  flip           flip one bit of a piece of each recording, or of a call, on its way
  clock=SECONDS  the device's clock is ahead by so much (behind with a minus)`;

/** @throws Error that says which fault is not known */
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
