import type { Migration } from './types.ts';

/** Recordings that people take from docked recorders and watched folders. What nobody has decided about yet is in no row. */
export const transfers: Migration = {
  version: 490,
  name: 'transfers',
  sql: `
CREATE TABLE transfer (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  source TEXT NOT NULL CHECK (source IN ('DOCK', 'FOLDER')),
  displayName TEXT NOT NULL,
  fileName TEXT NOT NULL,
  model TEXT,
  serial TEXT,
  sessionId INTEGER,
  equipmentId TEXT REFERENCES equipment (id),
  sizeBytes INTEGER NOT NULL CHECK (sizeBytes >= 0),
  receivedBytes INTEGER NOT NULL DEFAULT 0,
  startTs INTEGER,
  stopTs INTEGER,
  state TEXT NOT NULL CHECK (state IN ('COPYING', 'IMPORTING', 'STORED', 'CONFIRMED', 'FAILED', 'DISMISSED')),
  code TEXT,
  message TEXT,
  studyId TEXT REFERENCES study (id),
  subjectId TEXT REFERENCES subject (id),
  options TEXT NOT NULL CHECK (json_valid(options)),
  decidedBy TEXT,
  decisionReason TEXT,
  sha256 TEXT CHECK (sha256 IS NULL OR length(sha256) = 64),
  blocks INTEGER,
  badBlocks INTEGER,
  jobId TEXT,
  recordingIds TEXT CHECK (recordingIds IS NULL OR json_valid(recordingIds)),
  confirmedBy TEXT,
  confirmedTs INTEGER,
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL,
  CHECK (state = 'DISMISSED' OR (studyId IS NOT NULL AND subjectId IS NOT NULL)),
  CHECK (state NOT IN ('IMPORTING', 'STORED', 'CONFIRMED') OR sha256 IS NOT NULL),
  CHECK ((state = 'CONFIRMED') = (confirmedTs IS NOT NULL))
) STRICT;
CREATE INDEX transferByAccount ON transfer (accountId, createdTs, id);
CREATE INDEX transferByState ON transfer (state);
CREATE INDEX transferBySerial ON transfer (serial, sessionId);
CREATE INDEX transferBySubject ON transfer (subjectId);
`,
};
