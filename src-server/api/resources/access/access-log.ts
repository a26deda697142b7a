/** The access log, with names in place of ids. */
import type { Response } from 'express';
import { csvRow } from '../../../csv-row.ts';
import type { AccessFilter, AccessRecord } from '../../../db/index.ts';
import type { AccessEntry } from '../../contract/index.ts';
import type { accessLogRoutes } from '../../contract/resources/access-log.ts';
import type { QueryOf } from '../../contract/route.ts';
import type { ApiDeps } from '../../deps.ts';
import { invalidField } from '../../framework/errors.ts';
import { type Handlers, SENT, type Sent } from '../../framework/mount.ts';

const PAGE = 100;
const CSV_SLICE = 500;

type Selection = QueryOf<(typeof accessLogRoutes)['exportStudyAccess']>;
type Place = Pick<AccessFilter, 'accountId' | 'studyId'>;

function filterOf({ from, to, ...rest }: Selection): Omit<AccessFilter, 'limit'> {
  if (from !== undefined && to !== undefined && from > to) throw invalidField('from', 'must not be after `to`');
  return { ...rest, ...(from !== undefined && { fromTs: from }), ...(to !== undefined && { toTs: to }) };
}

export function accessLogHandlers(deps: ApiDeps): Handlers<typeof accessLogRoutes> {
  const { store, accessLog } = deps;

  async function shown(rows: readonly AccessRecord[]): Promise<AccessEntry[]> {
    const userIds = new Set(rows.flatMap(({ userId, byUserId }) => [userId ?? [], byUserId ?? []].flat()));
    const users = await store.users.namesOf([...userIds]);
    const places = await store.accessLog.placeNames(rows);
    const named = (id: string | undefined, names: ReadonlyMap<string, string>) => {
      if (id === undefined) return undefined;
      const displayName = names.get(id);
      return { id, ...(displayName !== undefined && { displayName }) };
    };
    return rows.map(({ accountId: _, userId, byUserId, studyId, subjectId, ...entry }) => {
      const [user, by] = [named(userId, users), named(byUserId, users)];
      const [study, subject] = [named(studyId, places), named(subjectId, places)];
      return {
        ...entry,
        ...(user && { user }),
        ...(by && { by }),
        ...(study && { study }),
        ...(subject && { subject }),
      };
    });
  }

  async function page(path: string, place: Place, query: QueryOf<(typeof accessLogRoutes)['listStudyAccess']>) {
    const { before, limit = PAGE, ...selection } = query;
    // What was just done is in the list.
    await accessLog.flush();
    const rows = await store.accessLog.list({
      ...filterOf(selection),
      ...place,
      ...(before !== undefined && { beforeSequence: before }),
      limit: limit + 1,
    });
    const kept = rows.slice(0, limit);
    const next = new URLSearchParams(
      Object.entries({ ...query, limit, before: kept.at(-1)?.sequence })
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    );
    return {
      items: await shown(kept),
      size: kept.length,
      ...(rows.length > limit && { links: [{ href: `/v1${path}?${next}`, rel: 'next' }] }),
    };
  }

  /** In slices, so that a log of any length is sent in little memory. */
  async function sendCsv(response: Response, place: Place, selection: Selection): Promise<Sent> {
    const filter = { ...filterOf(selection), ...place };
    await accessLog.flush();
    response.status(200).type('text/csv').attachment('access-log.csv');
    response.write(csvRow(COLUMNS.map(([name]) => name)));
    let beforeSequence: number | undefined;
    for (;;) {
      const rows = await store.accessLog.list({
        ...filter,
        ...(beforeSequence !== undefined && { beforeSequence }),
        limit: CSV_SLICE,
      });
      const text = (await shown(rows)).map((entry) => csvRow(COLUMNS.map(([, cellOf]) => cellOf(entry)))).join('');
      if (!response.write(text) && !response.destroyed) await drained(response);
      if (rows.length < CSV_SLICE || response.destroyed) break;
      beforeSequence = rows.at(-1)!.sequence;
    }
    response.end();
    return SENT;
  }

  return {
    listAccountAccess: ({ params: { accountId }, query }) =>
      page(`/accounts/${accountId}/access`, { accountId }, query),
    listStudyAccess: ({ params: { studyId }, query }) => page(`/studies/${studyId}/access`, { studyId }, query),
    exportAccountAccess: ({ params: { accountId }, query, response }) => sendCsv(response, { accountId }, query),
    exportStudyAccess: ({ params: { studyId }, query, response }) => sendCsv(response, { studyId }, query),
  };
}

const drained = (response: Response): Promise<void> =>
  new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });

const COLUMNS: readonly (readonly [string, (entry: AccessEntry) => string | number | undefined])[] = [
  ['SEQUENCE', ({ sequence }) => sequence],
  ['FIRST (UTC)', ({ timeTs }) => new Date(timeTs).toISOString()],
  ['LAST (UTC)', ({ lastTs }) => new Date(lastTs).toISOString()],
  ['COUNT', ({ count }) => count],
  ['KIND', ({ kind }) => kind],
  ['DETAIL', ({ detail }) => detail],
  ['USER', ({ user }) => user?.displayName],
  ['USER_ID', ({ user }) => user?.id],
  ['BY', ({ by }) => by?.displayName],
  ['BY_ID', ({ by }) => by?.id],
  ['UNKNOWN_NAME_HASH', ({ nameHash }) => nameHash],
  ['STUDY', ({ study }) => study?.displayName],
  ['STUDY_ID', ({ study }) => study?.id],
  ['SUBJECT', ({ subject }) => subject?.displayName],
  ['SUBJECT_ID', ({ subject }) => subject?.id],
  ['ADDRESS', ({ address }) => address],
];
