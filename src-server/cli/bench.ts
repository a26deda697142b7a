import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OutpostError } from '../errors.ts';

/** `outpost bench`: runs the benchmarks of a source checkout, where the peers they compare with are installed. */
export async function bench(options: { names: string[]; json: boolean }): Promise<number> {
  const runner = fileURLToPath(new URL('../../scripts/bench/main.ts', import.meta.url));
  if (!existsSync(runner)) {
    throw new OutpostError(
      'NOT_FOUND',
      'Benchmarks are only part of a source checkout. Run them there with `npm run bench`.',
    );
  }
  const child = spawn(process.execPath, [runner, ...options.names, ...(options.json ? ['--json'] : [])], {
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
