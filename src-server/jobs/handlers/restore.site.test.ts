import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OutpostError } from '../../errors.ts';
import { newSiteFile, writeSiteFile } from '../../integrity/site-file.ts';
import { openTestEngine } from '../../testing/test-engine.ts';
import type { WorkerPool } from '../workers/pool.ts';

/** Begins to write, and ends when it is cancelled. */
const endlessRestore = (began: (to: string) => void) =>
  ({
    run: (_task: string, { to }: { to: string }, { signal }: { signal: AbortSignal }) => {
      mkdirSync(to);
      writeFileSync(join(to, 'site.db'), 'half');
      began(to);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new OutpostError('CANCELLED', 'The work was cancelled.')));
      });
    },
    close: () => Promise.resolve(),
  }) as unknown as WorkerPool;

it('removes what a cancelled restore wrote', async () => {
  const began = Promise.withResolvers<string>();
  const engine = await openTestEngine({ workers: endlessRestore(began.resolve) });
  try {
    await writeSiteFile(engine.folder, newSiteFile('Test', 0));
    const folder = join(engine.folder, '..', `${Date.now()}-restored`);
    const backup = { id: '20260101T000000Z-00000000', directory: 'backups' };
    const job = await engine.queue.enqueue('restore', { backup, folder });
    const unfinished = await began.promise;
    expect(existsSync(unfinished)).toBe(true);
    expect(await engine.queue.cancel(job.id)).toBe(true);
    expect((await engine.queue.get(job.id))?.state).toBe('cancelled');
    expect([unfinished, folder].filter((path) => existsSync(path))).toEqual([]);
  } finally {
    await engine.close();
  }
});
