/**
 * Puts a new site in the place of a damaged one, which is kept aside under another name. The new one is made beside it first, and
 * a journal beside both says how far this is: interrupted before the new site is complete, nothing has changed; interrupted later,
 * the next opening of the site ends it.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { HeldLock } from '../../db/index.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { syncDirectory, writeDurably } from '../../files/durable-files.ts';
import { sitePaths } from '../../integrity/site-file.ts';
import { lockSite } from '../lock.ts';

const journalSchema = z.object({
  /** `building` until the new site is complete. */
  state: z.enum(['building', 'ready']),
  /** Names in the folder that holds the site. */
  newName: z.string(),
  asideName: z.string(),
});
type Journal = z.output<typeof journalSchema>;

const journalPath = (dir: string) => `${dir}.recovery.json`;

async function readJournal(dir: string): Promise<Journal | undefined> {
  const path = journalPath(dir);
  if (!existsSync(path)) return undefined;
  try {
    return journalSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** The folder itself, where the given path is a link to it: names beside the link may be on another disk. */
async function siteRoot(dir: string): Promise<string> {
  return await realpath(dir).catch(() => resolve(dir));
}

/**
 * @param make makes the new site in the folder that it is given, which does not exist
 * @returns what `make` returned, and where the damaged site is now
 * @throws SITE_LOCKED; SITE_READ_ONLY when no folder can be made or renamed beside the site; and what `make` throws
 */
export async function replaceSite<T>(
  dir: string,
  nowTs: number,
  make: (newDir: string) => Promise<T>,
): Promise<{ made: T; asideDir: string }> {
  const root = await siteRoot(dir);
  const parent = dirname(root);
  const lock = lockDamaged(root);
  const stamp = new Date(nowTs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const journal: Journal = {
    state: 'building',
    newName: `${basename(root)}.restoring-${stamp}`,
    asideName: await freeName(parent, `${basename(root)}-damaged-${stamp}`),
  };
  const newDir = join(parent, journal.newName);
  let made: T;
  try {
    await removeUnfinished(root);
    await writeDurably(journalPath(root), JSON.stringify(journal)).catch((thrown: unknown) => {
      throw notBeside(parent, thrown);
    });
    try {
      made = await make(newDir);
      await syncDirectory(parent);
      await writeDurably(journalPath(root), JSON.stringify({ ...journal, state: 'ready' } satisfies Journal));
    } catch (thrown) {
      await removeUnfinished(root).catch(() => undefined);
      throw thrown;
    }
  } finally {
    // Windows renames no folder with an open file.
    lock?.release();
  }
  await finishReplacement(root);
  return { made, asideDir: join(parent, journal.asideName) };
}

function notBeside(parent: string, thrown: unknown): OutpostError {
  const error = toOutpostError(thrown);
  if (error.code === 'DISK_FULL') return error;
  return new OutpostError(
    'SITE_READ_ONLY',
    `${parent} cannot be written to, so no site can be made beside the damaged one. Choose another folder for the site.`,
    { cause: thrown },
  );
}

/** A lock that cannot be taken because the folder or the lock itself is unusable is not held by anyone else either. */
function lockDamaged(root: string): HeldLock | undefined {
  if (!existsSync(root)) return undefined;
  try {
    return lockSite(root);
  } catch (thrown) {
    if (toOutpostError(thrown).code === 'SITE_LOCKED') throw thrown;
    return undefined;
  }
}

async function freeName(parent: string, name: string): Promise<string> {
  for (let i = 1; ; i++) {
    const tried = i === 1 ? name : `${name}-${i}`;
    if (!existsSync(join(parent, tried))) return tried;
  }
}

/** Removes a new site that was not completed, with its journal. */
async function removeUnfinished(root: string): Promise<void> {
  const journal = await readJournal(root);
  if (journal?.state === 'building') await rm(join(dirname(root), journal.newName), { recursive: true, force: true });
  await rm(journalPath(root), { force: true });
}

/**
 * Ends a replacement that was interrupted after the new site was complete; does nothing otherwise. Every step can be repeated.
 * @throws SITE_READ_ONLY when the damaged site cannot be renamed; the new one is then complete under its own name
 */
export async function finishReplacement(dir: string): Promise<void> {
  const root = await siteRoot(dir);
  const journal = await readJournal(root);
  if (journal?.state !== 'ready') return;
  const parent = dirname(root);
  const [newDir, asideDir] = [join(parent, journal.newName), join(parent, journal.asideName)];
  try {
    if (existsSync(newDir)) {
      if (existsSync(root) && !existsSync(asideDir)) await rename(root, asideDir);
      await rename(newDir, root);
    }
    await keepBackups(asideDir, root);
  } catch (thrown) {
    await rm(journalPath(root), { force: true }).catch(() => undefined);
    const where = existsSync(newDir) ? newDir : root;
    throw new OutpostError(
      'SITE_READ_ONLY',
      `The new site is complete in ${where}, but could not take the place of the damaged one in ${root}. Open it where it is.`,
      { cause: thrown, details: { newDir: where } },
    );
  }
  await syncDirectory(parent);
  await rm(journalPath(root), { force: true });
  await syncDirectory(parent);
}

/** The backups in the damaged site's own folder move to the new one, so that the next ones share their content. */
async function keepBackups(asideDir: string, root: string): Promise<void> {
  const [from, to] = [sitePaths(asideDir).backupsDir, sitePaths(root).backupsDir];
  if (!existsSync(from)) return;
  await mkdir(to, { recursive: true });
  // A restore may have left a copy of the database there, from before its schema was brought up to date.
  for (const name of await readdir(from)) {
    if (!existsSync(join(to, name))) await rename(join(from, name), join(to, name));
  }
  // Where they are now first: a power cut between the two must not take them from both.
  await syncDirectory(to);
  await syncDirectory(from);
}
