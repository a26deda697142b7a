/** Follows `/live` and refreshes what changed. Changes are gathered for a moment, so that a burst is one refresh. */
import type { QueryClient } from '@tanstack/react-query';
import type { Change } from '../../../src-server/api/contract/index.ts';
import { createStore } from '../store.ts';
import { keysOf, trailKeysOf } from './change-keys.ts';
import { client } from './client.ts';
import { changeSessionUser, session } from './session.ts';

export type LiveState = 'connecting' | 'live' | 'lost';

export const liveState = createStore<LiveState>('connecting');

const GATHER_MS = 400;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** A change of the signed-in person's own roles, by which other things are shown and offered. */
const isOfOwnRoles = ({ topic, id }: Change): boolean =>
  (topic === 'user' || topic === 'membership') && id !== undefined && id === session.get()?.user.id;

/** Takes over the role that the site goes by now, then fetches anew what the person may see with it. */
async function refreshOwnRoles(queries: QueryClient): Promise<void> {
  const userId = session.get()?.user.id;
  if (userId === undefined) return;
  try {
    const { accounts } = await client.call('getUser', { params: { userId } });
    changeSessionUser({ accounts });
  } catch {
    // A disabled user has no session any more, which the answers to the queries tell.
  }
  // Answers of a study that was closed to the person must not stay on the screen while its address is asked again.
  await queries.resetQueries();
}

/** Runs until `signal` aborts. After a cut everything shown is fetched anew, since changes may have been missed. */
export async function followLive(queries: QueryClient, signal: AbortSignal): Promise<void> {
  let gathered = new Map<string, string[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    for (const queryKey of gathered.values()) void queries.invalidateQueries({ queryKey });
    gathered = new Map();
    timer = undefined;
  };
  let retryMs = FIRST_RETRY_MS;
  let wasLost = false;
  while (!signal.aborted) {
    try {
      for await (const change of client.live(signal, () => {
        liveState.set('live');
        retryMs = FIRST_RETRY_MS;
        if (wasLost) void queries.invalidateQueries();
        wasLost = false;
      })) {
        if (isOfOwnRoles(change)) {
          void refreshOwnRoles(queries);
          continue;
        }
        for (const key of [...keysOf(change), ...trailKeysOf(change)]) gathered.set(key.join(' '), key);
        timer ??= setTimeout(flush, GATHER_MS);
      }
    } catch {
      // Why it ended does not matter: the status strip shows that it did, and the loop connects again.
    }
    if (signal.aborted) break;
    wasLost = true;
    liveState.set('lost');
    // A cut connection is the first sign of a stopped server: the strip should not wait for its next turn.
    void queries.invalidateQueries({ queryKey: ['status'] });
    await sleep(retryMs, signal);
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2);
  }
  clearTimeout(timer);
}
