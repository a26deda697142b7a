import type { Migration } from './types.ts';

/** An upload belongs to the credential of a device or to a user, who says at the announcement for which subject it was recorded. */
export const uploadsOfUsers: Migration = {
  version: 420,
  name: 'uploads-of-users',
  sql: `
CREATE TABLE newDeviceUpload (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  credentialId TEXT,
  userId TEXT REFERENCES user (id),
  deviceId TEXT NOT NULL,
  recordingId TEXT NOT NULL,
  sensorId TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN
    ('RECEIVING', 'RECEIVED', 'STORED', 'QUARANTINED', 'REJECTED', 'REFUSED', 'EXPIRED', 'ENDED')),
  sizeBytes INTEGER NOT NULL CHECK (sizeBytes >= 0),
  receivedBytes INTEGER NOT NULL DEFAULT 0,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  formatVersion INTEGER NOT NULL,
  startUs INTEGER NOT NULL,
  syncPoints TEXT NOT NULL CHECK (json_valid(syncPoints)),
  code TEXT,
  message TEXT,
  hashFailures INTEGER NOT NULL DEFAULT 0,
  facts TEXT CHECK (facts IS NULL OR json_valid(facts)),
  studyId TEXT REFERENCES study (id),
  subjectId TEXT REFERENCES subject (id),
  decidedBy TEXT,
  decisionReason TEXT,
  storedRecordingId TEXT REFERENCES recording (id),
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL,
  CHECK ((state = 'STORED') = (storedRecordingId IS NOT NULL)),
  CHECK (state NOT IN ('QUARANTINED', 'REJECTED', 'REFUSED') OR code IS NOT NULL),
  CHECK ((credentialId IS NULL) <> (userId IS NULL)),
  CHECK (userId IS NULL OR (studyId IS NOT NULL AND subjectId IS NOT NULL))
) STRICT;
INSERT INTO newDeviceUpload (
  id, accountId, credentialId, deviceId, recordingId, sensorId, state, sizeBytes, receivedBytes, sha256, formatVersion,
  startUs, syncPoints, code, message, hashFailures, facts, studyId, subjectId, decidedBy, decisionReason,
  storedRecordingId, createdTs, modifiedTs)
SELECT
  id, accountId, credentialId, deviceId, recordingId, sensorId, state, sizeBytes, receivedBytes, sha256, formatVersion,
  startUs, syncPoints, code, message, hashFailures, facts, studyId, subjectId, decidedBy, decisionReason,
  storedRecordingId, createdTs, modifiedTs
FROM deviceUpload ORDER BY rowid;
DROP TABLE deviceUpload;
ALTER TABLE newDeviceUpload RENAME TO deviceUpload;
CREATE INDEX deviceUploadByState ON deviceUpload (state, modifiedTs);
CREATE INDEX deviceUploadByAccount ON deviceUpload (accountId, createdTs);
CREATE INDEX deviceUploadByContent ON deviceUpload (sha256);
CREATE INDEX deviceUploadByRecording ON deviceUpload (recordingId);
CREATE INDEX deviceUploadByDevice ON deviceUpload (deviceId, createdTs);
CREATE INDEX deviceUploadBySensor ON deviceUpload (sensorId, state);
CREATE INDEX deviceUploadOpen ON deviceUpload (accountId, state, modifiedTs);
CREATE INDEX deviceUploadByStateTime ON deviceUpload (accountId, state, createdTs, id);
`,
};
