import type { Migration } from './types.ts';

/** What staff have put off in the list of what needs attention, while its evidence stays as it was. */
export const attention: Migration = {
  version: 80,
  name: 'attention',
  sql: `
CREATE TABLE attentionSnooze (
  accountId TEXT NOT NULL REFERENCES account (id),
  itemId TEXT NOT NULL,
  evidenceKey TEXT NOT NULL,
  untilTs INTEGER NOT NULL,
  reason TEXT NOT NULL,
  userId TEXT NOT NULL REFERENCES user (id),
  createdTs INTEGER NOT NULL,
  PRIMARY KEY (accountId, itemId)
) STRICT, WITHOUT ROWID;
CREATE INDEX attentionSnoozeByUser ON attentionSnooze (userId);
`,
};
