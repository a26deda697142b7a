import type { Migration } from './types.ts';

/**
 * Templates of messages, and messages that were sent to many subjects at once. A batch names no subject and holds no text: its messages do, so
 * that an erasure finds them. The index lets a subject get one message of a batch at most.
 */
export const messageTemplates: Migration = {
  version: 680,
  name: 'message-templates',
  sql: `
CREATE TABLE messageTemplate (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  displayName TEXT NOT NULL,
  texts TEXT NOT NULL CHECK (json_valid(texts)),
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL
) STRICT;
CREATE INDEX messageTemplateByStudy ON messageTemplate (studyId, displayName, id);

CREATE TABLE messageBatch (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  authorId TEXT NOT NULL REFERENCES user (id),
  contentHash TEXT NOT NULL,
  createdTs INTEGER NOT NULL
) STRICT;

ALTER TABLE message ADD COLUMN batchId TEXT REFERENCES messageBatch (id);
CREATE UNIQUE INDEX messageByBatch ON message (batchId, subjectId) WHERE batchId IS NOT NULL;
`,
};
