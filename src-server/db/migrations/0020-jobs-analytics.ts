import type { Migration } from './types.ts';

/** The durable queue, stored analytics and the outbox of e-mails. */
export const jobsAnalytics: Migration = {
  version: 20,
  name: 'jobs-analytics',
  sql: `
CREATE TABLE job (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'parked', 'cancelled')),
  studyId TEXT REFERENCES study (id),
  subjectId TEXT REFERENCES subject (id),
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  progress TEXT CHECK (progress IS NULL OR json_valid(progress)),
  checkpoint TEXT CHECK (checkpoint IS NULL OR json_valid(checkpoint)),
  result TEXT CHECK (result IS NULL OR json_valid(result)),
  error TEXT CHECK (error IS NULL OR json_valid(error)),
  attempts INTEGER NOT NULL DEFAULT 0,
  crashCount INTEGER NOT NULL DEFAULT 0,
  runAfterTs INTEGER NOT NULL,
  createdTs INTEGER NOT NULL,
  startedTs INTEGER,
  finishedTs INTEGER
) STRICT;
CREATE INDEX jobWaiting ON job (kind, runAfterTs, id) WHERE state = 'queued';
CREATE INDEX jobByState ON job (state);
CREATE INDEX jobByStudy ON job (studyId, createdTs);

CREATE TABLE analyticsWindow (
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
  PRIMARY KEY (subjectId, date),
  CHECK (stopTs >= startTs)
) STRICT;
CREATE INDEX analyticsWindowByTime ON analyticsWindow (subjectId, startTs, stopTs);

CREATE TABLE analyticsDay (
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
) STRICT;

CREATE TABLE outbox (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  lastError TEXT,
  createdTs INTEGER NOT NULL,
  sentTs INTEGER
) STRICT;
CREATE INDEX outboxByAccount ON outbox (accountId, createdTs);
CREATE INDEX outboxWaiting ON outbox (createdTs) WHERE state = 'waiting';
`,
};
