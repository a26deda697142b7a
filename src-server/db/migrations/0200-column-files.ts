import type { Migration } from './types.ts';

/**
 * Second columns are in files of the folder `columns`, which a window names by hash and size. A blob of 0.5 MB per subject and
 * day made every copy of the database as large as the signals. The blobs of existing rows are moved afterwards, outside this
 * step (`site/move-columns.ts`): until then a row without a hash has its columns in itself.
 */
export const columnFiles: Migration = {
  version: 200,
  name: 'column-files',
  sql: `
ALTER TABLE analyticsWindow ADD COLUMN columnsSha256 TEXT;
ALTER TABLE analyticsWindow ADD COLUMN columnsBytes INTEGER;
CREATE INDEX analyticsWindowByColumns ON analyticsWindow (columnsSha256, columnsBytes) WHERE columnsSha256 IS NOT NULL;
CREATE INDEX analyticsWindowWithColumns ON analyticsWindow (subjectId, date) WHERE columnsSha256 IS NULL;

-- Files that no row names any more, and since when: a running export or backup may still read them.
CREATE TABLE unusedColumns (
  sha256 TEXT PRIMARY KEY,
  sinceTs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
};
