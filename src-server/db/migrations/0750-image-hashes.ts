import type { Migration } from './types.ts';

/**
 * The SHA-256 of the picture of a message, so that its content can be compared with what arrived. Pictures of older versions get theirs
 * when the site reads all of its files for the first time.
 */
export const imageHashes: Migration = {
  version: 750,
  name: 'image-hashes',
  sql: 'ALTER TABLE message ADD COLUMN imageSha256 TEXT;',
};
