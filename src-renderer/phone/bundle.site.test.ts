/** Holds the size of what a phone loads first. It builds the app in memory, so it needs no build on disk. */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { expect, it, vi } from 'vitest';

const MOST_BYTES = 112_000;

const gzipBytes = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).length;

it('loads at most 112 kB, compressed, before its first screen', async () => {
  // Otherwise the build takes over the mode of the test, and React its checks for developers.
  vi.stubEnv('NODE_ENV', 'production');
  const built = await build({
    configFile: fileURLToPath(new URL('../../phone.vite.config.ts', import.meta.url)),
    mode: 'measure',
    logLevel: 'silent',
    build: { write: false, sourcemap: false },
  });
  const output = ([built].flat() as Rolldown.RolldownOutput[]).flatMap((part) => part.output);
  const page = output.find(({ fileName }) => fileName === 'index.html');
  expect(page?.type).toBe('asset');
  const first = new Set<string>();
  const add = (fileName: string): void => {
    const chunk = output.find((file) => file.fileName === fileName);
    if (first.has(fileName) || !chunk) return;
    first.add(fileName);
    if (chunk.type === 'chunk')
      for (const name of [...chunk.imports, ...(chunk.viteMetadata?.importedCss ?? [])]) add(name);
  };
  for (const file of output) if (file.type === 'chunk' && file.isEntry) add(file.fileName);
  // The words of one language come before the first screen too; Japanese is the longer one.
  const words = output.find((file) => file.type === 'chunk' && file.facadeModuleId?.endsWith('/phone/words/ja.ts'));
  expect(words).toBeDefined();
  add(words?.fileName ?? '');
  const sizes = [...first, 'index.html'].map((fileName) => {
    const file = output.find((one) => one.fileName === fileName)!;
    return gzipBytes(file.type === 'chunk' ? file.code : file.source);
  });
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(50_000);
  expect(total, `${total} bytes`).toBeLessThanOrEqual(MOST_BYTES);
});
