/** A server as the work of an activity: it is used by a program beside it, until the use ends or the server does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startServerProcess } from '../test-site.ts';
import { type Interruption, KILL_HOOK, type WorkEnd } from './activity.ts';

/** @param use resolves when everything is sent, or when the server or its disk is gone */
export async function whileServing(
  dir: string,
  { environment = {}, killAfterMs }: Interruption,
  use: (url: string) => Promise<void>,
): Promise<WorkEnd> {
  const options = { nodeArguments: ['--import', KILL_HOOK], environment };
  const server = await startServerProcess(dir, options).catch(() => undefined);
  // The moment may come while the site opens, before it serves.
  if (!server) return { wasKilled: true, durationMs: 0 };
  const startMs = performance.now();
  if (killAfterMs !== undefined) void sleep(killAfterMs).then(server.kill);
  await use(server.url);
  const durationMs = performance.now() - startMs;
  const code = server.child.signalCode === 'SIGKILL' ? null : await server.stop();
  return { wasKilled: code === null, durationMs };
}
