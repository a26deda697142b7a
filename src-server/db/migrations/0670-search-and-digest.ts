import type { Migration } from './types.ts';

/**
 * The index of the search: which rows are in it, their words, and how far rows that are older than the index have been added. Words come
 * from `searchWords`, so the tokenizer only splits at spaces: it takes everything beyond ASCII for part of a word. Deletions leave no
 * words behind, so that an erasure only has to overwrite free pages.
 *
 * Also who wants a daily digest, and which local days of theirs have had one: a day is there once, whatever the clock does.
 */
export const searchAndDigest: Migration = {
  version: 670,
  name: 'search-and-digest',
  sql: `
CREATE TABLE searchEntry (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  entityId TEXT NOT NULL,
  UNIQUE (source, entityId)
) STRICT;
CREATE TABLE searchBuild (
  source TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  lastKey TEXT NOT NULL,
  isDone INTEGER NOT NULL CHECK (isDone IN (0, 1))
) STRICT;
CREATE VIRTUAL TABLE searchIndex USING fts5(
  place, words, tokenize = "ascii tokenchars '_'", columnsize = 0, prefix = '2 3'
);
INSERT INTO searchIndex (searchIndex, rank) VALUES ('secure-delete', 1);

CREATE TABLE digestChoice (
  userId TEXT PRIMARY KEY REFERENCES user (id),
  hour INTEGER NOT NULL CHECK (hour BETWEEN 0 AND 23),
  chosenTs INTEGER NOT NULL
) STRICT;
CREATE TABLE digestSent (
  userId TEXT NOT NULL REFERENCES user (id),
  date TEXT NOT NULL,
  sentTs INTEGER NOT NULL,
  PRIMARY KEY (userId, date)
) STRICT, WITHOUT ROWID;
`,
};
