/**
 * The keys that updates must be signed with. They are fixed when the program is packed (`scripts/package/desktop.ts --update-key`), inside
 * the archive whose integrity Electron checks; a program that was packed without them, or runs from its sources, installs no update.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type PinnedKey, pinnedKey } from './signatures.ts';

export const UPDATE_KEYS_FILE = 'update-keys.json';

export const trustSchema = z.object({
  /** Public keys in PEM: the one in use, and the next one, whose private half waits elsewhere. */
  keys: z.array(z.string()).min(2),
  /** Common names of the certificates that a Windows installer may be signed with. Absent: it is not signed. */
  publisherNames: z.array(z.string().min(1)).optional(),
});

export interface UpdateTrust {
  keys: readonly PinnedKey[];
  publisherNames?: readonly string[];
}

/** @returns undefined when the file is missing or damaged: no key is trusted then */
export function readTrust(path: URL): UpdateTrust | undefined {
  try {
    const { keys, publisherNames } = trustSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return { keys: keys.map(pinnedKey), ...(publisherNames && { publisherNames }) };
  } catch {
    return undefined;
  }
}
