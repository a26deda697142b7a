/** Live changes as server-sent events, read by the desk with fetch and its Authorization header. */
import type { CommittedChange } from '../../db/index.ts';
import type { JobRow } from '../../study/jobs.ts';
import type { Change } from '../contract/index.ts';
import type { eventRoutes } from '../contract/resources/events.ts';
import type { ApiDeps } from '../deps.ts';
import { authenticate, type Caller, type KnownCallers } from '../framework/authenticate.ts';
import { mayReadStudy } from '../framework/authorize.ts';
import { type Handler, SENT } from '../framework/mount.ts';
import { ResponseCache } from '../framework/response-cache.ts';

const HEARTBEAT_MS = 15_000;
/** Desks that are open at once. */
const KEPT_CALLERS = 200;
/** A reader that does not read is cut off; it connects again and fetches everything anew. */
const MAX_PENDING_BYTES = 256 * 1024;

/** Changes of a person's own roles: their desk has to fetch anew what it may show. */
const OWN_TOPICS: ReadonlySet<string> = new Set(['user', 'membership']);

/** What the caller may hear of a change by the roles of this moment; outside any study that is its topic alone. */
async function visiblePart(
  deps: ApiDeps,
  caller: Caller,
  committed: Omit<CommittedChange, 'action'>,
): Promise<Change | undefined> {
  const { entityType: topic, entityId: id, studyId, subjectId } = committed;
  // Without the study: who was removed from it may not see it any more, and has to hear of it all the same.
  if (OWN_TOPICS.has(topic) && id === caller.user.id) return { topic, id };
  if (!studyId) return { topic };
  if (!(await mayReadStudy(deps, caller, studyId))) return undefined;
  return { topic, id, studyId, ...(subjectId ? { subjectId } : {}) };
}

/**
 * Follows the account's changes until the reader leaves or its credentials end. Who the reader is, and in which role, is asked
 * anew for every change: a stream outlives many of them.
 */
export function liveHandler(deps: ApiDeps): Handler<(typeof eventRoutes)['live']> {
  const callers: KnownCallers = new ResponseCache(deps.store, KEPT_CALLERS);
  return ({ request, response }) => {
    response.status(200);
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.setHeader('x-accel-buffering', 'no');
    response.flushHeaders();
    response.write(': connected\n\n');

    const end = () => response.end();
    const tell = (committed: Omit<CommittedChange, 'action'>) => {
      const visible = async () => await visiblePart(deps, await authenticate(deps, request, callers), committed);
      visible().then((change) => {
        if (!change) return;
        if (response.writableLength > MAX_PENDING_BYTES) response.destroy();
        else if (response.writable) response.write(`event: change\ndata: ${JSON.stringify(change)}\n\n`);
      }, end);
    };
    const unsubscribe = deps.store.subscribe(tell);
    const onJob = ({ id, payload }: JobRow) => {
      const place: { studyId?: string; subjectId?: string } = payload;
      tell({ entityType: 'job', entityId: id, studyId: place.studyId, subjectId: place.subjectId });
    };
    deps.jobs.on('changed', onJob);
    const heartbeat = setInterval(() => {
      authenticate(deps, request).then(() => response.writable && response.write(': alive\n\n'), end);
    }, HEARTBEAT_MS);
    response.once('close', () => {
      clearInterval(heartbeat);
      unsubscribe();
      deps.jobs.off('changed', onJob);
    });
    return SENT;
  };
}
