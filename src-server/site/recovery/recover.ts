/** The ways back from a site that cannot be opened: restore a backup in its place, or rebuild it from its signal files. */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { newReadableSecret } from '../../db/index.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { SITE_MEMBER } from '../../integrity/backup/manifest.ts';
import { type RestoredSite, restoreSite } from '../../integrity/backup/restore.ts';
import { type AskPassphrase, openBackup } from '../../integrity/backup/sources.ts';
import { addErasures, readErasures } from '../../integrity/erasure/list.ts';
import {
  newSiteFile,
  parseSiteFile,
  readSiteFile,
  type SiteFile,
  sitePaths,
  writeSiteFile,
} from '../../integrity/site-file.ts';
import { readSiteKey } from '../../integrity/site-key.ts';
import { initSite, openSite } from '../folder.ts';
import { lockSite } from '../lock.ts';
import { type Adopted, type AdoptOptions, adoptRecordings } from './adopt.ts';
import { replaceSite } from './beside.ts';
import { backupsOfSite, holdsRecordings, type SearchOptions } from './newest-good.ts';

export interface RecoverOptions extends Omit<AdoptOptions, 'nowTs'> {
  nowTs?: number;
  /** An empty or new folder for the new site, instead of the place of the damaged one, which then stays where it is. */
  to?: string;
  /** For an encrypted backup. */
  askPassphrase?: AskPassphrase;
}

export interface Recovered {
  /** Where the site is now. */
  dir: string;
  /** Where the damaged one is kept. */
  damagedDir: string;
  /** What came from the signal files of the damaged site, after the backup or without one. */
  adopted: Adopted;
}

/**
 * Restores a backup in the place of a damaged site, and adds the recordings that the damaged site received since.
 * @throws those of `restoreSite` and `replaceSite`
 */
export async function restoreInPlace(
  dir: string,
  backupPath: string,
  options: RecoverOptions = {},
): Promise<Recovered & { restored: RestoredSite }> {
  const { keyFile } = sitePaths(dir);
  const hasKey = await readSiteKey(keyFile).then(Boolean, () => false);
  const { made, ...places } = await makeSite(dir, options, async (newDir, adoptOptions) => {
    const restored = await restoreSite(backupPath, newDir, {
      ...adoptOptions,
      erasuresIn: [dir],
      anchorsIn: dir,
      ...(hasKey && { keyFile }),
      ...(options.askPassphrase && { askPassphrase: options.askPassphrase }),
    });
    return { restored, adopted: await adoptInto(newDir, dir, adoptOptions) };
  });
  return { ...places, ...made };
}

export interface RebuiltSite extends Recovered {
  /** Credentials of the administrator of the new site. */
  email: string;
  password: string;
}

const REBUILT_EMAIL = 'admin@rebuilt.invalid';

/**
 * Makes a new site from nothing but the signal files of a damaged one. Subjects, studies, labels, answers, messages, users, paired
 * devices and the audit were in the database alone, and are lost.
 * @throws NOT_FOUND when there is no signal file, and what `initSite` and `replaceSite` throw
 */
export async function rebuildInPlace(dir: string, options: RecoverOptions = {}): Promise<RebuiltSite> {
  if (!(await holdsRecordings(dir))) {
    throw new OutpostError(
      'NOT_FOUND',
      `There are no signal files in ${sitePaths(dir).signalsDir}, so nothing can be rebuilt. Check the folder and its disk.`,
    );
  }
  const before = await readSiteFile(dir).catch(() => undefined);
  const password = newReadableSecret();
  const { made, ...places } = await makeSite(dir, options, async (newDir, adoptOptions) => {
    await initSite(newDir, {
      account: before?.displayName ?? 'Outpost',
      email: REBUILT_EMAIL,
      password,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      locale: options.language === 'ja' ? 'ja_JP' : 'en_US',
    });
    await addErasures(newDir, await readErasures(dir));
    return { adopted: await adoptInto(newDir, dir, adoptOptions) };
  });
  return { ...places, ...made, email: REBUILT_EMAIL, password };
}

/**
 * Puts a lost or damaged `site.json` back, from the newest backup that has it. Without one a new file is made: the devices of the site
 * then have to be paired again, and links to downloads made before are no longer valid. The damaged file is kept.
 * @throws BACKUP_ENCRYPTED when only backups have it whose passphrase is not known
 */
export async function putSiteFileBack(
  dir: string,
  options: SearchOptions & { isWithoutBackup?: boolean } = {},
): Promise<{ source: 'backup' | 'new'; path?: string }> {
  const lock = lockSite(dir);
  try {
    const { siteFile } = sitePaths(dir);
    const found = options.isWithoutBackup ? undefined : await newestSiteFile(dir, options);
    const content = found?.content ?? newSiteFile('Outpost', Date.now());
    if (existsSync(siteFile)) await rename(siteFile, `${siteFile}.damaged-${Date.now()}`);
    await writeSiteFile(dir, content);
    return found ? { source: 'backup', path: found.path } : { source: 'new' };
  } finally {
    lock.release();
  }
}

async function newestSiteFile(
  dir: string,
  options: SearchOptions,
): Promise<{ content: SiteFile; path: string } | undefined> {
  let locked: OutpostError | undefined;
  for (const { path, problem } of await backupsOfSite(dir, options)) {
    if (problem !== undefined) continue;
    try {
      const source = await openBackup(path, options.askPassphrase);
      try {
        const chunks: Uint8Array[] = [];
        for await (const chunk of await source.read(SITE_MEMBER)) chunks.push(chunk);
        const bytes = Buffer.concat(chunks);
        if (sha256Hex(bytes) !== source.manifest.siteFile.sha256) continue;
        return { content: parseSiteFile(bytes.toString('utf8')), path };
      } finally {
        source.close();
      }
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (error.code === 'PASSPHRASE_WRONG') throw error;
      // The next one may have it.
      if (error.code === 'BACKUP_ENCRYPTED') locked = error;
    }
  }
  if (locked) throw locked;
  return undefined;
}

async function makeSite<T>(
  dir: string,
  { to, nowTs = Date.now(), ...options }: RecoverOptions,
  make: (newDir: string, options: AdoptOptions) => Promise<T>,
): Promise<{ made: T; dir: string; damagedDir: string }> {
  const adoptOptions = { ...options, nowTs };
  if (to !== undefined) {
    return { made: await make(resolve(to), adoptOptions), dir: resolve(to), damagedDir: resolve(dir) };
  }
  const { made, asideDir } = await replaceSite(dir, nowTs, (newDir) => make(newDir, adoptOptions));
  return { made, dir: resolve(dir), damagedDir: asideDir };
}

async function adoptInto(newDir: string, damagedDir: string, options: AdoptOptions): Promise<Adopted> {
  const folder = await openSite(newDir);
  try {
    if (!existsSync(damagedDir)) return { added: 0, unassigned: 0, filesReturned: 0, partial: [], unreadable: [] };
    return await adoptRecordings(folder, damagedDir, options);
  } finally {
    await folder.close();
  }
}
