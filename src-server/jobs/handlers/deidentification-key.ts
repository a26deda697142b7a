/**
 * Owns the key from which codes and shifts of de-identified exports are derived. The database stores it sealed under `site.key`,
 * because anyone with this key and the database could re-identify every de-identified export of the site.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { SYSTEM } from '../../db/index.ts';
import { sitePaths } from '../../integrity/site-file.ts';
import { readSiteKey, siteKeyBox, siteKeyMissing } from '../../integrity/site-key.ts';
import { SecretBox } from '../../secrets/sealed-text.ts';
import type { Store } from '../../services/index.ts';

const SETTING = 'exports.deidentificationKey';
const PLAIN = /^[0-9a-f]{64}$/;
/** Prefix of a sealed value whose plain text may still be in unused pages of the database file. */
const UNSCRUBBED = 'unscrubbed:';

type KeyContext = { store: Store; siteDir: string };

/**
 * Returns the site's key, created at first use and never changed, so that codes agree between exports.
 * @throws SITE_KEY_MISSING when `site.key` is missing, as after a restore on another computer
 */
export async function deidentificationKey({ store, siteDir }: KeyContext): Promise<Uint8Array> {
  const { keyFile } = sitePaths(siteDir);
  const stored = await store.settings.get(SETTING);
  if (stored !== null && !PLAIN.test(stored)) {
    const key = await readSiteKey(keyFile);
    const opened = key && new SecretBox(key).open(stored.replace(UNSCRUBBED, ''));
    if (opened === undefined) throw siteKeyMissing(keyFile);
    return Buffer.from(opened, 'hex');
  }
  const box = await siteKeyBox(keyFile);
  return await store.transaction(async ({ settings }) => {
    const known = await settings.get(SETTING);
    if (known !== null) return Buffer.from(box.open(known.replace(UNSCRUBBED, '')) ?? known, 'hex');
    const key = randomBytes(32);
    await settings.set(SETTING, box.seal(key.toString('hex')), SYSTEM);
    return key;
  });
}

/**
 * When a site is opened: makes `site.key` of a new one; seals a key that an earlier version stored in plain text, and scrubs the plain
 * text from the database file. If interrupted, the next start resumes. Scrubbing needs free space of the file's size; without it the value
 * is still sealed, and the next start overwrites it again.
 */
export async function sealDeidentificationKey({ store, siteDir }: KeyContext): Promise<void> {
  const stored = await store.settings.get(SETTING);
  const { keyFile } = sitePaths(siteDir);
  // Made before it is needed: a copy from the day of the set-up fits every later export.
  if (stored === null && !existsSync(keyFile)) await siteKeyBox(keyFile);
  if (stored === null || !(PLAIN.test(stored) || stored.startsWith(UNSCRUBBED))) return;
  let sealed = stored;
  if (PLAIN.test(stored)) {
    sealed = UNSCRUBBED + (await siteKeyBox(keyFile)).seal(stored);
    await store.settings.set(SETTING, sealed, SYSTEM);
  }
  if (store.overwriteDeleted()) await store.settings.set(SETTING, sealed.replace(UNSCRUBBED, ''), SYSTEM);
}
