/**
 * The key from which codes and shifts of de-identified exports are derived. The database holds it sealed under `site.key`: with
 * it, and with the subjects beside it, every de-identified export of the site could be linked to people again.
 */
import { randomBytes } from 'node:crypto';
import { SYSTEM } from '../../db/index.ts';
import { sitePaths } from '../../integrity/site-file.ts';
import { readSiteKey, siteKeyBox, siteKeyMissing } from '../../integrity/site-key.ts';
import { SecretBox } from '../../secrets/sealed-text.ts';
import type { Store } from '../../services/index.ts';

const SETTING = 'exports.deidentificationKey';
const OPEN = /^[0-9a-f]{64}$/;
/** Before a sealed value whose open form may still be in unused parts of the database file. */
const UNSCRUBBED = 'unscrubbed:';

type Keeper = { store: Store; siteDir: string };

/**
 * The site's key, made at first use and never changed: exports would no longer agree with each other.
 * @throws SITE_KEY_MISSING when the key that seals it is not there, as after a restore on another computer
 */
export async function deidentificationKey({ store, siteDir }: Keeper): Promise<Uint8Array> {
  const { keyFile } = sitePaths(siteDir);
  const stored = await store.settings.get(SETTING);
  if (stored !== null && !OPEN.test(stored)) {
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
 * Seals a key that an earlier version stored openly, and removes what is left of it from the database file. If it is
 * interrupted, the next start resumes. Rewriting the file once needs its size in free space; without that the value is still
 * sealed, and the next start tries the rewrite again.
 */
export async function sealDeidentificationKey({ store, siteDir }: Keeper): Promise<void> {
  const stored = await store.settings.get(SETTING);
  if (stored === null || !(OPEN.test(stored) || stored.startsWith(UNSCRUBBED))) return;
  let sealed = stored;
  if (OPEN.test(stored)) {
    sealed = UNSCRUBBED + (await siteKeyBox(sitePaths(siteDir).keyFile)).seal(stored);
    await store.settings.set(SETTING, sealed, SYSTEM);
  }
  if (store.scrub()) await store.settings.set(SETTING, sealed.replace(UNSCRUBBED, ''), SYSTEM);
}
