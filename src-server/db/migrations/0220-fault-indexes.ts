import type { Migration } from './types.ts';

/** Faults are counted per sensor and class from this index alone; it contains the one that it replaces. */
export const faultIndexes: Migration = {
  version: 220,
  name: 'fault-indexes',
  sql: `
DROP INDEX faultByEquipment;
CREATE INDEX faultByEquipment ON fault (equipmentId, sensorId, faultClass, faultTs, studyId);
`,
};
