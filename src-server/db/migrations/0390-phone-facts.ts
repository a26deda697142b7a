import type { Migration } from './types.ts';

/**
 * What phones report beyond the answers: the state of their clock, questions that the subject chose to skip, problems, and when
 * a message was written. An activity may be one that the phone itself guides. All are absent in what is older.
 */
export const phoneFacts: Migration = {
  version: 390,
  name: 'phone-facts',
  sql: `
ALTER TABLE annotation ADD COLUMN phoneClock TEXT CHECK (phoneClock IS NULL OR json_valid(phoneClock));
ALTER TABLE annotation ADD COLUMN skipped TEXT CHECK (skipped IS NULL OR json_valid(skipped));
ALTER TABLE task ADD COLUMN guide TEXT;
ALTER TABLE message ADD COLUMN writtenTs INTEGER;
ALTER TABLE message ADD COLUMN phoneClock TEXT CHECK (phoneClock IS NULL OR json_valid(phoneClock));
ALTER TABLE message ADD COLUMN problemKind TEXT;
-- As the subject reported it; equipment may be removed later.
ALTER TABLE message ADD COLUMN problemSensorId TEXT;
-- Problems that staff have not read yet: an item of Today each.
CREATE INDEX messageProblem ON message (studyId, createdTs) WHERE problemKind IS NOT NULL AND readTs IS NULL;
`,
};
