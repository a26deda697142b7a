import type { Migration } from './types.ts';

/**
 * Indexes for the reads of a site that has been used for years. Without them one question about a subject's missing data
 * read every upload once per device (120 s at 10,000 subjects), and a page of the audit read all of it. The first three
 * indexes that go are contained in wider ones; two partial ones could never serve a bound parameter.
 */
export const readIndexes: Migration = {
  version: 100,
  name: 'read-indexes',
  sql: `
CREATE INDEX deviceUploadByDevice ON deviceUpload (deviceId, createdTs);
CREATE INDEX deviceUploadBySensor ON deviceUpload (sensorId, state);
CREATE INDEX deviceUploadOpen ON deviceUpload (accountId, state, modifiedTs);
DROP INDEX recordingByStudy;
CREATE INDEX recordingByStudy ON recording (studyId, startUs, id, subjectId, stopUs, uploadStartTs);
CREATE INDEX recordingBySubjectStop ON recording (subjectId, stopUs);
CREATE INDEX recordingBySensor ON recording (udid, startUs, stopUs);
CREATE INDEX recordingByFileState ON recording (fileState, sizeBytes);
CREATE INDEX auditBySubject ON audit (subjectId, sequence);
CREATE INDEX auditByActor ON audit (actorId, sequence);
CREATE INDEX jobByTime ON job (createdTs, id);
CREATE INDEX jobByKind ON job (kind, createdTs, id);
CREATE INDEX jobBySubject ON job (subjectId, kind, state);
DROP INDEX jobByState;
CREATE INDEX jobByState ON job (state, kind, createdTs);
DROP INDEX jobWaiting;
CREATE INDEX jobWaiting ON job (kind, state, runAfterTs, id);
CREATE INDEX equipmentAssignmentByStudy ON equipmentAssignment (studyId, subjectId, equipmentId);
CREATE INDEX analyticsDayWear ON analyticsDay (subjectId, date, metrics ->> '$.SENSOR_WEAR_DURATION');
DROP INDEX annotationByEvent;
CREATE INDEX annotationByEvent ON annotation (eventId, startTs, type, subjectId);
CREATE INDEX faultByStudySubject ON fault (studyId, subjectId, equipmentId, sensorId);
DROP INDEX messageUnread;
CREATE INDEX messageUnread ON message (studyId, authorType, createdTs) WHERE readTs IS NULL;
DROP INDEX outboxWaiting;
CREATE INDEX outboxWaiting ON outbox (state, nextAttemptTs);
`,
};
