/** Entry of the analytics process: a child of Node, or one of Electron's utility processes. */
import { OutpostError, toOutpostError } from '../../errors.ts';
import { analyse } from './analyse.ts';
import type { FromAnalytics, ToAnalytics } from './contract.ts';

/** What a utility process has in place of `process.send`. */
interface ParentPort {
  postMessage(message: FromAnalytics): void;
  on(event: 'message', listener: (event: { data: ToAnalytics }) => void): void;
}

const parentPort = (process as { parentPort?: ParentPort }).parentPort;
const send = (message: FromAnalytics): void => {
  if (parentPort) parentPort.postMessage(message);
  else process.send?.(message);
};

const cancelled = new Set<number>();
const PROGRESS_EVERY_MS = 200;

async function answer(call: Extract<ToAnalytics, { type: 'call' }>): Promise<void> {
  const { id, method, request } = call;
  let reported = 0;
  try {
    if (method !== 'analyse') throw new OutpostError('NOT_FOUND', `The analytics process has no method called ${String(method)}.`);
    const result = await analyse(request, {
      progress: (done, total, step) => {
        const now = performance.now();
        if (now - reported < PROGRESS_EVERY_MS) return;
        reported = now;
        send({ type: 'progress', id, done, total, step });
      },
      isCancelled: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return cancelled.has(id);
      },
    });
    send({ type: 'result', id, result });
  } catch (thrown) {
    send({ type: 'error', id, error: toOutpostError(thrown).toJSON() });
  } finally {
    cancelled.delete(id);
  }
}

/** One call at a time: each may hold hundreds of megabytes of signal. */
let queue: Promise<void> = Promise.resolve();
const receive = (message: ToAnalytics): void => {
  if (message.type === 'cancel') cancelled.add(message.id);
  else queue = queue.then(() => answer(message));
};

if (parentPort) parentPort.on('message', (event) => receive(event.data));
else {
  process.on('message', (message) => receive(message as ToAnalytics));
  // Without its parent the process has no purpose.
  process.on('disconnect', () => process.exit(0));
}
send({ type: 'ready' });
