import type { Migration } from './types.ts';

/**
 * What was exported of a study: the request, then the file, then how the file went. An export has the id of its job.
 * Archives of the steps before, unfinished ones and the newest of each study, become exports.
 */
export const studyExports: Migration = {
  version: 60,
  name: 'study-exports',
  sql: `
CREATE TABLE studyExport (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  format TEXT NOT NULL,
  isDeidentified INTEGER NOT NULL CHECK (isDeidentified IN (0, 1)),
  subjectIds TEXT CHECK (subjectIds IS NULL OR json_valid(subjectIds)),
  sinceTs INTEGER,
  sinceExportId TEXT REFERENCES studyExport (id),
  requestedTs INTEGER NOT NULL,
  fileName TEXT,
  sizeBytes INTEGER,
  sha256 TEXT,
  auditSequence INTEGER,
  finishedTs INTEGER,
  removedTs INTEGER,
  removedBecause TEXT CHECK (removedBecause IN ('DELETED', 'SUPERSEDED', 'EXPIRED', 'SPACE')),
  CHECK ((finishedTs IS NULL) = (fileName IS NULL)),
  CHECK ((removedTs IS NULL) = (removedBecause IS NULL))
) STRICT;
CREATE INDEX studyExportByStudy ON studyExport (studyId, requestedTs);
CREATE INDEX studyExportKept ON studyExport (finishedTs) WHERE finishedTs IS NOT NULL AND removedTs IS NULL;

INSERT INTO studyExport (id, studyId, format, isDeidentified, requestedTs, fileName, sizeBytes, sha256, finishedTs)
SELECT
  job.id, job.studyId, 'ARCHIVE', 0, job.payload ->> '$.requestedTs',
  iif(job.state = 'done', study.exportFile, NULL), iif(job.state = 'done', study.exportSizeBytes, NULL),
  job.result ->> '$.sha256', iif(job.state = 'done', coalesce(job.finishedTs, job.createdTs), NULL)
FROM job JOIN study ON study.id = job.studyId
WHERE job.kind = 'archive'
  AND (job.state IN ('queued', 'running', 'parked') OR (job.state = 'done' AND job.result ->> '$.fileName' = study.exportFile));
`,
};
