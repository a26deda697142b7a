import type { Migration } from './types.ts';

/**
 * Ties each recording to the registered sensor it came from. The serial comes from the upload that brought the recording, else
 * from the sensor's address; null where neither is known. The index on addresses matches `addressKey` in `sensor-match.ts`.
 */
export const recordingEquipment: Migration = {
  version: 160,
  name: 'recording-equipment',
  sql: `
ALTER TABLE recording ADD COLUMN equipmentId TEXT REFERENCES equipment (id);

CREATE INDEX equipmentByAddress ON equipment (upper(replace(replace(udid, ':', ''), '-', ''))) WHERE udid IS NOT NULL;
CREATE INDEX recordingByEquipment ON recording (equipmentId, startUs);
CREATE INDEX recordingUntied ON recording (upper(replace(replace(udid, ':', ''), '-', ''))) WHERE equipmentId IS NULL;
-- For the second update alone.
CREATE INDEX deviceUploadByStored ON deviceUpload (storedRecordingId);

UPDATE recording SET equipmentId = (
  SELECT equipment.id FROM equipment
  WHERE equipment.udid IS NOT NULL
    AND upper(replace(replace(equipment.udid, ':', ''), '-', '')) = upper(replace(replace(recording.udid, ':', ''), '-', ''))
  LIMIT 1
);
UPDATE recording SET equipmentId = (
  SELECT equipment.id FROM deviceUpload
  JOIN equipment ON equipment.id = deviceUpload.sensorId
  WHERE deviceUpload.storedRecordingId = recording.id
    AND (equipment.udid IS NULL OR recording.udid IN ('', 'unknown'))
  LIMIT 1
) WHERE equipmentId IS NULL;
DROP INDEX deviceUploadByStored;
`,
};
