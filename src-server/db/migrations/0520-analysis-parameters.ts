import type { Migration } from './types.ts';

/**
 * What a study chose about its analysis, and with what each window and day was computed: null stands for the defaults, which is what
 * all rows before were computed with. The rules that applied to acceleration are kept per day from now on.
 */
export const analysisParameters: Migration = {
  version: 520,
  name: 'analysis-parameters',
  sql: `
ALTER TABLE study ADD COLUMN analysisParameters TEXT CHECK (json_valid(analysisParameters));
ALTER TABLE analyticsWindow ADD COLUMN parameters TEXT CHECK (json_valid(parameters));
ALTER TABLE analyticsDay ADD COLUMN parameters TEXT CHECK (json_valid(parameters));
ALTER TABLE analyticsDay ADD COLUMN epochMethod TEXT CHECK (json_valid(epochMethod));
`,
};
