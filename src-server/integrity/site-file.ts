/** The folder of a site by its parts: their paths, `site.json`, and the names that Outpost gives to files in it. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { OutpostError, toOutpostError } from '../errors.ts';
import { writeDurably } from '../files/durable-files.ts';

const SITE_FILE = 'site.json';
const DATABASE_FILE = 'site.db';
export const LOCK_FILE = 'site.lock';
/** What the site needs to add to encrypted folders of backups. */
export const SITE_KEYS_FILE = 'backup-keys.json';
export const SITE_FOLDERS = ['signals', 'columns', 'images', 'inbox', 'exports', 'backups'] as const;

/** The content of `site.json`: the site's identity, and the key that signs its download URLs. */
const siteFile = z.object({
  format: z.literal(1),
  id: z.uuid(),
  displayName: z.string(),
  createdTs: z.int(),
  urlSigningKey: z.string().regex(/^[0-9a-f]{64}$/),
});
export type SiteFile = z.infer<typeof siteFile>;

/** Returns the paths of a site's parts without reading any. */
export function sitePaths(dir: string) {
  const root = resolve(dir);
  return {
    dir: root,
    siteFile: join(root, SITE_FILE),
    /** The key that seals secrets which backups must not reveal; see site-key.ts. */
    keyFile: join(root, 'site.key'),
    /** Signs the heads of the audit trail; see anchors/anchor-key.ts. */
    anchorKey: join(root, 'audit-anchor.key'),
    anchorLog: join(root, 'audit-anchors.jsonl'),
    database: join(root, DATABASE_FILE),
    signalsDir: join(root, 'signals'),
    columnsDir: join(root, 'columns'),
    inboxDir: join(root, 'inbox'),
    exportsDir: join(root, 'exports'),
    imagesDir: join(root, 'images'),
    backupsDir: join(root, 'backups'),
  };
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** `<recording>.sig`, `.overview` and `.clock`, also unfinished under a longer name. */
const SIGNAL_NAME = new RegExp(`^(${UUID})\\.(?:sig|overview|clock)(?:\\..*)?$`);
/** `<message>.jpg` and the like. */
export const PICTURE_NAME = new RegExp(`^${UUID}\\.`);

/** Returns the id of the recording that a file in `signals` belongs to; undefined for a name that is not Outpost's. */
export function recordingIdOfFile(name: string): string | undefined {
  return SIGNAL_NAME.exec(name)?.[1];
}

/** @throws SITE_MISSING when the folder is not a site, SITE_NEWER, SITE_CORRUPT when site.json is invalid */
export async function readSiteFile(dir: string): Promise<SiteFile> {
  const paths = sitePaths(dir);
  let text: string;
  try {
    text = await readFile(paths.siteFile, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw toOutpostError(thrown);
    if (isSiteWithoutFile(paths)) throw damagedSiteFile(`${paths.siteFile} is missing.`);
    throw new OutpostError(
      'SITE_MISSING',
      `There is no site in ${paths.dir}. Check the folder, or make one with \`outpost init\`.`,
    );
  }
  const parsed = siteFile.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const format = (parseJson(text) as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > 1) {
    throw new OutpostError(
      'SITE_NEWER',
      `The site in ${paths.dir} was made by a newer Outpost. Install that version, then open it again.`,
    );
  }
  throw damagedSiteFile(`${paths.siteFile} is damaged.`);
}

/** `site.json` until a restore is done. It distinguishes the remains of a restore from unrelated files. */
export const RESTORING_MARKER = `${SITE_FILE}.restoring`;

/** A site whose `site.json` was lost. One that is still being made or restored has none yet. */
function isSiteWithoutFile({ dir, database, signalsDir }: ReturnType<typeof sitePaths>): boolean {
  return existsSync(database) && existsSync(signalsDir) && !existsSync(join(dir, RESTORING_MARKER));
}

function damagedSiteFile(what: string): OutpostError {
  return new OutpostError(
    'SITE_CORRUPT',
    `${what} Put it back from the newest good backup; the recordings and the database are not touched.`,
    { details: { part: 'site-file' } },
  );
}

/** Writes a new `site.json`, under a new identity unless one is given. */
export function newSiteFile(displayName: string, createdTs: number, id = uuidv7()): SiteFile {
  return { format: 1, id, displayName, createdTs, urlSigningKey: randomBytes(32).toString('hex') };
}

export async function writeSiteFile(dir: string, content: SiteFile): Promise<void> {
  await writeDurably(sitePaths(dir).siteFile, `${JSON.stringify(content, null, 2)}\n`, 0o600);
}

/** @throws SITE_CORRUPT for bytes that are no `site.json` */
export function parseSiteFile(text: string): SiteFile {
  const parsed = siteFile.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw damagedSiteFile('This site.json is damaged.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
