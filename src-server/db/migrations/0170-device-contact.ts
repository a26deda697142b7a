import type { Migration } from './types.ts';

/** What a subject's own phone last said of itself: it has no entry among the equipment that could hold it. */
export const deviceContact: Migration = {
  version: 170,
  name: 'device-contact',
  sql: `
ALTER TABLE deviceCredential ADD COLUMN lastContactTs INTEGER;
ALTER TABLE deviceCredential ADD COLUMN batteryPercent REAL;
ALTER TABLE deviceCredential ADD COLUMN firmwareId TEXT;
`,
};
