import type { Migration } from './types.ts';

/** The files of a recording that was taken as a set, so that one which arrives later is seen as such. */
export const transferFiles: Migration = {
  version: 540,
  name: 'transfer-files',
  sql: `
ALTER TABLE transfer ADD COLUMN files TEXT CHECK (files IS NULL OR json_valid(files));
CREATE INDEX transferByName ON transfer (displayName);
`,
};
