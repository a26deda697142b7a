import type { Migration } from './types.ts';

/**
 * Filters of tables that people named. `studyId` is that of the table, `sharedStudyId` that whose members see the filter, too. Whatever else
 * a filter names is an id in `search`, so that it outlives a group or subject that is deleted.
 */
export const savedFilters: Migration = {
  version: 690,
  name: 'saved-filters',
  sql: `
CREATE TABLE savedFilter (
  id TEXT PRIMARY KEY,
  userId TEXT NOT NULL REFERENCES user (id),
  tableName TEXT NOT NULL,
  studyId TEXT REFERENCES study (id),
  displayName TEXT NOT NULL,
  search TEXT NOT NULL CHECK (json_valid(search)),
  sharedStudyId TEXT REFERENCES study (id),
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL
) STRICT;
CREATE INDEX savedFilterByUser ON savedFilter (userId, tableName);
CREATE INDEX savedFilterBySharedStudy ON savedFilter (sharedStudyId, tableName) WHERE sharedStudyId IS NOT NULL;
`,
};
