/** The serial number of a Movesense sensor, which its files do not hold: the app puts it into the name of a file or of its folder. */
import { basename, dirname } from 'node:path';

const SERIAL = /(?:^|\D)(\d{12})(?=\D|$)/;

export const serialIn = (path: string): string | undefined =>
  (SERIAL.exec(basename(path)) ?? SERIAL.exec(basename(dirname(path))))?.[1];
