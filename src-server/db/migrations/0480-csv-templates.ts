import type { Migration } from './types.ts';

/** Mappings of delimited texts that a study keeps, as part of its definition. Definitions stored before have none. */
export const csvTemplates: Migration = {
  version: 480,
  name: 'csv-templates',
  sql: `
ALTER TABLE study ADD COLUMN csvTemplates TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(csvTemplates));
`,
};
