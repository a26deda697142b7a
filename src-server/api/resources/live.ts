/** Live changes as server-sent events, read by the desk with fetch and its Authorization header. */
import type { CommittedChange } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
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

/** Streams of one user: a window of the desk has one, and nobody works in so many windows. */
const MOST_OF_USER = 32;
/** Streams of the site. Each asks for its caller with every change and heartbeat. */
const MOST_STREAMS = 256;
const RETRY_AFTER_SECONDS = 30;

/** Counts the open streams, so that a program that opens one after another costs the others nothing. */
class OpenStreams {
  readonly #ofUser = new Map<string, number>();
  #count = 0;

  /** Returns what gives the place back. @throws THROTTLED */
  take(userId: string): () => void {
    const ofUser = this.#ofUser.get(userId) ?? 0;
    if (ofUser >= MOST_OF_USER || this.#count >= MOST_STREAMS) {
      throw new OutpostError(
        'THROTTLED',
        `${ofUser >= MOST_OF_USER ? 'You follow' : 'This site sends'} live changes in too many windows or programs at once. Close some of them, then try again.`,
        { details: { retryAfterSeconds: RETRY_AFTER_SECONDS } },
      );
    }
    this.#ofUser.set(userId, ofUser + 1);
    this.#count += 1;
    return () => {
      const left = (this.#ofUser.get(userId) ?? 1) - 1;
      if (left > 0) this.#ofUser.set(userId, left);
      else this.#ofUser.delete(userId);
      this.#count -= 1;
    };
  }
}

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
  const streams = new OpenStreams();
  return ({ caller, request, response }) => {
    const release = streams.take(caller.user.id);
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
      release();
      clearInterval(heartbeat);
      unsubscribe();
      deps.jobs.off('changed', onJob);
    });
    return SENT;
  };
}
