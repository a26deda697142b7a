import type { Migration } from './types.ts';

/**
 * Corrections by people of beats, sleep and wear, which are only ever added, and the metrics of corrected days as they were computed
 * without them.
 */
export const corrections: Migration = {
  version: 500,
  name: 'corrections',
  sql: `
CREATE TABLE correction (
  id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL UNIQUE,
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  recordingId TEXT REFERENCES recording (id),
  kind TEXT NOT NULL,
  rootId TEXT REFERENCES correction (id),
  undoes TEXT REFERENCES correction (id),
  startTs INTEGER NOT NULL,
  stopTs INTEGER NOT NULL CHECK (stopTs > startTs),
  timeUs INTEGER,
  toUs INTEGER,
  code TEXT,
  authorId TEXT NOT NULL REFERENCES user (id),
  reason TEXT,
  createdTs INTEGER NOT NULL,
  CHECK ((kind = 'UNDO') = (undoes IS NOT NULL)),
  CHECK ((undoes IS NULL) = (rootId IS NULL))
) STRICT;
CREATE INDEX correctionByStudy ON correction (studyId, sequence);
CREATE INDEX correctionBySubject ON correction (subjectId, sequence);
CREATE INDEX correctionByRecording ON correction (recordingId, sequence);
CREATE INDEX correctionByRoot ON correction (rootId);
CREATE INDEX correctionByUndone ON correction (undoes);
CREATE INDEX correctionByAuthor ON correction (authorId);

CREATE TABLE uncorrectedDay (
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
  PRIMARY KEY (subjectId, date)
) STRICT, WITHOUT ROWID;
`,
};
