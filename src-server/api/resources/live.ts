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
/** Cached callers: more than desks open at the same time. */
const CACHED_CALLERS = 200;
/** A reader with more unread bytes is disconnected; it reconnects and refetches everything. */
const MAX_PENDING_BYTES = 256 * 1024;

/** Topics of a user's own roles, after which the desk refetches everything. */
const OWN_TOPICS: ReadonlySet<string> = new Set(['user', 'membership']);

/** Returns the part of a change that the caller's current roles allow; outside a study that is the topic alone. */
async function visiblePart(
  deps: ApiDeps,
  caller: Caller,
  committed: Omit<CommittedChange, 'action'>,
): Promise<Change | undefined> {
  const { entityType: topic, entityId: id, studyId, subjectId } = committed;
  // Omits the study: a removed member may no longer see it, but must still learn of the change.
  if (OWN_TOPICS.has(topic) && id === caller.user.id) return { topic, id };
  if (!studyId) return { topic };
  if (!(await mayReadStudy(deps, caller, studyId))) return undefined;
  return { topic, id, studyId, ...(subjectId ? { subjectId } : {}) };
}

/**
 * Streams changes of the account until the reader disconnects or its credentials expire. The caller and its roles are checked
 * for every change, because the stream outlives them.
 */
export function liveHandler(deps: ApiDeps): Handler<(typeof eventRoutes)['live']> {
  const callers: KnownCallers = new ResponseCache(deps.store, CACHED_CALLERS);
  return ({ request, response }) => {
    response.status(200);
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.setHeader('x-accel-buffering', 'no');
    response.flushHeaders();
    response.write(': connected\n\n');

    const end = () => response.end();
    const send = (committed: Omit<CommittedChange, 'action'>) => {
      const visible = async () => await visiblePart(deps, await authenticate(deps, request, callers), committed);
      visible().then((change) => {
        if (!change) return;
        if (response.writableLength > MAX_PENDING_BYTES) response.destroy();
        else if (response.writable) response.write(`event: change\ndata: ${JSON.stringify(change)}\n\n`);
      }, end);
    };
    const unsubscribe = deps.store.subscribe(send);
    const onJob = ({ id, payload }: JobRow) => {
      const place: { studyId?: string; subjectId?: string } = payload;
      send({ entityType: 'job', entityId: id, studyId: place.studyId, subjectId: place.subjectId });
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
