import type { Migration } from './types.ts';

/**
 * Sessions that their user can recognise, second factors, and addresses that end with the rights of their user. The last use of a session
 * has a table of its own: it changes every minute, while `token` is what cached callers were read from. `accessRound` counts how often
 * everything that a user was given was withdrawn; a count needs no clock.
 *
 * The access log is not part of the audit trail: rows are counted up while the same page is read again, and removed after a time. It has no
 * foreign keys, so that no row keeps a record from being deleted.
 */
export const accessControl: Migration = {
  version: 710,
  name: 'access',
  sql: `
ALTER TABLE token ADD COLUMN address TEXT;
ALTER TABLE token ADD COLUMN client TEXT;
ALTER TABLE user ADD COLUMN accessRound INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user ADD COLUMN needsSecondFactor INTEGER NOT NULL DEFAULT 0 CHECK (needsSecondFactor IN (0, 1));
CREATE TABLE tokenUse (
  tokenId TEXT PRIMARY KEY REFERENCES token (id) ON DELETE CASCADE,
  usedTs INTEGER NOT NULL,
  address TEXT NOT NULL
) STRICT;
CREATE TABLE secondFactor (
  userId TEXT PRIMARY KEY REFERENCES user (id),
  secret TEXT NOT NULL,
  createdTs INTEGER NOT NULL,
  confirmedTs INTEGER,
  usedSteps TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(usedSteps))
) STRICT;
CREATE TABLE recoveryCode (
  id TEXT PRIMARY KEY,
  userId TEXT NOT NULL REFERENCES user (id),
  codeHash TEXT NOT NULL,
  createdTs INTEGER NOT NULL,
  usedTs INTEGER
) STRICT;
CREATE INDEX recoveryCodeByUser ON recoveryCode (userId);
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
