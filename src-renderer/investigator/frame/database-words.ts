import type { Site } from '../../../src-server/api/contract/index.ts';

/** The word for each state of the database. */
export const DATABASE_WORDS = {
  healthy: 'statusBar.healthy',
  'read-only': 'statusBar.readOnly',
  damaged: 'statusBar.damaged',
} as const satisfies Record<Site['database']['state'], string>;
