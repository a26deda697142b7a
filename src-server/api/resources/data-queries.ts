/** Data queries and their steps. */
import type { DataQueryRecord } from '../../db/index.ts';
import type { Operation } from '../../study/permissions.ts';
import { requireQueryPerson } from '../../study/queries.ts';
import type { DataQuery } from '../contract/index.ts';
import type { dataQueryRoutes } from '../contract/resources/data-queries.ts';
import type { ApiDeps } from '../deps.ts';
import { type Caller, changeBy } from '../framework/authenticate.ts';
import { allowedPlaces } from '../framework/authorize.ts';
import type { Handlers } from '../framework/mount.ts';
import { type PagedList, readListPage } from '../framework/paging.ts';

const pagesOf = (isNewest: boolean | undefined): PagedList<DataQueryRecord> => ({
  name: isNewest ? 'queries-newest' : 'queries',
  key: ['number', 'string'],
  keyOf: ({ openedTs, id }) => [openedTs, id],
});

export function dataQueryHandlers(deps: ApiDeps): Handlers<typeof dataQueryRoutes> {
  const { dataQueries, subjects, users } = deps.store;

  /** A page with steps and names: three queries however long it is. */
  async function shown(rows: readonly DataQueryRecord[]): Promise<DataQuery[]> {
    const steps = await dataQueries.stepsOf(rows.map(({ id }) => id));
    const people = new Set<string>();
    for (const { openedBy, assigneeId } of rows) for (const id of [openedBy, assigneeId]) if (id) people.add(id);
    for (const { authorId, assigneeId } of [...steps.values()].flat())
      for (const id of [authorId, assigneeId]) if (id) people.add(id);
    const names = await users.namesOf([...people]);
    const subjectNames = await subjects.namesOf([...new Set(rows.map(({ subjectId }) => subjectId))]);
    const person = (id: string) => ({ id, displayName: names.get(id) ?? '' });
    return rows.map(({ openedBy, assigneeId, lastStepId: _, ...row }) => ({
      ...(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as typeof row),
      subjectName: subjectNames.get(row.subjectId) ?? '',
      openedBy: person(openedBy),
      ...(assigneeId !== undefined && { assignee: person(assigneeId) }),
      steps: (steps.get(row.id) ?? []).map((step) => ({
        id: step.id,
        kind: step.kind,
        state: step.state,
        text: step.text,
        author: person(step.authorId),
        createdTs: step.createdTs,
        ...(step.assigneeId !== undefined && { assignee: person(step.assigneeId) }),
      })),
    }));
  }

  const may = async (caller: Caller, operation: Operation, studyId: string) =>
    (await allowedPlaces(deps, caller, operation))({ studyId });

  return {
    listQueries: async ({ params: { studyId }, query, request }) => {
      const { subjectId, state, assigneeId, newest } = query;
      if (subjectId !== undefined) await subjects.require(subjectId, studyId);
      const { rows, links } = await readListPage(request, pagesOf(newest), query, (keyset) =>
        dataQueries.page({ studyId, subjectId, state, assigneeId }, keyset, newest),
      );
      return { items: await shown(rows), size: rows.length, ...links };
    },
    listSubjectQueries: async ({ params, query, request }) => {
      const { state, assigneeId, newest } = query;
      const { rows, links } = await readListPage(request, pagesOf(newest), query, (keyset) =>
        dataQueries.page({ ...params, state, assigneeId }, keyset, newest),
      );
      return { items: await shown(rows), size: rows.length, ...links };
    },
    countQueries: async ({ params: { studyId } }) => {
      const rows = await dataQueries.counts([studyId]);
      const names = await subjects.namesOf(rows.map(({ subjectId }) => subjectId));
      const sum = (of: 'open' | 'answered') => rows.reduce((all, row) => all + row[of], 0);
      return {
        openCount: sum('open'),
        answeredCount: sum('answered'),
        ...(rows.length > 0 && { oldestTs: Math.min(...rows.map(({ oldestTs }) => oldestTs)) }),
        subjects: rows.map(({ subjectId, open, answered, oldestTs }) => ({
          subjectId,
          subjectName: names.get(subjectId) ?? '',
          openCount: open,
          answeredCount: answered,
          oldestTs,
        })),
      };
    },
    openQuery: async ({ params, body, caller }) => {
      const { id } = await dataQueries.open({ ...body, ...params }, changeBy(caller));
      return { id, links: [{ href: `/v1/studies/${params.studyId}/queries/${id}`, rel: 'self' }] };
    },
    getQuery: async ({ params: { studyId, queryId } }) => {
      const [query] = await shown([await dataQueries.require(queryId, studyId)]);
      return query!;
    },
    addQueryStep: async ({ params: { studyId, queryId }, body, caller }) => {
      const query = await dataQueries.require(queryId, studyId);
      const { id: userId } = caller.user;
      requireQueryPerson(body.kind, {
        isOpener: query.openedBy === userId,
        isAssignee: query.assigneeId === userId,
        mayAnswer: await may(caller, 'query.answer', studyId),
        mayResolve: await may(caller, 'query.resolve', studyId),
      });
      await dataQueries.addStep(query, body, changeBy(caller));
    },
  };
}
