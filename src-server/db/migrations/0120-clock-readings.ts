import type { Migration } from './types.ts';

/** Readings of a sensor are looked up by what its clock showed, for the recording that it was making then. */
export const clockReadings: Migration = {
  version: 120,
  name: 'clockReadings',
  sql: `
CREATE INDEX clockReadingByClock ON clockReading (udid, clockUs);
`,
};
