/** Saved filters of the caller, and those that are shared with a study of theirs. */
import type { savedFilterRoutes } from '../contract/resources/saved-filters.ts';
import type { ApiDeps } from '../deps.ts';
import { type Caller, changeBy } from '../framework/authenticate.ts';
import { allowedPlaces, readableStudies } from '../framework/authorize.ts';
import { notFound } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';

export function savedFilterHandlers(deps: ApiDeps): Handlers<typeof savedFilterRoutes> {
  const { savedFilters, users } = deps.store;

  /** What the caller may do in the studies that they may read. */
  async function studiesOf(caller: Caller) {
    const readable = new Set((await readableStudies(deps, caller)).map(({ id }) => id));
    const isManaged = await allowedPlaces(deps, caller, 'study.update');
    const read = (studyId: string) => readable.has(studyId);
    return { read, manage: (studyId: string) => read(studyId) && isManaged({ studyId }), readable: [...readable] };
  }

  return {
    listSavedFilters: async ({ query: { table, studyId }, caller }) => {
      const { readable } = await studiesOf(caller);
      const filters = await savedFilters.seenBy(caller.user.id, readable, { table, studyId });
      const names = await users.namesOf([...new Set(filters.map(({ userId }) => userId))]);
      const items = filters.map(({ userId, tableName, ...filter }) => ({
        ...filter,
        table: tableName,
        owner: { id: userId, displayName: names.get(userId) ?? '' },
      }));
      return { items, size: items.length };
    },
    putSavedFilter: async ({ params: { filterId }, body: { table, ...filter }, caller }) => {
      const may = await studiesOf(caller);
      for (const studyId of [filter.studyId, filter.sharedStudyId])
        if (studyId !== undefined && !may.read(studyId)) throw notFound('study');
      await savedFilters.save({ id: filterId, tableName: table, ...filter }, may, changeBy(caller));
    },
    deleteSavedFilter: async ({ params: { filterId }, caller }) => {
      await savedFilters.remove(filterId, caller.user.id, await studiesOf(caller), changeBy(caller));
    },
  };
}
