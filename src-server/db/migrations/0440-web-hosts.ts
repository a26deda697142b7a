import type { Migration } from './types.ts';

/** Where phones' browsers opened the site: they keep what they store under that address, so one that goes takes it along. */
export const webHosts: Migration = {
  version: 440,
  name: 'web-hosts',
  sql: `
-- Host and port as the browser called; NULL for programs, which find the site at any address.
ALTER TABLE deviceCredential ADD COLUMN webHost TEXT;
`,
};
