import type { Migration } from './types.ts';

/**
 * Less room for the rows of which a site has most. Clock readings name their device and sensor by number, days share the names of
 * their metrics, and long changes of new audit entries may be packed (`packed-changes.ts`). Audit entries that exist stay as
 * they are. Only jobs that wait are searched by kind and time.
 */
export const compactRows: Migration = {
  version: 240,
  name: 'compact-rows',
  sql: `
CREATE TABLE clockSource (
  id INTEGER PRIMARY KEY,
  credentialId TEXT NOT NULL REFERENCES deviceCredential (id),
  clock TEXT NOT NULL CHECK (clock IN ('DEVICE', 'SENSOR')),
  udid TEXT NOT NULL,
  UNIQUE (credentialId, udid, clock),
  CHECK ((clock = 'DEVICE') = (udid = ''))
) STRICT;
CREATE INDEX clockSourceByUdid ON clockSource (udid, clock);
INSERT INTO clockSource (credentialId, clock, udid)
SELECT DISTINCT credentialId, clock, udid FROM clockReading ORDER BY credentialId, clock, udid;

CREATE TABLE newClockReading (
  sourceId INTEGER NOT NULL REFERENCES clockSource (id),
  hostUs INTEGER NOT NULL,
  clockUs INTEGER NOT NULL,
  roundTripUs INTEGER NOT NULL CHECK (roundTripUs >= 0),
  receivedTs INTEGER NOT NULL,
  PRIMARY KEY (sourceId, hostUs, clockUs)
) STRICT, WITHOUT ROWID;
INSERT INTO newClockReading (sourceId, hostUs, clockUs, roundTripUs, receivedTs)
SELECT clockSource.id, hostUs, clockUs, roundTripUs, receivedTs
FROM clockReading JOIN clockSource USING (credentialId, clock, udid)
ORDER BY clockSource.id, hostUs, clockUs;
DROP TABLE clockReading;
ALTER TABLE newClockReading RENAME TO clockReading;
CREATE INDEX clockReadingByClock ON clockReading (sourceId, clockUs);

CREATE TABLE metricNames (
  id INTEGER PRIMARY KEY,
  names TEXT NOT NULL UNIQUE CHECK (json_valid(names))
) STRICT;
INSERT INTO metricNames (names)
SELECT DISTINCT namesAsJson(metrics, validSeconds) FROM analyticsDay;

CREATE TABLE newAnalyticsDay (
  subjectId TEXT NOT NULL REFERENCES subject (id),
  date TEXT NOT NULL,
  dayStartTs INTEGER NOT NULL,
  dayStopTs INTEGER NOT NULL,
  timezone TEXT NOT NULL,
  dataStartTs INTEGER NOT NULL,
  dataStopTs INTEGER NOT NULL,
  namesId INTEGER NOT NULL REFERENCES metricNames (id),
  metrics TEXT NOT NULL CHECK (json_valid(metrics)),
  validSeconds TEXT NOT NULL CHECK (json_valid(validSeconds)),
  wearSeconds REAL,
  inputsHash TEXT NOT NULL,
  algorithmVersion TEXT NOT NULL,
  computedTs INTEGER NOT NULL,
  PRIMARY KEY (subjectId, date)
) STRICT;
INSERT INTO newAnalyticsDay (subjectId, date, dayStartTs, dayStopTs, timezone, dataStartTs, dataStopTs, namesId, metrics,
  validSeconds, wearSeconds, inputsHash, algorithmVersion, computedTs)
SELECT subjectId, date, dayStartTs, dayStopTs, timezone, dataStartTs, dataStopTs, metricNames.id, valuesAsJson(metrics),
  valuesAsJson(validSeconds), metrics ->> '$.SENSOR_WEAR_DURATION', inputsHash, algorithmVersion, computedTs
FROM analyticsDay JOIN metricNames ON names = namesAsJson(metrics, validSeconds)
ORDER BY analyticsDay.rowid;
DROP TABLE analyticsDay;
ALTER TABLE newAnalyticsDay RENAME TO analyticsDay;
CREATE INDEX analyticsDayWear ON analyticsDay (subjectId, date, wearSeconds);

ALTER TABLE audit ADD COLUMN packedChanges BLOB CHECK (packedChanges IS NULL OR changes = '{}');

DROP INDEX jobWaiting;
CREATE INDEX jobWaiting ON job (kind, runAfterTs, id) WHERE state = 'queued';
`,
};
