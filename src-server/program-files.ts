/**
 * Where the program finds its own files: the entry points of its processes and threads, the built desk and the built app of
 * phones. Run from the sources, entries are TypeScript beside the code; in a build they are bundles in `out/main`.
 */

/** The sources are TypeScript; a bundle is JavaScript. */
const isBuilt = import.meta.url.endsWith('.js');
// The bundler puts this module into an entry or into a chunk that entries share, one folder deeper.
const bundles = new URL(/\/chunks\/[^/]+$/.test(import.meta.url) ? '../' : './', import.meta.url);
const entry = (name: string, source: string): URL =>
  isBuilt ? new URL(`${name}.js`, bundles) : new URL(source, import.meta.url);

export const PROGRAM_FILES = {
  analytics: entry('analytics', './jobs/analytics/entry.ts'),
  worker: entry('worker', './jobs/workers/entry.ts'),
  simulate: entry('simulate', './cli/demo/simulate.ts'),
  /** The keys that updates are signed with, where the program was packed with some. */
  updateKeys: isBuilt ? new URL('../../update-keys.json', bundles) : new URL('../update-keys.json', import.meta.url),
  desk: isBuilt ? new URL('../renderer/', bundles) : new URL('../out/renderer/', import.meta.url),
  /** The app of subjects' phones. */
  phone: isBuilt ? new URL('../phone/', bundles) : new URL('../out/phone/', import.meta.url),
};
