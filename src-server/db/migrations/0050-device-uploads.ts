import type { Migration } from './types.ts';

/** Files that devices send, what devices say they still hold, and how the clock of each recording was corrected. */
export const deviceUploads: Migration = {
  version: 50,
  name: 'device-uploads',
  sql: `
CREATE TABLE deviceUpload (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  credentialId TEXT NOT NULL,
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
  CHECK (state NOT IN ('QUARANTINED', 'REJECTED', 'REFUSED') OR code IS NOT NULL)
) STRICT;
CREATE INDEX deviceUploadByState ON deviceUpload (state, modifiedTs);
CREATE INDEX deviceUploadByAccount ON deviceUpload (accountId, createdTs);
CREATE INDEX deviceUploadByContent ON deviceUpload (sha256);
CREATE INDEX deviceUploadByRecording ON deviceUpload (recordingId);

CREATE TABLE heldRecording (
  deviceId TEXT NOT NULL REFERENCES equipment (id),
  recordingId TEXT NOT NULL,
  sensorId TEXT NOT NULL,
  place TEXT NOT NULL CHECK (place IN ('SENSOR', 'HUB')),
  sizeBytes INTEGER NOT NULL,
  startTs INTEGER NOT NULL,
  stopTs INTEGER NOT NULL,
  firstReportedTs INTEGER NOT NULL,
  reportedTs INTEGER NOT NULL,
  PRIMARY KEY (deviceId, recordingId),
  CHECK (stopTs >= startTs)
) STRICT;
CREATE INDEX heldRecordingBySensor ON heldRecording (sensorId, startTs);
CREATE INDEX heldRecordingByRecording ON heldRecording (recordingId);

CREATE TABLE deviceManifest (
  deviceId TEXT PRIMARY KEY REFERENCES equipment (id),
  reportedTs INTEGER NOT NULL,
  recordings INTEGER NOT NULL
) STRICT;

CREATE TABLE recordingClock (
  recordingId TEXT PRIMARY KEY REFERENCES recording (id),
  sensorStartUs INTEGER NOT NULL,
  sensorStopUs INTEGER NOT NULL,
  startOffsetUs INTEGER NOT NULL,
  driftPpm REAL NOT NULL,
  knots TEXT NOT NULL CHECK (json_valid(knots)),
  leftOut INTEGER NOT NULL
) STRICT;
`,
};
