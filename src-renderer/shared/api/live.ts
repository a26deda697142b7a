/** Follows `/live` and invalidates what has changed. A burst of changes causes few refreshes. */
import type { QueryClient } from '@tanstack/react-query';
import type { Change } from '../../../src-server/api/contract/index.ts';
import { createStore } from '../store.ts';
import { ChangeBatches } from './change-batches.ts';
import { keysOf, trailKeysOf } from './change-keys.ts';
import { ahead, client } from './client.ts';
import { refreshQueries } from './refresh.ts';
import { changeSessionUser, session } from './session.ts';

export type LiveState = 'connecting' | 'live' | 'lost';

export const liveState = createStore<LiveState>('connecting');

const MIN_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 30_000;

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Whether a change affects the roles of the signed-in user, on which the shown pages and actions depend. */
const isOfOwnRoles = ({ topic, id }: Change): boolean =>
  (topic === 'user' || topic === 'membership') && id !== undefined && id === session.get()?.user.id;

/** Updates the roles in the session, then fetches everything again with the new permissions. */
async function refreshOwnRoles(queries: QueryClient): Promise<void> {
  const userId = session.get()?.user.id;
  if (userId === undefined) return;
  try {
    const { accounts } = await client.call('getUser', { params: { userId } });
    changeSessionUser({ accounts });
  } catch {
    // A disabled user has no session any more; the queries below fail with 401 and end it.
  }
  // Reset instead of invalidate: data that the user may no longer see must not stay on the screen while it is fetched again.
  await queries.resetQueries();
}

/** Runs until `signal` aborts. After a reconnect everything shown is fetched again, since changes may have been missed. */
export async function followLive(queries: QueryClient, signal: AbortSignal): Promise<void> {
  const batches = new ChangeBatches((queryKey) => refreshQueries(queries, queryKey));
  let backOffMs = MIN_BACK_OFF_MS;
  let wasLost = false;
  while (!signal.aborted) {
    try {
      for await (const change of client.live(signal, () => {
        liveState.set('live');
        backOffMs = MIN_BACK_OFF_MS;
        if (wasLost || ahead.mayHaveMissedChanges) refreshQueries(queries);
        wasLost = false;
      })) {
        ahead.dropOfPage();
        if (isOfOwnRoles(change)) {
          void refreshOwnRoles(queries);
          continue;
        }
        batches.add([...keysOf(change), ...trailKeysOf(change)]);
      }
    } catch {
      // The reason does not matter: the status strip shows the loss, and the loop reconnects.
    }
    if (signal.aborted) break;
    wasLost = true;
    liveState.set('lost');
    // A lost connection is the first sign of a stopped server, so the status is checked at once.
    void queries.invalidateQueries({ queryKey: ['status'] });
    await sleep(backOffMs, signal);
    backOffMs = Math.min(MAX_BACK_OFF_MS, backOffMs * 2);
  }
  batches.stop();
}
