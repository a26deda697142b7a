import type { Migration } from './types.ts';

/**
 * Sessions that their user can recognise, second factors, and addresses that end with the rights of their user. The last use of a session
 * has a table of its own: it changes every minute, while `token` is what cached callers were read from. `accessRound` counts how often
 * everything that a user was given was withdrawn; a count needs no clock.
 */
export const sessions: Migration = {
  version: 710,
  name: 'sessions',
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
`,
};
