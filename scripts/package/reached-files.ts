/**
 * Finds what a built program loads: every file that its bundles reach by import or require, resolved as Node does, and every
 * package that was compiled into the bundles themselves. Nothing is run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'vite';

/** The folder of the package that a file belongs to; undefined for files outside node_modules. */
export const packageFolderOf = (path: string): string | undefined =>
  /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0];

/** Files that packages start as threads: no import leads there. */
const THREADS = ['piscina/dist/worker.js', 'thread-stream/lib/worker.js'];

function entriesOf(root: string): string[] {
  const mainDir = join(root, 'out/main');
  const bundles = readdirSync(mainDir)
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(mainDir, name));
  const threads = THREADS.map((path) => join(root, 'node_modules', path));
  const missing = threads.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}.`);
  return [...bundles, ...threads];
}

/**
 * Returns the paths of all files in node_modules that the entries in `out/main` of a folder reach.
 * @throws Error when an import that is not optional leads nowhere
 */
export async function reachedFiles(root: string): Promise<Set<string>> {
  const reached = new Set<string>();
  await build({
    configFile: false,
    root,
    logLevel: 'silent',
    // What Node itself takes, not what bundlers prefer.
    resolve: { mainFields: ['main'] },
    ssr: {
      noExternal: true,
      target: 'node',
      resolve: { conditions: ['node', 'node-addons', 'module-sync'], mainFields: ['main'] },
    },
    build: {
      ssr: true,
      write: false,
      minify: false,
      rolldownOptions: {
        input: entriesOf(root),
        external: ['electron'],
        // Every file counts, also one of which nothing is used: Node loads it.
        treeshake: false,
      },
    },
    plugins: [
      {
        name: 'outpost:reached-files',
        enforce: 'pre',
        // A native module is reached, but cannot be parsed.
        load: (id) => (id.endsWith('.node') ? 'export default {}' : null),
        buildEnd(error) {
          if (error) throw error;
          for (const id of this.getModuleIds()) {
            const path = id.replace(/^\0/, '').replace(/\?.*$/, '');
            if (packageFolderOf(path)) reached.add(path);
          }
        },
      },
    ],
  });
  return reached;
}

/** Returns the package folders whose code was compiled into the desk and the app of phones, from their source maps. */
export function packagesInPages(root: string): Set<string> {
  const folders = new Set<string>();
  for (const page of ['out/renderer', 'out/phone']) {
    const directory = join(root, page);
    const maps = existsSync(directory)
      ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.map'))
      : [];
    if (maps.length === 0) throw new Error(`No source maps in ${directory}. Run "npm run build" first.`);
    for (const name of maps) {
      const path = join(directory, name);
      const { sources } = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] };
      for (const source of sources) {
        const folder = packageFolderOf(resolve(dirname(path), source));
        if (folder) folders.add(folder);
      }
    }
  }
  return folders;
}
