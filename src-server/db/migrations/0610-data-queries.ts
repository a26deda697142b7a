import type { Migration } from './types.ts';

/**
 * Data queries on recordings, days, answers and labels, with every step of each. A label can be deleted, so the target is named and not
 * referenced. What is open is counted by an index that holds only that.
 */
export const dataQueries: Migration = {
  version: 610,
  name: 'data-queries',
  sql: `
CREATE TABLE dataQuery (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  target TEXT NOT NULL CHECK (target IN ('RECORDING', 'DAY', 'ANSWER', 'LABEL')),
  targetId TEXT,
  date TEXT,
  metric TEXT,
  targetName TEXT,
  targetTs INTEGER,
  state TEXT NOT NULL CHECK (state IN ('OPEN', 'ANSWERED', 'RESOLVED')),
  assigneeId TEXT REFERENCES user (id),
  openedBy TEXT NOT NULL REFERENCES user (id),
  openedTs INTEGER NOT NULL,
  stateTs INTEGER NOT NULL,
  lastStepId TEXT NOT NULL,
  CHECK ((target = 'DAY') = (date IS NOT NULL)),
  CHECK ((target = 'DAY') = (targetId IS NULL)),
  CHECK (metric IS NULL OR target = 'DAY')
) STRICT;
CREATE INDEX dataQueryByStudy ON dataQuery (studyId, openedTs, id);
CREATE INDEX dataQueryByStudyState ON dataQuery (studyId, state, openedTs, id);
CREATE INDEX dataQueryBySubject ON dataQuery (subjectId, openedTs, id);
CREATE INDEX dataQueryBySubjectState ON dataQuery (subjectId, state, openedTs, id);
CREATE INDEX dataQueryByAssignee ON dataQuery (assigneeId, studyId, openedTs, id);
CREATE INDEX dataQueryUnresolved ON dataQuery (studyId, subjectId, state, openedTs) WHERE state <> 'RESOLVED';

CREATE TABLE dataQueryStep (
  id TEXT PRIMARY KEY,
  queryId TEXT NOT NULL REFERENCES dataQuery (id),
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  text TEXT NOT NULL,
  assigneeId TEXT REFERENCES user (id),
  authorId TEXT NOT NULL REFERENCES user (id),
  createdTs INTEGER NOT NULL,
  UNIQUE (queryId, position)
) STRICT;
CREATE INDEX dataQueryStepBySubject ON dataQueryStep (subjectId, id);
`,
};
