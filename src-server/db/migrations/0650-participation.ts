import type { Migration } from './types.ts';

/**
 * Status, consent, group and visits of subjects. `participationStep` is the history, which only grows; `participation` and `visit` hold
 * what follows from it and from the plan of the study, so that lists and Today read only what they show. Until now every subject was
 * enrolled when it was created.
 */
export const participation: Migration = {
  version: 650,
  name: 'participation',
  sql: `
CREATE TABLE studyPlan (
  studyId TEXT PRIMARY KEY REFERENCES study (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  plan TEXT NOT NULL CHECK (json_valid(plan)),
  modifiedTs INTEGER NOT NULL
) STRICT;

CREATE TABLE participation (
  subjectId TEXT PRIMARY KEY REFERENCES subject (id),
  studyId TEXT NOT NULL REFERENCES study (id),
  status TEXT NOT NULL CHECK (status IN ('SCREENING', 'NOT_ELIGIBLE', 'ENROLLED', 'COMPLETED', 'WITHDRAWN')),
  statusDate TEXT NOT NULL,
  screeningDate TEXT,
  enrolledDate TEXT,
  dataDecision TEXT CHECK (dataDecision IN ('KEEP_ALL', 'KEEP_UNTIL', 'DO_NOT_USE')),
  consentVersion TEXT,
  consentDate TEXT,
  firstConsentDate TEXT,
  isConsentDue INTEGER NOT NULL DEFAULT 0 CHECK (isConsentDue IN (0, 1)),
  groupId TEXT,
  stratumId TEXT,
  lastPosition INTEGER NOT NULL DEFAULT 0,
  CHECK ((status = 'WITHDRAWN') = (dataDecision IS NOT NULL)),
  CHECK ((consentVersion IS NULL) = (consentDate IS NULL)),
  CHECK ((consentVersion IS NULL) = (firstConsentDate IS NULL))
) STRICT;
CREATE INDEX participationByStatus ON participation (studyId, status, subjectId);
CREATE INDEX participationConsentDue ON participation (studyId, subjectId) WHERE isConsentDue = 1;

CREATE TABLE participationStep (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('STATUS', 'CONSENT', 'GROUP', 'VISIT')),
  date TEXT NOT NULL,
  authorId TEXT REFERENCES user (id),
  createdTs INTEGER NOT NULL,
  isCorrection INTEGER NOT NULL DEFAULT 0 CHECK (isCorrection IN (0, 1)),
  reason TEXT,
  status TEXT,
  dataDecision TEXT,
  isPhoneRevoked INTEGER CHECK (isPhoneRevoked IN (0, 1)),
  consentState TEXT CHECK (consentState IN ('GIVEN', 'VOID')),
  consentVersion TEXT,
  documentFile TEXT,
  documentName TEXT,
  documentMimeType TEXT,
  documentSizeBytes INTEGER,
  documentSha256 TEXT,
  groupId TEXT,
  groupName TEXT,
  stratumId TEXT,
  stratumName TEXT,
  visitId TEXT,
  visitName TEXT,
  visitState TEXT,
  visitDate TEXT,
  visitTime TEXT,
  UNIQUE (subjectId, position),
  CHECK ((kind = 'STATUS') = (status IS NOT NULL)),
  CHECK ((kind = 'CONSENT') = (consentState IS NOT NULL)),
  CHECK ((kind = 'VISIT') = (visitState IS NOT NULL)),
  CHECK ((documentFile IS NULL) = (documentMimeType IS NULL))
) STRICT;
CREATE INDEX participationStepBySubject ON participationStep (subjectId, id);
CREATE INDEX participationStepDocument ON participationStep (documentFile) WHERE documentFile IS NOT NULL;

CREATE TABLE visit (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  visitId TEXT NOT NULL,
  displayName TEXT NOT NULL,
  isOptional INTEGER NOT NULL CHECK (isOptional IN (0, 1)),
  state TEXT NOT NULL CHECK (state IN ('PLANNED', 'SCHEDULED', 'DONE', 'MISSED', 'CANCELLED')),
  targetDate TEXT NOT NULL,
  fromDate TEXT NOT NULL,
  toDate TEXT NOT NULL,
  date TEXT,
  time TEXT,
  isStopped INTEGER NOT NULL DEFAULT 0 CHECK (isStopped IN (0, 1)),
  lastStepId TEXT,
  authorId TEXT REFERENCES user (id),
  attentionDate TEXT,
  reminderTs INTEGER,
  remindedTs INTEGER,
  UNIQUE (subjectId, visitId),
  CHECK (date IS NOT NULL OR state NOT IN ('SCHEDULED', 'DONE')),
  CHECK (isStopped = 0 OR (attentionDate IS NULL AND reminderTs IS NULL))
) STRICT;
CREATE INDEX visitByAttention ON visit (studyId, attentionDate, id) WHERE attentionDate IS NOT NULL;
CREATE INDEX visitByReminder ON visit (reminderTs) WHERE reminderTs IS NOT NULL;
CREATE INDEX visitByStudy ON visit (studyId, visitId);
CREATE INDEX visitBySubject ON visit (subjectId, id);

ALTER TABLE subject ADD COLUMN programStopTs INTEGER;
-- As the phone asks for texts.
ALTER TABLE deviceCredential ADD COLUMN language TEXT;

INSERT INTO participationStep (id, studyId, subjectId, position, kind, date, createdTs, status)
SELECT id, studyId, id, 1, 'STATUS', localDate(createdTs, timezone), createdTs, 'ENROLLED' FROM subject;
INSERT INTO participation (subjectId, studyId, status, statusDate, enrolledDate, lastPosition)
SELECT id, studyId, 'ENROLLED', localDate(createdTs, timezone), localDate(createdTs, timezone), 1 FROM subject;
`,
};
