import type { Migration } from './types.ts';

/**
 * Analysis runs: results of a study's data by a stated version and parameters, beside those in use. The tables of results are those
 * of the study with the run before their key, so that adopting a run exchanges rows. A study may be pinned to a version.
 */
export const analysisRuns: Migration = {
  version: 510,
  name: 'analysis-runs',
  sql: `
CREATE TABLE analysisRun (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  name TEXT NOT NULL,
  reason TEXT NOT NULL,
  version TEXT NOT NULL,
  parameters TEXT NOT NULL CHECK (json_valid(parameters)),
  methodHash TEXT NOT NULL,
  isWholeStudy INTEGER NOT NULL CHECK (isWholeStudy IN (0, 1)),
  replacedBy TEXT REFERENCES analysisRun (id),
  authorId TEXT REFERENCES user (id),
  createdTs INTEGER NOT NULL,
  cancelledTs INTEGER,
  finishedTs INTEGER,
  adoptedTs INTEGER,
  adoptedBy TEXT REFERENCES user (id),
  adoptReason TEXT,
  UNIQUE (studyId, name),
  CHECK ((adoptedTs IS NULL) = (adoptReason IS NULL))
) STRICT;
CREATE INDEX analysisRunByStudy ON analysisRun (studyId, createdTs, id);
CREATE INDEX analysisRunByReplacing ON analysisRun (replacedBy);
CREATE INDEX analysisRunByAuthor ON analysisRun (authorId);
CREATE INDEX analysisRunByAdopter ON analysisRun (adoptedBy);

CREATE TABLE analysisRunSubject (
  runId TEXT NOT NULL REFERENCES analysisRun (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  jobId TEXT REFERENCES job (id),
  dataHash TEXT,
  storedTs INTEGER,
  PRIMARY KEY (runId, subjectId)
) STRICT, WITHOUT ROWID;
CREATE INDEX analysisRunSubjectBySubject ON analysisRunSubject (subjectId);
CREATE INDEX analysisRunSubjectByJob ON analysisRunSubject (jobId);

CREATE TABLE analysisRunWindow (
  runId TEXT NOT NULL REFERENCES analysisRun (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  date TEXT NOT NULL,
  startTs INTEGER NOT NULL,
  stopTs INTEGER NOT NULL,
  timezone TEXT NOT NULL,
  columns BLOB NOT NULL,
  sleep TEXT NOT NULL CHECK (json_valid(sleep)),
  inputsHash TEXT NOT NULL,
  algorithmVersion TEXT NOT NULL,
  computedTs INTEGER NOT NULL,
  columnsSha256 TEXT,
  columnsBytes INTEGER,
  parameters TEXT CHECK (json_valid(parameters)),
  PRIMARY KEY (runId, subjectId, date),
  CHECK (stopTs >= startTs)
) STRICT;
CREATE INDEX analysisRunWindowBySubject ON analysisRunWindow (subjectId, date);
CREATE INDEX analysisRunWindowByColumns ON analysisRunWindow (columnsSha256, columnsBytes)
  WHERE columnsSha256 IS NOT NULL;

CREATE TABLE analysisRunDay (
  runId TEXT NOT NULL REFERENCES analysisRun (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  date TEXT NOT NULL,
  dayStartTs INTEGER NOT NULL,
  dayStopTs INTEGER NOT NULL,
  timezone TEXT NOT NULL,
  dataStartTs INTEGER NOT NULL,
  dataStopTs INTEGER NOT NULL,
  namesId INTEGER NOT NULL REFERENCES metricNames (id),
  metrics TEXT NOT NULL CHECK (json_valid(metrics)),
  validSeconds TEXT NOT NULL CHECK (json_valid(validSeconds)),
  wearSeconds REAL,
  inputsHash TEXT NOT NULL,
  algorithmVersion TEXT NOT NULL,
  computedTs INTEGER NOT NULL,
  parameters TEXT CHECK (json_valid(parameters)),
  epochMethod TEXT CHECK (json_valid(epochMethod)),
  PRIMARY KEY (runId, subjectId, date)
) STRICT;
CREATE INDEX analysisRunDayBySubject ON analysisRunDay (subjectId, date);

CREATE TABLE analysisRunUncorrectedDay (
  runId TEXT NOT NULL REFERENCES analysisRun (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  date TEXT NOT NULL,
  dayStartTs INTEGER NOT NULL,
  dayStopTs INTEGER NOT NULL,
  timezone TEXT NOT NULL,
  dataStartTs INTEGER NOT NULL,
  dataStopTs INTEGER NOT NULL,
  metrics TEXT NOT NULL CHECK (json_valid(metrics)),
  validSeconds TEXT NOT NULL CHECK (json_valid(validSeconds)),
  inputsHash TEXT NOT NULL,
  algorithmVersion TEXT NOT NULL,
  computedTs INTEGER NOT NULL,
  PRIMARY KEY (runId, subjectId, date)
) STRICT, WITHOUT ROWID;
CREATE INDEX analysisRunUncorrectedDayBySubject ON analysisRunUncorrectedDay (subjectId, date);

ALTER TABLE study ADD COLUMN pinnedVersion TEXT;
`,
};
