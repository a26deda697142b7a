import type { Migration } from './types.ts';

/** SQL for the time zone of a subject at an instant. */
export const zoneAt = (subjectId: string, ts: string) => `coalesce(
  (SELECT timezone FROM subjectZone WHERE subjectZone.subjectId = ${subjectId} AND fromTs <= ${ts} ORDER BY fromTs DESC LIMIT 1),
  (SELECT timezone FROM subjectZone WHERE subjectZone.subjectId = ${subjectId} ORDER BY fromTs LIMIT 1)
)`;

/** Fills the summaries of recordings; the tables are empty before. */
export const FILL_RECORDING_SUMMARIES = `
INSERT INTO recordingDay (subjectId, date, studyId, countRecordings, durationMs, firstStartTs, lastStartTs)
SELECT subjectId, date, studyId, count(*), sum(stopTs - startTs), min(startTs), max(startTs)
FROM (
  SELECT subjectId, studyId, startUs / 1000 AS startTs, stopUs / 1000 AS stopTs,
    localDate(startUs / 1000, ${zoneAt('recording.subjectId', 'recording.startUs / 1000')}) AS date
  FROM recording
)
GROUP BY subjectId, date;

INSERT INTO subjectSummary (subjectId, studyId, countRecordings, countDays, countSensors, coveredUs, durationMs,
  sizeBytes, firstStartUs, lastStartUs, lastStopUs, lastUploadTs)
SELECT subjectId, studyId, count(*),
  (SELECT count(*) FROM recordingDay WHERE recordingDay.subjectId = one.subjectId),
  count(DISTINCT coalesce(equipmentId, ' ' || udid)),
  sum(max(0, stopUs - max(startUs, coalesce(coveredUntilUs, startUs)))),
  sum(stopUs / 1000 - startUs / 1000), sum(sizeBytes), min(startUs), max(startUs), max(stopUs),
  (SELECT uploadStartTs FROM recording WHERE recording.subjectId = one.subjectId ORDER BY startUs DESC, id DESC LIMIT 1)
FROM (
  SELECT *, max(stopUs) OVER (
    PARTITION BY subjectId ORDER BY startUs, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS coveredUntilUs
  FROM (SELECT id, subjectId, studyId, equipmentId, udid, startUs, stopUs, sizeBytes FROM recording)
) AS one
GROUP BY subjectId;
`;

const FILL_TASK_DAYS = `
INSERT OR IGNORE INTO taskDay (subjectId, date, taskId)
SELECT annotation.subjectId,
  localDate(annotation.startTs, ${zoneAt('annotation.subjectId', 'annotation.startTs')}), annotation.eventId
FROM annotation
WHERE annotation.type IN ('activity', 'diary') AND annotation.eventId IS NOT NULL;
`;

/**
 * What lists show of a subject's recordings and tasks, kept in the transaction that changes them, so that a list costs as much
 * as it shows. The index on stops gets the starts, because a new recording is compared with those that it overlaps.
 */
export const summaries: Migration = {
  version: 190,
  name: 'summaries',
  sql: `
CREATE TABLE subjectSummary (
  subjectId TEXT PRIMARY KEY REFERENCES subject (id),
  studyId TEXT NOT NULL REFERENCES study (id),
  countRecordings INTEGER NOT NULL,
  countDays INTEGER NOT NULL,
  countSensors INTEGER NOT NULL,
  coveredUs INTEGER NOT NULL,
  durationMs INTEGER NOT NULL,
  sizeBytes INTEGER NOT NULL,
  firstStartUs INTEGER NOT NULL,
  lastStartUs INTEGER NOT NULL,
  lastStopUs INTEGER NOT NULL,
  lastUploadTs INTEGER NOT NULL
) STRICT;
CREATE INDEX subjectSummaryByStudy ON subjectSummary (studyId, countRecordings, sizeBytes, lastStopUs);

CREATE TABLE recordingDay (
  subjectId TEXT NOT NULL REFERENCES subject (id),
  date TEXT NOT NULL,
  studyId TEXT NOT NULL REFERENCES study (id),
  countRecordings INTEGER NOT NULL,
  durationMs INTEGER NOT NULL,
  firstStartTs INTEGER NOT NULL,
  lastStartTs INTEGER NOT NULL,
  PRIMARY KEY (subjectId, date)
) STRICT, WITHOUT ROWID;
CREATE INDEX recordingDayByStudy ON recordingDay (studyId, date, countRecordings, durationMs, firstStartTs, lastStartTs);

CREATE TABLE taskDay (
  subjectId TEXT NOT NULL REFERENCES subject (id),
  date TEXT NOT NULL,
  taskId TEXT NOT NULL,
  PRIMARY KEY (subjectId, date, taskId)
) STRICT, WITHOUT ROWID;
CREATE INDEX taskDayByTask ON taskDay (taskId, subjectId, date);

DROP INDEX recordingBySubjectStop;
CREATE INDEX recordingBySubjectStop ON recording (subjectId, stopUs, startUs);
CREATE INDEX deviceUploadByStateTime ON deviceUpload (accountId, state, createdTs, id);
CREATE INDEX jobByStateTime ON job (state, createdTs, id);
CREATE INDEX messageByStudy ON message (studyId, subjectId, createdTs, id);
${FILL_RECORDING_SUMMARIES}${FILL_TASK_DAYS}`,
};
