/** Filters of the desk's tables that people named: their own, and those that are shared with the members of a study. */
import { z } from 'zod';
import {
  FILTER_TABLES,
  LONGEST_FILTER_NAME,
  LONGEST_FILTER_VALUE,
  MOST_FILTER_VALUES,
  MOST_FILTERS,
} from '../../../vocabulary/saved-filters.ts';
import { id, idParams, listOf, nameText, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const table = z.enum(FILTER_TABLES).meta({ description: 'The table of the desk that it filters.' });
const search = z
  .record(z.string().regex(/^[a-zA-Z]{1,30}$/), z.string().min(1).max(LONGEST_FILTER_VALUE))
  .refine((values) => Object.keys(values).length <= MOST_FILTER_VALUES, {
    error: `must have ${MOST_FILTER_VALUES} values at most`,
  })
  .refine((values) => Object.keys(values).length > 0, { error: 'must have at least one value' })
  .meta({ description: "What is chosen, by the parameters of the desk's address. Records are named by their ids." });

const savedFilter = z
  .strictObject({
    id,
    table,
    studyId: id.optional().meta({ description: 'Of the table, where that is of one study.' }),
    displayName: z.string(),
    search,
    sharedStudyId: id.optional().meta({ description: 'The study whose members see it, too. Absent: it is private.' }),
    owner: z.strictObject({ id, displayName: z.string() }),
    createdTs: timestamp,
    modifiedTs: timestamp,
  })
  .meta({ id: 'SavedFilter' });
export type SavedFilter = z.infer<typeof savedFilter>;

const filterParams = z.object({ accountId: id, filterId: z.uuid() });

export const savedFilterRoutes = defineRoutes({
  listSavedFilters: {
    method: 'GET',
    path: '/accounts/{accountId}/saved_filters',
    access: 'user',
    tag: 'Saved filters',
    summary: 'List saved filters',
    description:
      'Private ones of the caller, and those that are shared with a study that the caller may read. Private filters of others are never listed, nor is what the caller shared with a study that they left. Names of groups and subjects are not part of a filter.',
    order: ['displayName', 'id'],
    params: idParams.account,
    query: z.object({
      table: table.optional(),
      studyId: id.optional().meta({ description: 'Only filters of the tables of this study.' }),
    }),
    status: 200,
    response: listOf(savedFilter),
  },
  putSavedFilter: {
    method: 'PUT',
    path: '/accounts/{accountId}/saved_filters/{filterId}',
    access: 'user',
    tag: 'Saved filters',
    summary: 'Save a filter',
    description: `Stores it, renames it or replaces what it chooses. Idempotent: the caller makes the id. Sharing with a study, and changing what is shared, needs the role ADMIN or COORDINATOR there; only the owner makes it private again. One person keeps ${MOST_FILTERS} at most, and as many are shared with one study. Shared filters are in the audit trail; private ones are not, because they change nothing that others see.`,
    params: filterParams,
    body: z.object({
      table,
      studyId: id.optional(),
      displayName: nameText(LONGEST_FILTER_NAME),
      search,
      sharedStudyId: id.optional(),
    }),
    status: 204,
  },
  deleteSavedFilter: {
    method: 'DELETE',
    path: '/accounts/{accountId}/saved_filters/{filterId}',
    access: 'user',
    tag: 'Saved filters',
    summary: 'Delete a saved filter',
    description:
      'One of the own, or a shared one by an ADMIN or COORDINATOR of its study. A filter that the caller does not see stays. Idempotent.',
    params: filterParams,
    status: 204,
  },
});
