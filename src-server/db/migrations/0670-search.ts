import type { Migration } from './types.ts';

/**
 * The index of the search: which rows are in it, their words, and how far rows that are older than the index have been added. Words come
 * from `searchWords`, so the tokenizer only splits at spaces: it takes everything beyond ASCII for part of a word. Deletions leave no
 * words behind, so that an erasure only has to overwrite free pages.
 */
export const search: Migration = {
  version: 670,
  name: 'search',
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
`,
};
