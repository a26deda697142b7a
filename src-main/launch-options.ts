import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Fixed default port, so that bookmarks and scripts keep working. */
const DEFAULT_PORT = 8480;

export interface LaunchOptions {
  siteDir: string;
  port: number;
  /** Port for devices; the one in the site settings if absent. */
  lanPort?: number;
}

const portOf = (text: string | undefined): number | undefined => {
  const port = Number(text);
  return text !== undefined && Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : undefined;
};

const parsed = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    options: { data: { type: 'string' }, port: { type: 'string' }, 'lan-port': { type: 'string' } },
    strict: false,
    allowPositionals: true,
  });

/** Returns the arguments that may be files which the user opens with the program. */
export const fileArguments = (argv: readonly string[]): string[] => parsed(argv).positionals;

/**
 * Returns the site to open and its ports. Precedence: `--data`, `--port` and `--lan-port`; OUTPOST_DATA, OUTPOST_PORT and
 * OUTPOST_LAN_PORT; the folder chosen last; the folder `site` in `userData`.
 *
 * @param argv arguments after the program name; Chromium's switches are ignored
 */
export const launchOptions = (
  argv: string[],
  env: Record<string, string | undefined>,
  remembered: string | undefined,
  userData: string,
): LaunchOptions => {
  const { values } = parsed(argv);
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const lanPort = portOf(text(values['lan-port']) ?? text(env.OUTPOST_LAN_PORT));
  return {
    siteDir: resolve(text(values.data) ?? text(env.OUTPOST_DATA) ?? remembered ?? resolve(userData, 'site')),
    port: portOf(text(values.port) ?? text(env.OUTPOST_PORT)) ?? DEFAULT_PORT,
    ...(lanPort === undefined ? {} : { lanPort }),
  };
};
