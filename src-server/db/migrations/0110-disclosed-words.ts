import type { Migration } from './types.ts';

/**
 * What a de-identified export was asked to hold beyond the rule (JSON: names of fields, words of the definition or not).
 * Null for exports that name their subjects, and for de-identified ones made by an older rule, whose codes and times do not
 * fit those of today.
 */
export const disclosedWords: Migration = {
  version: 110,
  name: 'disclosed-words',
  sql: `
ALTER TABLE studyExport ADD COLUMN disclosedWords TEXT CHECK (disclosedWords IS NULL OR json_valid(disclosedWords));
`,
};
