import type { Migration } from './types.ts';

/** What a question asks beyond its text, type and choices, and the unit of an answer as it was then. Earlier rows have neither. */
export const questionOptions: Migration = {
  version: 620,
  name: 'question-options',
  sql: `
ALTER TABLE question ADD COLUMN options TEXT CHECK (json_valid(options));
ALTER TABLE annotation ADD COLUMN unit TEXT;
`,
};
