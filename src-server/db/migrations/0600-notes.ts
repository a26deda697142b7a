import type { Migration } from './types.ts';

/**
 * Notes and calls of staff about a subject or a study, with the versions that edits replaced. Both tables name the subject, so that an
 * erasure finds them.
 */
export const notes: Migration = {
  version: 600,
  name: 'notes',
  sql: `
CREATE TABLE note (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT REFERENCES subject (id),
  kind TEXT NOT NULL CHECK (kind IN ('NOTE', 'CALL')),
  isReached INTEGER CHECK (isReached IN (0, 1)),
  body TEXT NOT NULL,
  followUpDate TEXT,
  assigneeId TEXT REFERENCES user (id),
  followUpDoneTs INTEGER,
  followUpDoneBy TEXT REFERENCES user (id),
  authorId TEXT NOT NULL REFERENCES user (id),
  createdTs INTEGER NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  editorId TEXT NOT NULL REFERENCES user (id),
  editedTs INTEGER NOT NULL,
  withdrawnTs INTEGER,
  withdrawnBy TEXT REFERENCES user (id),
  withdrawnReason TEXT,
  CHECK ((kind = 'CALL') = (isReached IS NOT NULL)),
  CHECK (assigneeId IS NULL OR followUpDate IS NOT NULL),
  CHECK ((followUpDoneTs IS NULL) = (followUpDoneBy IS NULL)),
  CHECK ((withdrawnTs IS NULL) = (withdrawnReason IS NULL))
) STRICT;
CREATE INDEX noteByStudy ON note (studyId, createdTs, id);
CREATE INDEX noteByStudyKind ON note (studyId, kind, createdTs, id);
CREATE INDEX noteBySubject ON note (subjectId, createdTs, id);
CREATE INDEX noteBySubjectKind ON note (subjectId, kind, createdTs, id);
CREATE INDEX noteOfStudy ON note (studyId, createdTs, id) WHERE subjectId IS NULL;
CREATE INDEX noteByFollowUp ON note (studyId, followUpDate, id)
  WHERE followUpDate IS NOT NULL AND followUpDoneTs IS NULL AND withdrawnTs IS NULL;
CREATE INDEX noteByFollowUpOfSubject ON note (subjectId, followUpDate, id)
  WHERE followUpDate IS NOT NULL AND followUpDoneTs IS NULL AND withdrawnTs IS NULL;

CREATE TABLE noteVersion (
  id TEXT PRIMARY KEY,
  noteId TEXT NOT NULL REFERENCES note (id),
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT REFERENCES subject (id),
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  isReached INTEGER CHECK (isReached IN (0, 1)),
  body TEXT NOT NULL,
  followUpDate TEXT,
  assigneeId TEXT REFERENCES user (id),
  editorId TEXT NOT NULL REFERENCES user (id),
  editedTs INTEGER NOT NULL,
  UNIQUE (noteId, version)
) STRICT;
CREATE INDEX noteVersionBySubject ON noteVersion (subjectId, id);
`,
};
