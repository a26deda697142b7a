/**
 * `site.key`: the key that seals what would link de-identified exports to subjects. It lies beside the database and is in no
 * backup, so neither a copy of `site.db` nor a backup opens what it seals. Generated when the site is first opened, never changed.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { OutpostError } from '../errors.ts';
import { writeDurably } from '../files/durable-files.ts';
import { SecretBox } from '../secrets/sealed-text.ts';

const KEY = /^[0-9a-f]{64}$/;

/** The key of a file. Undefined if there is none. @throws FILE_DAMAGED for a file that is not a key */
export async function readSiteKey(path: string): Promise<Uint8Array | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
  if (!KEY.test(text.trim())) {
    throw new OutpostError('FILE_DAMAGED', `${path} is not the key of a site. Put your copy of site.key in its place.`);
  }
  return Buffer.from(text.trim(), 'hex');
}

/** Opens the box that seals secrets under the site's key. A missing key is generated and made durable first. */
export async function siteKeyBox(path: string): Promise<SecretBox> {
  const known = await readSiteKey(path);
  if (known) return new SecretBox(known);
  const key = randomBytes(32);
  await writeDurably(path, `${key.toString('hex')}\n`, 0o600);
  return new SecretBox(key);
}

/** Advice for a missing `site.key`, or one of another site. */
export function siteKeyMissing(path: string): OutpostError {
  return new OutpostError(
    'SITE_KEY_MISSING',
    `De-identified exports need the key of this site, which no backup holds. Copy site.key of the former site folder, or the copy that was kept of it, to ${path}.`,
  );
}
