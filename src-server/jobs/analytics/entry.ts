/** Entry of the analytics process: a child of Node, or one of Electron's utility processes. */
import { OutpostError, toOutpostError } from '../../errors.ts';
import { yieldToDesk } from '../priority.ts';
import { analyse } from './analyse.ts';
import type { FromAnalytics, ToAnalytics } from './contract.ts';

type Call = Extract<ToAnalytics, { type: 'call' }>;

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

interface OpenCall {
  isCancelled: boolean;
  /** Windows handed over that the site has not stored yet. */
  untaken: number;
  /** Called when one is taken, or the call is cancelled. */
  wake(): void;
}

/** Calls that are not answered yet, by id. */
const open = new Map<number, OpenCall>();
/** The site stores one window while the next is computed. */
const MOST_UNTAKEN = 2;
const PROGRESS_EVERY_MS = 200;

async function answer(call: Call): Promise<void> {
  const { id, request } = call;
  const state = open.get(id);
  let reported = Number.NEGATIVE_INFINITY;
  try {
    const result = await analyse(request, {
      progress: (done, total, step) => {
        const now = performance.now();
        if (now - reported < PROGRESS_EVERY_MS) return;
        reported = now;
        send({ type: 'progress', id, done, total, step });
      },
      reading: (recordingId) => send({ type: 'reading', id, recordingId }),
      window: async (window) => {
        send({ type: 'window', id, window });
        if (!state) return;
        state.untaken++;
        while (state.untaken >= MOST_UNTAKEN && !state.isCancelled) {
          await new Promise<void>((resolve) => {
            state.wake = resolve;
          });
        }
      },
      isCancelled: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return state?.isCancelled ?? true;
      },
    });
    send({ type: 'result', id, result });
  } catch (thrown) {
    send({ type: 'error', id, error: toOutpostError(thrown).toJSON() });
  } finally {
    send({ type: 'reading', id, recordingId: undefined });
    open.delete(id);
  }
}

/** One call at a time: each may hold hundreds of megabytes of signal. */
let queue: Promise<void> = Promise.resolve();

function receive(message: ToAnalytics): void {
  if (message.type === 'ask') send({ type: 'alive' });
  else if (message.type === 'cancel' || message.type === 'taken') {
    const state = open.get(message.id);
    if (!state) return;
    if (message.type === 'cancel') state.isCancelled = true;
    else state.untaken--;
    state.wake();
  } else if (message.method !== 'analyse') {
    const error = new OutpostError(
      'NOT_FOUND',
      `The analytics process has no method called ${String(message.method)}.`,
    );
    send({ type: 'error', id: message.id, error: error.toJSON() });
  } else {
    open.set(message.id, { isCancelled: false, untaken: 0, wake: () => undefined });
    queue = queue.then(() => answer(message));
  }
}

if (parentPort) parentPort.on('message', (event) => receive(event.data));
else {
  process.on('message', (message) => receive(message as ToAnalytics));
  // Without its parent the process has no purpose.
  process.on('disconnect', () => process.exit(0));
}
yieldToDesk();
send({ type: 'ready' });
