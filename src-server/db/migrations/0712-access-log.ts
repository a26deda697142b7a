import type { Migration } from './types.ts';

/**
 * Who signed in, and who opened or took what. It is not part of the audit trail: rows are counted up while the same page is read again,
 * and removed after a time. Without foreign keys, so that no row keeps a record from being deleted.
 */
export const accessLog: Migration = {
  version: 712,
  name: 'access-log',
  sql: `
CREATE TABLE accessEntry (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  accountId TEXT NOT NULL,
  timeTs INTEGER NOT NULL,
  lastTs INTEGER NOT NULL,
  count INTEGER NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT NOT NULL,
  userId TEXT,
  byUserId TEXT,
  nameHash TEXT,
  studyId TEXT,
  subjectId TEXT,
  address TEXT
) STRICT;
CREATE INDEX accessEntryByAccount ON accessEntry (accountId, sequence);
CREATE INDEX accessEntryByKind ON accessEntry (accountId, kind, sequence);
CREATE INDEX accessEntryByUser ON accessEntry (userId, sequence);
CREATE INDEX accessEntryByStudy ON accessEntry (studyId, sequence) WHERE studyId IS NOT NULL;
CREATE INDEX accessEntryBySubject ON accessEntry (subjectId, sequence) WHERE subjectId IS NOT NULL;
CREATE INDEX accessEntryByTime ON accessEntry (timeTs);
`,
};
