import type { Migration } from './types.ts';

/**
 * Electronic signatures, which are never changed or removed, and the lock of a study. Signed records keep no trace of it: a
 * signature names the hash of their content.
 */
export const signatures: Migration = {
  version: 320,
  name: 'signatures',
  sql: `
CREATE TABLE signature (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  kind TEXT NOT NULL,
  targetId TEXT NOT NULL,
  subjectId TEXT REFERENCES subject (id),
  date TEXT,
  meaning TEXT NOT NULL,
  comment TEXT,
  userId TEXT NOT NULL REFERENCES user (id),
  signerName TEXT NOT NULL,
  signedTs INTEGER NOT NULL,
  contentVersion INTEGER NOT NULL,
  contentSha256 TEXT NOT NULL
) STRICT;
CREATE INDEX signatureByTarget ON signature (studyId, kind, targetId, date);
CREATE TRIGGER signatureNoUpdate BEFORE UPDATE ON signature BEGIN
  SELECT RAISE(ABORT, 'signatures are append-only');
END;
CREATE TRIGGER signatureNoDelete BEFORE DELETE ON signature BEGIN
  SELECT RAISE(ABORT, 'signatures are append-only');
END;

ALTER TABLE study ADD COLUMN lockedTs INTEGER;
`,
};
