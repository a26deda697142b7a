import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

/** The strap made in software, as one script for a page. */
export async function strapScript(): Promise<string> {
  const entry = join(import.meta.dirname, 'strap-in-page.ts');
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, lib: { entry, formats: ['iife'], name: 'strapInPage' } },
  });
  return (built as Rolldown.RolldownOutput[])[0]!.output[0].code;
}
