import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The port at which the desk is found when nobody asks for another: bookmarks and scripts keep working. */
const DEFAULT_PORT = 8480;

export interface LaunchOptions {
  siteDir: string;
  port: number;
  /** Where devices call; left out, the usual one. */
  lanPort?: number;
}

const portOf = (text: string | undefined): number | undefined => {
  const port = Number(text);
  return text !== undefined && Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : undefined;
};

/**
 * Which site to open, and where to serve it: `--data`, `--port` and `--lan-port` win over OUTPOST_DATA, OUTPOST_PORT and
 * OUTPOST_LAN_PORT, then the folder that was chosen last, then a folder of the person's own.
 *
 * @param argv what follows the program's name; Chromium's own switches are passed over
 */
export const launchOptions = (
  argv: string[],
  env: Record<string, string | undefined>,
  remembered: string | undefined,
  userData: string,
): LaunchOptions => {
  const { values } = parseArgs({
    args: argv,
    options: { data: { type: 'string' }, port: { type: 'string' }, 'lan-port': { type: 'string' } },
    strict: false,
    allowPositionals: true,
  });
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const lanPort = portOf(text(values['lan-port']) ?? text(env.OUTPOST_LAN_PORT));
  return {
    siteDir: resolve(text(values.data) ?? text(env.OUTPOST_DATA) ?? remembered ?? resolve(userData, 'site')),
    port: portOf(text(values.port) ?? text(env.OUTPOST_PORT)) ?? DEFAULT_PORT,
    ...(lanPort === undefined ? {} : { lanPort }),
  };
};
