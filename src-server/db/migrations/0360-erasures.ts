import type { Migration } from './types.ts';

/**
 * The erasure of a person: the order to erase, what is left to recognise their data by, and entries of the audit trail without
 * their content. The triggers that keep the trail and the signatures as they are let an erasure through, and nothing else: an
 * entry loses its content for good, keeps both hashes, and names the later entry that says who erased it.
 */
export const erasures: Migration = {
  version: 360,
  name: 'erasures',
  sql: `
CREATE TABLE erasure (
  id TEXT PRIMARY KEY,
  subjectSha256 TEXT NOT NULL UNIQUE CHECK (length(subjectSha256) = 64),
  studyId TEXT,
  -- Until the rows are gone.
  subjectId TEXT,
  userId TEXT,
  reason TEXT NOT NULL,
  requestedTs INTEGER NOT NULL,
  -- The rows are gone since then.
  erasedTs INTEGER,
  auditSequence INTEGER,
  -- What is still to be removed from the folder of the site.
  files TEXT CHECK (files IS NULL OR json_valid(files)),
  finishedTs INTEGER,
  CHECK ((subjectId IS NULL) = (erasedTs IS NOT NULL)),
  CHECK (finishedTs IS NULL OR (erasedTs IS NOT NULL AND files IS NULL))
) STRICT;

CREATE TABLE erasedMark (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  erasureId TEXT NOT NULL REFERENCES erasure (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE erasedWear (
  equipmentId TEXT NOT NULL,
  fromTs INTEGER NOT NULL,
  toTs INTEGER NOT NULL,
  erasureId TEXT NOT NULL REFERENCES erasure (id),
  PRIMARY KEY (equipmentId, fromTs, erasureId)
) STRICT, WITHOUT ROWID;

ALTER TABLE audit ADD COLUMN erasedBy INTEGER;

DROP TRIGGER auditNoUpdate;
CREATE TRIGGER auditNoUpdate BEFORE UPDATE ON audit
WHEN NOT coalesce(
  old.erasedBy IS NULL AND new.erasedBy > old.sequence
  AND new.sequence = old.sequence AND new.timeTs = old.timeTs AND new.actorType = old.actorType
  AND (new.actorId IS NULL OR new.actorId = old.actorId)
  AND new.action = old.action AND new.entityType = old.entityType AND new.entityId IN ('', old.entityId)
  AND new.studyId IS old.studyId AND new.subjectId IS NULL AND new.reason IS NULL
  AND new.changes = '{}' AND new.packedChanges IS NULL
  AND new.previousHash = old.previousHash AND new.hash = old.hash
  AND EXISTS (SELECT 1 FROM audit AS entry WHERE entry.sequence = new.erasedBy AND entry.action = 'subject.erase'),
0)
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

DROP TRIGGER signatureNoDelete;
CREATE TRIGGER signatureNoDelete BEFORE DELETE ON signature
WHEN NOT EXISTS (SELECT 1 FROM erasure WHERE erasure.subjectId = old.subjectId)
BEGIN
  SELECT RAISE(ABORT, 'signatures are append-only');
END;
`,
};
