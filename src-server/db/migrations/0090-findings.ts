import type { Migration } from './types.ts';

/** Code and facts of a sentence beside the sentence, so that it can be said in another language; null for older ones. */
export const findings: Migration = {
  version: 90,
  name: 'findings',
  sql: `
ALTER TABLE webhookAttempt ADD COLUMN finding TEXT;
ALTER TABLE outbox ADD COLUMN finding TEXT;
`,
};
