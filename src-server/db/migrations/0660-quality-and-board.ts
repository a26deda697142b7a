import type { Migration } from './types.ts';

/** The targets of the data-quality report, null for the defaults, and the board that the people of a study share. */
export const qualityAndBoard: Migration = {
  version: 660,
  name: 'quality-and-board',
  sql: `
ALTER TABLE study ADD COLUMN qualityTargets TEXT CHECK (json_valid(qualityTargets));
CREATE TABLE studyBoard (
  studyId TEXT PRIMARY KEY REFERENCES study (id),
  content TEXT NOT NULL CHECK (json_valid(content)),
  savedBy TEXT NOT NULL REFERENCES user (id),
  savedTs INTEGER NOT NULL
) STRICT;
`,
};
