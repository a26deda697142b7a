/**
 * Where the backups of a site lie, in a small file beside its database. The schedule in the database names the folder too, but a
 * recovery begins where the database cannot be read, and backups that a person makes go elsewhere.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { HOUR_MS } from '../../durations.ts';
import { writeDurably } from '../../files/durable-files.ts';
import { sitePaths } from '../site-file.ts';

const PLACES_FILE = 'backup-places.json';
const MOST_PLACES = 10;

const placesSchema = z.object({
  siteId: z.string(),
  /** The place of the newest backup first. `path` is a folder of backups or a ZIP. */
  places: z.array(
    z.object({
      path: z.string(),
      backupTs: z.int(),
      /** See `identity.ts`. */
      folderId: z.string().optional(),
      /** Name of the removable drive that it is on, and when the drive was last there. */
      drive: z.string().optional(),
      seenTs: z.int().optional(),
    }),
  ),
});
export type BackupPlaces = z.output<typeof placesSchema>;
export type BackupPlace = BackupPlaces['places'][number];

/** Undefined when there is no such file, or not intact. */
export async function readBackupPlaces(siteDir: string): Promise<BackupPlaces | undefined> {
  try {
    return placesSchema.parse(JSON.parse(await readFile(join(siteDir, PLACES_FILE), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Notes where a backup was made. A backup does not fail because its place cannot be noted. */
export async function noteBackupPlace(
  siteDir: string,
  siteId: string,
  to: string,
  facts: Omit<BackupPlace, 'path'>,
): Promise<void> {
  const path = resolve(to);
  // The site's own folder of backups is always looked at, wherever the site is by then.
  if (path === sitePaths(siteDir).backupsDir) return;
  const before = (await readBackupPlaces(siteDir))?.places ?? [];
  await writePlaces(siteDir, {
    siteId,
    places: [{ path, ...facts }, ...before.filter((place) => place.path !== path)].slice(0, MOST_PLACES),
  });
}

const SEEN_EVERY_MS = HOUR_MS;

/** Notes that the drive of a folder of backups is there, once an hour. */
export async function notePlaceSeen(siteDir: string, folder: string, nowTs: number): Promise<void> {
  const known = await readBackupPlaces(siteDir);
  const place = known?.places.find(({ path }) => path === folder);
  if (!known || place?.drive === undefined || Math.abs(nowTs - (place.seenTs ?? 0)) < SEEN_EVERY_MS) return;
  const places = known.places.map((one) => (one === place ? { ...one, seenTs: nowTs } : one));
  await writePlaces(siteDir, { ...known, places });
}

async function writePlaces(siteDir: string, places: BackupPlaces): Promise<void> {
  const text = `${JSON.stringify(places)}\n`;
  await writeDurably(join(siteDir, PLACES_FILE), text, 0o600).catch(() => undefined);
}
