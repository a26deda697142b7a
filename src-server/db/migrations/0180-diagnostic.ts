import type { Migration } from './types.ts';

/** The stored code and facts of a sentence are called a diagnostic, as in the interface. */
export const diagnostic: Migration = {
  version: 180,
  name: 'diagnostic',
  sql: `
ALTER TABLE webhookAttempt RENAME COLUMN finding TO diagnostic;
ALTER TABLE outbox RENAME COLUMN finding TO diagnostic;
`,
};
