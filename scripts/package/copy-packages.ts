/**
 * Copies the packages that the built program loads, without what no program reads: other platforms' native modules, sources of
 * native modules, types, source maps, documents, tests. The code of a package is copied whole, because some of it loads files by a
 * computed name.
 */
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The computer that the folder is made for, in the words of Node. */
export interface Target {
  platform: NodeJS.Platform;
  arch: string;
}

/** Texts that a licence asks to be passed on with the code. */
export const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
const CODE = /\.(js|cjs|mjs|json|node|wasm)$/;
const IGNORED_FOLDER = /^(tests?|__tests__|docs?|examples?|benchmarks?|node_modules|\..*)$/;

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return IGNORED_FOLDER.test(entry.name) ? [] : filesIn(path);
    // Names that begin with a dot are settings of the makers' tools.
    return CODE.test(entry.name) && !entry.name.startsWith('.') ? [path] : [];
  });
}

/** better-sqlite3 ships the native modules of all platforms in one folder, named after them. */
const isForOther = (path: string, { platform, arch }: Target): boolean =>
  /[\\/]prebuilds[\\/]/.test(path) && !path.endsWith(`${platform}-${arch}.node`);

/** Copies package folders below `from` to the same places below `to`. @throws Error when a package is outside of `from` */
export function copyPackages(
  folders: ReadonlySet<string>,
  { from, to, target }: { from: string; to: string; target: Target },
): void {
  for (const folder of folders) {
    if (relative(from, folder).startsWith('..')) throw new Error(`${folder} is outside of ${from}.`);
    const licences = readdirSync(folder).filter((name) => LICENCE_FILE.test(name));
    for (const path of [...filesIn(folder), ...licences.map((name) => join(folder, name))]) {
      if (isForOther(path, target)) continue;
      const place = join(to, relative(from, path));
      mkdirSync(dirname(place), { recursive: true });
      cpSync(path, place);
    }
  }
}
