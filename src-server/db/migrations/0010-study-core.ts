import type { Migration } from './types.ts';

/** Accounts, people, studies with their definition, subjects, equipment, recordings, annotations, messages, events, audit. */
export const studyCore: Migration = {
  version: 10,
  name: 'study-core',
  sql: `
CREATE TABLE account (
  id TEXT PRIMARY KEY,
  displayName TEXT NOT NULL,
  createdTs INTEGER NOT NULL
) STRICT;

CREATE TABLE user (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  email TEXT NOT NULL,
  emailKey TEXT NOT NULL UNIQUE,
  firstName TEXT NOT NULL,
  lastName TEXT NOT NULL,
  locale TEXT NOT NULL,
  timezone TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('ADMIN', 'COORDINATOR', 'ANALYST', 'MONITOR')),
  passwordHash TEXT,
  legaleseVersionAccepted INTEGER NOT NULL DEFAULT 0,
  legaleseVersionRequired INTEGER NOT NULL DEFAULT 0,
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL,
  disabledTs INTEGER
) STRICT;
CREATE INDEX userByAccount ON user (accountId, createdTs, id);

CREATE TABLE token (
  id TEXT PRIMARY KEY,
  userId TEXT NOT NULL REFERENCES user (id),
  tokenHash TEXT NOT NULL UNIQUE,
  createdTs INTEGER NOT NULL,
  expirationTs INTEGER NOT NULL
) STRICT;
CREATE INDEX tokenByUser ON token (userId);
CREATE INDEX tokenByExpiration ON token (expirationTs);

CREATE TABLE passwordCode (
  id TEXT PRIMARY KEY,
  userId TEXT NOT NULL REFERENCES user (id),
  codeHash TEXT NOT NULL UNIQUE,
  createdTs INTEGER NOT NULL,
  expirationTs INTEGER NOT NULL,
  usedTs INTEGER
) STRICT;
CREATE INDEX passwordCodeByUser ON passwordCode (userId);

CREATE TABLE study (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  displayName TEXT NOT NULL,
  title TEXT NOT NULL,
  lifecycleState TEXT NOT NULL CHECK (lifecycleState IN ('INITIALIZED', 'IN_PROGRESS', 'COMPLETE')),
  isArchived INTEGER NOT NULL DEFAULT 0 CHECK (isArchived IN (0, 1)),
  metadataFields TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(metadataFields)),
  program TEXT CHECK (program IS NULL OR json_valid(program)),
  definitionVersion INTEGER NOT NULL DEFAULT 0,
  exportFile TEXT,
  exportRequestedTs INTEGER,
  exportSizeBytes INTEGER,
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL,
  startedTs INTEGER,
  stoppedTs INTEGER
) STRICT;
CREATE INDEX studyByAccount ON study (accountId, createdTs, id);

CREATE TABLE definitionVersion (
  studyId TEXT NOT NULL REFERENCES study (id),
  version INTEGER NOT NULL,
  createdTs INTEGER NOT NULL,
  definition TEXT NOT NULL CHECK (json_valid(definition)),
  PRIMARY KEY (studyId, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE membership (
  studyId TEXT NOT NULL REFERENCES study (id),
  userId TEXT NOT NULL REFERENCES user (id),
  role TEXT NOT NULL CHECK (role IN ('ADMIN', 'COORDINATOR', 'ANALYST', 'MONITOR')),
  createdTs INTEGER NOT NULL,
  PRIMARY KEY (studyId, userId)
) STRICT, WITHOUT ROWID;
CREATE INDEX membershipByUser ON membership (userId);

CREATE TABLE task (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  type TEXT NOT NULL CHECK (type IN ('activity', 'diary')),
  displayName TEXT NOT NULL,
  mode TEXT NOT NULL,
  position INTEGER NOT NULL,
  pipelineIds TEXT NOT NULL CHECK (json_valid(pipelineIds)),
  durationSec INTEGER,
  instructions TEXT,
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL,
  CHECK (type = 'diary' OR (durationSec IS NOT NULL AND instructions IS NOT NULL))
) STRICT;
CREATE INDEX taskByStudy ON task (studyId, type, position);

CREATE TABLE question (
  id TEXT PRIMARY KEY,
  taskId TEXT NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  type TEXT NOT NULL,
  choices TEXT NOT NULL CHECK (json_valid(choices)),
  createdTs INTEGER NOT NULL
) STRICT;
CREATE INDEX questionByTask ON question (taskId, position);

CREATE TABLE deviceConfig (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  mode TEXT NOT NULL,
  position INTEGER NOT NULL,
  pipelineIds TEXT NOT NULL CHECK (json_valid(pipelineIds)),
  sourceId TEXT,
  physicalConfig TEXT NOT NULL CHECK (json_valid(physicalConfig)),
  sensorConfig TEXT NOT NULL CHECK (json_valid(sensorConfig)),
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL
) STRICT;
CREATE INDEX deviceConfigByStudy ON deviceConfig (studyId, position);

CREATE TABLE subject (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  displayName TEXT NOT NULL,
  nameKey TEXT NOT NULL,
  age INTEGER CHECK (age >= 18),
  gender TEXT CHECK (gender IN ('MALE', 'FEMALE')),
  height REAL CHECK (height > 0),
  weight REAL CHECK (weight > 0),
  dominantHand TEXT CHECK (dominantHand IN ('LEFT', 'RIGHT')),
  timezone TEXT NOT NULL,
  metadataFields TEXT NOT NULL CHECK (json_valid(metadataFields)),
  isHidden INTEGER NOT NULL DEFAULT 0 CHECK (isHidden IN (0, 1)),
  isTest INTEGER NOT NULL DEFAULT 0 CHECK (isTest IN (0, 1)),
  legaleseVersionAccepted INTEGER NOT NULL DEFAULT 0,
  legaleseVersionRequired INTEGER NOT NULL DEFAULT 0,
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL,
  programStartTs INTEGER,
  UNIQUE (studyId, nameKey)
) STRICT;
CREATE INDEX subjectByStudy ON subject (studyId, createdTs, id);

CREATE TABLE subjectZone (
  subjectId TEXT NOT NULL REFERENCES subject (id),
  fromTs INTEGER NOT NULL,
  timezone TEXT NOT NULL,
  PRIMARY KEY (subjectId, fromTs)
) STRICT, WITHOUT ROWID;

CREATE TABLE subjectToken (
  id TEXT PRIMARY KEY,
  subjectId TEXT NOT NULL REFERENCES subject (id),
  tokenHash TEXT NOT NULL UNIQUE,
  createdTs INTEGER NOT NULL,
  usedTs INTEGER,
  revokedTs INTEGER
) STRICT;
CREATE INDEX subjectTokenBySubject ON subjectToken (subjectId);

CREATE TABLE equipment (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  type TEXT NOT NULL CHECK (type IN ('LINK_HUB', 'LINK_PHONE', 'SENSOR')),
  displayName TEXT NOT NULL,
  udid TEXT UNIQUE,
  hardwareId TEXT,
  firmwareId TEXT,
  lastContactTs INTEGER,
  batteryPercent REAL,
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL
) STRICT;
CREATE INDEX equipmentByAccount ON equipment (accountId, id);

CREATE TABLE equipmentAssignment (
  id TEXT PRIMARY KEY,
  equipmentId TEXT NOT NULL REFERENCES equipment (id),
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  assignedTs INTEGER NOT NULL,
  unassignedTs INTEGER,
  CHECK (unassignedTs IS NULL OR unassignedTs >= assignedTs)
) STRICT;
CREATE UNIQUE INDEX equipmentHeldOnce ON equipmentAssignment (equipmentId) WHERE unassignedTs IS NULL;
CREATE INDEX equipmentAssignmentByEquipment ON equipmentAssignment (equipmentId, assignedTs);
CREATE INDEX equipmentAssignmentBySubject ON equipmentAssignment (subjectId, assignedTs);

CREATE TABLE deviceContact (
  equipmentId TEXT NOT NULL REFERENCES equipment (id),
  contactTs INTEGER NOT NULL,
  batteryPercent REAL,
  firmwareId TEXT,
  PRIMARY KEY (equipmentId, contactTs)
) STRICT, WITHOUT ROWID;

CREATE TABLE recording (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  deviceConfigId TEXT NOT NULL REFERENCES deviceConfig (id),
  recordingId INTEGER NOT NULL,
  startUs INTEGER NOT NULL,
  stopUs INTEGER NOT NULL,
  uploadStartTs INTEGER NOT NULL,
  createdTs INTEGER NOT NULL,
  udid TEXT NOT NULL,
  hardwareId TEXT NOT NULL,
  firmwareId TEXT NOT NULL,
  physicalConfig TEXT NOT NULL CHECK (json_valid(physicalConfig)),
  sensorConfig TEXT NOT NULL CHECK (json_valid(sensorConfig)),
  status TEXT NOT NULL CHECK (status IN ('COMPLETE', 'REJECTED')),
  dataState TEXT NOT NULL CHECK (dataState IN
    ('ON_SENSOR', 'ON_HUB', 'RECEIVING', 'RECEIVED', 'VERIFIED', 'DECODED', 'ANALYSED', 'REJECTED')),
  rejectCode TEXT,
  fileState TEXT NOT NULL DEFAULT 'PRESENT' CHECK (fileState IN ('PRESENT', 'MISSING', 'DAMAGED')),
  sizeBytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  channels TEXT NOT NULL CHECK (json_valid(channels)),
  sampleCounts TEXT NOT NULL CHECK (json_valid(sampleCounts)),
  syncPoints TEXT NOT NULL CHECK (json_valid(syncPoints)),
  contentSha256 TEXT NOT NULL CHECK (length(contentSha256) = 64),
  sourceFormat TEXT NOT NULL,
  sourceFileName TEXT NOT NULL,
  notes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(notes)),
  exportSizeBytes INTEGER,
  CHECK (stopUs >= startUs),
  UNIQUE (subjectId, contentSha256)
) STRICT;
CREATE INDEX recordingByStudy ON recording (studyId, startUs, id);
CREATE INDEX recordingBySubject ON recording (subjectId, startUs, id);
CREATE INDEX recordingByContent ON recording (contentSha256);

CREATE TABLE fault (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  equipmentId TEXT REFERENCES equipment (id),
  recordingId TEXT REFERENCES recording (id),
  faultTs INTEGER NOT NULL,
  faultFlag TEXT NOT NULL,
  faultType TEXT NOT NULL,
  faultClass TEXT,
  mobileAppVersion TEXT NOT NULL,
  sensorFirmwareId TEXT NOT NULL,
  sensorId TEXT NOT NULL,
  createdTs INTEGER NOT NULL
) STRICT;
CREATE INDEX faultBySubject ON fault (subjectId, faultTs);
CREATE INDEX faultByStudy ON fault (studyId, faultTs);
CREATE INDEX faultByRecording ON fault (recordingId);
CREATE INDEX faultByEquipment ON fault (equipmentId);

CREATE TABLE annotation (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  type TEXT NOT NULL CHECK (type IN ('activity', 'diary', 'question', 'recording', 'subject')),
  displayName TEXT NOT NULL,
  authorType TEXT CHECK (authorType IN ('USER', 'SUBJECT')),
  authorId TEXT,
  startTs INTEGER NOT NULL,
  stopTs INTEGER NOT NULL,
  value TEXT,
  eventId TEXT,
  eventDisplayName TEXT,
  relationshipId TEXT,
  questionType TEXT,
  parentId TEXT REFERENCES annotation (id) ON DELETE CASCADE,
  recordingId TEXT REFERENCES recording (id),
  position INTEGER NOT NULL DEFAULT 0,
  intendedTs INTEGER,
  openedTs INTEGER,
  completedTs INTEGER,
  reportedTs INTEGER NOT NULL,
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL,
  CHECK (stopTs >= startTs),
  CHECK ((type IN ('activity', 'diary', 'question')) = (eventId IS NOT NULL)),
  CHECK ((type = 'question') = (parentId IS NOT NULL)),
  CHECK (type = 'subject' OR authorId IS NOT NULL)
) STRICT;
CREATE INDEX annotationBySubject ON annotation (subjectId, startTs, id);
CREATE INDEX annotationByParent ON annotation (parentId, position);
CREATE INDEX annotationByRecording ON annotation (recordingId);
CREATE INDEX annotationByEvent ON annotation (eventId, startTs);

CREATE TABLE message (
  id TEXT PRIMARY KEY,
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT NOT NULL REFERENCES subject (id),
  authorType TEXT NOT NULL CHECK (authorType IN ('USER', 'SUBJECT')),
  authorId TEXT NOT NULL,
  body TEXT NOT NULL,
  imageFile TEXT,
  imageMimeType TEXT,
  imageSizeBytes INTEGER,
  createdTs INTEGER NOT NULL,
  readTs INTEGER,
  CHECK ((imageFile IS NULL) = (imageMimeType IS NULL) AND (imageFile IS NULL) = (imageSizeBytes IS NULL))
) STRICT;
CREATE INDEX messageBySubject ON message (subjectId, createdTs, id);
CREATE INDEX messageUnread ON message (studyId, createdTs) WHERE readTs IS NULL AND authorType = 'SUBJECT';

CREATE TABLE event (
  sequence INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  studyId TEXT NOT NULL REFERENCES study (id),
  subjectId TEXT REFERENCES subject (id),
  action TEXT NOT NULL CHECK (action IN ('STUDY_STARTED', 'SUBJECT_CREATED', 'ACTIVITY_COMPLETED', 'DIARY_COMPLETED',
    'RECORDING_UPLOADED', 'METRICS_PROCESSED', 'MESSAGE_POSTED', 'STUDY_STOPPED')),
  actualTs INTEGER NOT NULL,
  reportedTs INTEGER NOT NULL,
  referenceId TEXT NOT NULL,
  authorType TEXT CHECK (authorType IN ('USER', 'SUBJECT')),
  authorId TEXT,
  CHECK ((authorType IS NULL) = (authorId IS NULL))
) STRICT;
CREATE INDEX eventByStudy ON event (studyId, reportedTs, sequence);

CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  timeTs INTEGER NOT NULL,
  actorType TEXT NOT NULL CHECK (actorType IN ('USER', 'SUBJECT', 'SYSTEM', 'DEVICE')),
  actorId TEXT,
  action TEXT NOT NULL,
  entityType TEXT NOT NULL,
  entityId TEXT NOT NULL,
  studyId TEXT,
  subjectId TEXT,
  reason TEXT,
  changes TEXT NOT NULL CHECK (json_valid(changes)),
  previousHash TEXT NOT NULL CHECK (length(previousHash) = 64),
  hash TEXT NOT NULL CHECK (length(hash) = 64)
) STRICT;
CREATE INDEX auditByEntity ON audit (entityType, entityId, sequence);
CREATE INDEX auditByStudy ON audit (studyId, sequence);
CREATE TRIGGER auditNoUpdate BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER auditNoDelete BEFORE DELETE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TABLE setting (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK (json_valid(value)),
  modifiedTs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
};
