import type { Migration } from './types.ts';

/** Fills the conversations from the messages; the table is empty before. */
export const FILL_CONVERSATIONS = `
INSERT INTO conversation (subjectId, studyId, messageCount, unreadCount, lastTs, lastId)
SELECT subjectId, studyId, count(*), sum(readTs IS NULL AND authorType = 'SUBJECT'), max(createdTs),
  (SELECT id FROM message AS other WHERE other.subjectId = message.subjectId ORDER BY createdTs DESC, id DESC LIMIT 1)
FROM message
GROUP BY subjectId;
`;

/**
 * The messages of each subject in summary, kept in the transaction that changes them, so that the list of conversations costs
 * as much as it shows. Faults that name no equipment are found by their address, mails by their recipient and refusals by
 * their time.
 */
export const conversations: Migration = {
  version: 230,
  name: 'conversations',
  sql: `
CREATE TABLE conversation (
  subjectId TEXT PRIMARY KEY REFERENCES subject (id),
  studyId TEXT NOT NULL REFERENCES study (id),
  messageCount INTEGER NOT NULL,
  unreadCount INTEGER NOT NULL,
  lastTs INTEGER NOT NULL,
  lastId TEXT NOT NULL REFERENCES message (id)
) STRICT;
CREATE INDEX conversationByStudy ON conversation (studyId, lastTs DESC, subjectId);
CREATE INDEX faultUntied ON fault (upper(replace(replace(sensorId, ':', ''), '-', ''))) WHERE equipmentId IS NULL;
CREATE INDEX auditRefusal ON audit (entityType, timeTs, sequence) WHERE entityType = 'refusal';
CREATE INDEX outboxByRecipient ON outbox (accountId, recipient, createdTs, id);
${FILL_CONVERSATIONS}`,
};
