/** The event log of a study. */

import type { EventRecord } from '../../db/index.ts';
import { DAY_MS } from '../../durations.ts';
import { shownEvent } from '../../study/events.ts';
import type { eventRoutes } from '../contract/resources/events.ts';
import type { ApiDeps } from '../deps.ts';
import { invalidField } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';
import { type PagedList, readListPage } from '../framework/paging.ts';
import { liveHandler } from './live.ts';

const EVENT_WINDOW_MS = DAY_MS;

/** Returns the inclusive window of reportedTs. @throws INVALID_INPUT when it is reversed or longer than 24 hours */
export function eventWindow(
  from: number | undefined,
  to: number | undefined,
  nowMs: number,
): { from: number; to: number } {
  if (from !== undefined && to !== undefined) {
    if (from > to) throw invalidField('from', 'must not be after `to`');
    if (to - from > EVENT_WINDOW_MS) throw invalidField('to', 'must be at most 24 hours after `from`');
    return { from, to };
  }
  if (from !== undefined) return { from, to: from + EVENT_WINDOW_MS };
  const end = to ?? nowMs;
  return { from: end - EVENT_WINDOW_MS, to: end };
}

function pagesOf(newest: boolean | undefined): PagedList<EventRecord> {
  return {
    name: newest ? 'events-newest' : 'events',
    key: ['number', 'number'],
    keyOf: ({ reportedTs, sequence }) => [reportedTs, sequence],
  };
}

export function eventHandlers(deps: ApiDeps): Handlers<typeof eventRoutes> {
  return {
    listEvents: async ({ params, query, request }) => {
      const { from, to } = eventWindow(query.from, query.to, deps.clock());
      const { rows, links } = await readListPage(
        request,
        pagesOf(query.newest),
        query,
        (keyset) => deps.store.events.list(params.studyId, from, to, { keyset, isDescending: query.newest }),
        (sequence) => deps.store.events.keyOf(params.studyId, Number(sequence)),
      );
      return { items: rows.map(shownEvent), size: rows.length, ...links };
    },
    live: liveHandler(deps),
  };
}
