/**
 * A folder that electron-builder takes for an unpacked Electron: it packs the application and sets the fuses as it would in the real
 * program, of which there is nothing but the place of the fuses.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Marks the fuses in Electron's program (docs/tutorial/fuses.md). Version and number of fuses follow, then one character each. */
const SENTINEL = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX', 'latin1');
/** What an unpacked Electron has. */
const DEFAULT_FUSES = '10110001';

const FUSES = [
  'runAsNode',
  'cookieEncryption',
  'nodeOptions',
  'nodeCliInspect',
  'asarIntegrity',
  'onlyLoadAppFromAsar',
  'browserV8Snapshot',
  'fileProtocolPrivileges',
] as const;

/** Fills a folder. Electron is on Linux only: its program lies in an application bundle on macOS. */
export async function makeElectronDistribution(folder: string): Promise<void> {
  await mkdir(join(folder, 'locales'), { recursive: true });
  const head = Buffer.from([1, DEFAULT_FUSES.length]);
  const program = Buffer.concat([
    Buffer.alloc(64),
    SENTINEL,
    head,
    Buffer.from(DEFAULT_FUSES, 'latin1'),
    Buffer.alloc(64),
  ]);
  await writeFile(join(folder, 'electron'), program, { mode: 0o755 });
  for (const language of ['en-US', 'ja', 'de']) await writeFile(join(folder, 'locales', `${language}.pak`), language);
}

/** Returns which fuses of a packed program are on. */
export async function fusesOf(program: string): Promise<string[]> {
  const bytes = await readFile(program);
  const start = bytes.indexOf(SENTINEL) + SENTINEL.length + 2;
  return FUSES.filter((_, index) => bytes[start + index] === '1'.charCodeAt(0));
}
