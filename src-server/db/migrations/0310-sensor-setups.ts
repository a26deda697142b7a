import type { Migration } from './types.ts';

/**
 * How a sensor was worn and what it measured is the same for nearly all its recordings: they name a row that they share. It was
 * almost half of their table.
 */
export const sensorSetups: Migration = {
  version: 310,
  name: 'sensor-setups',
  sql: `
CREATE TABLE sensorSetup (
  setupId INTEGER PRIMARY KEY,
  physicalConfig TEXT NOT NULL CHECK (json_valid(physicalConfig)),
  sensorConfig TEXT NOT NULL CHECK (json_valid(sensorConfig)),
  channels TEXT NOT NULL CHECK (json_valid(channels)),
  UNIQUE (channels, sensorConfig, physicalConfig)
) STRICT;
INSERT INTO sensorSetup (physicalConfig, sensorConfig, channels)
SELECT DISTINCT physicalConfig, sensorConfig, channels FROM recording;

ALTER TABLE recording ADD COLUMN setupId INTEGER REFERENCES sensorSetup (setupId);
UPDATE recording SET setupId = (
  SELECT setupId FROM sensorSetup
  WHERE sensorSetup.channels = recording.channels
    AND sensorSetup.sensorConfig = recording.sensorConfig
    AND sensorSetup.physicalConfig = recording.physicalConfig
);
ALTER TABLE recording DROP COLUMN channels;
ALTER TABLE recording DROP COLUMN sensorConfig;
ALTER TABLE recording DROP COLUMN physicalConfig;
`,
};
