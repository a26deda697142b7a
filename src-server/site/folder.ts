/**
 * The site folder on disk: creates a new site, and opens an existing one (lock, database, crash recovery).
 *
 * ```
 * site.json  site.db  site.lock  signals/<recording>.sig  columns/  images/  inbox/  exports/  backups/
 * ```
 */
import { closeSync, existsSync, openSync } from 'node:fs';
import { access, chmod, constants, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import {
  hashPassword,
  hasOldSchema,
  isPasswordLengthAllowed,
  isSmallDatabase,
  type SlowQuery,
  SYSTEM,
} from '../db/index.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { DiskBudget, reserveOf } from '../files/disk-budget.ts';
import { DiskReserve } from '../files/disk-reserve.ts';
import { makeDirectoryDurably } from '../files/durable-files.ts';
import { completeErasures } from '../integrity/erasure/complete.ts';
import {
  newSiteFile,
  readSiteFile,
  SITE_FOLDERS,
  type SiteFile,
  sitePaths,
  writeSiteFile,
} from '../integrity/site-file.ts';
import { sealDeidentificationKey } from '../jobs/handlers/deidentification-key.ts';
import { openStore, type Store } from '../services/index.ts';
import { zoneOfCity } from '../study/zone-places.ts';
import { isTimeZone } from '../study/zones.ts';
import { AuditAnchors } from './audit-anchors.ts';
import { giveSpaceBack, type OpeningProgress, showStep } from './give-space-back.ts';
import { lockSite } from './lock.ts';
import { type ReconcileReport, reconcile } from './reconcile.ts';
import { finishReplacement } from './recovery/beside.ts';

export interface SiteFolder {
  dir: string;
  site: SiteFile;
  store: Store;
  /** Signed heads of the audit trail outside of the database. */
  anchors: AuditAnchors;
  signalsDir: string;
  inboxDir: string;
  exportsDir: string;
  imagesDir: string;
  backupsDir: string;
  /** How much may still be written outside the database. */
  disk: DiskBudget;
  /** Keeps the database writable on a full disk. */
  reserve: DiskReserve;
  /** What kept the database from being shrunk, see `give-space-back.ts`. The site works all the same. */
  shrinkProblem: OutpostError | undefined;
  /** Leftovers of the previous run that crash recovery found at this start. */
  reconciled: ReconcileReport;
  /** The whole database and all files were checked at this start, up to this audit row; if absent, it is done in the background. */
  checkedWhole?: { auditSequence: number };
  /** Of the database file, for backups that read it; see {@link holdPages}. */
  databaseDescriptor: number;
  /** Closes the database and releases the lock, even if closing fails. */
  close(): Promise<void>;
}

export interface NewSite {
  account: string;
  email: string;
  password: string;
  timeZone: string;
  firstName?: string;
  lastName?: string;
  /** Language of the administrator's emails. */
  locale?: string;
}

/**
 * Creates an empty site with its account and first administrator. A failure leaves the folder as it was.
 * @throws SITE_EXISTS when the folder holds a site or other files; INVALID_INPUT for a bad email, password or time zone;
 * SITE_READ_ONLY
 */
export async function initSite(
  dir: string,
  input: NewSite,
): Promise<{ siteId: string; accountId: string; userId: string }> {
  const checked = checkNewSite(input);
  const paths = sitePaths(dir);
  const existed = existsSync(paths.dir);
  if (existed && (await readdir(paths.dir)).length > 0) {
    const isSite = existsSync(paths.siteFile) || existsSync(paths.database);
    throw new OutpostError(
      'SITE_EXISTS',
      isSite
        ? `${paths.dir} already contains a site. Open it, or choose another folder.`
        : `${paths.dir} contains other files. Choose an empty or new folder for the site.`,
    );
  }
  await requireWritable(paths.dir);
  try {
    await makeDirectoryDurably(paths.dir);
    // Health data: only the operating system account that runs the site may read it.
    await chmod(paths.dir, 0o700);
    for (const folder of SITE_FOLDERS) await mkdir(join(paths.dir, folder), { recursive: true });
    const store = openStore(paths.database, { mode: 'create', backupsDir: paths.backupsDir });
    let ids: { accountId: string; userId: string };
    try {
      ids = await addFirstAdministrator(store, checked);
    } finally {
      await store.close();
    }
    const site = newSiteFile(checked.account, Date.now());
    await writeSiteFile(paths.dir, site);
    return { siteId: site.id, ...ids };
  } catch (thrown) {
    for (const folder of SITE_FOLDERS) await rm(join(paths.dir, folder), { recursive: true, force: true });
    for (const suffix of ['', '-wal', '-shm']) await rm(paths.database + suffix, { force: true });
    await rm(paths.siteFile, { force: true });
    if (!existed) await rm(paths.dir, { recursive: true, force: true });
    throw toOutpostError(thrown);
  }
}

/** Validates the input before anything is written. */
const newSite = z.object({
  account: z.string().trim().min(1, 'Enter the name of the organisation.').max(200),
  email: z
    .string()
    .trim()
    .regex(/^[^\s@]+@[^\s@]+$/, 'Enter a valid email address.'),
  password: z.string().refine(isPasswordLengthAllowed, 'A password has 8 to 64 characters.'),
  // People type the name of their city.
  timeZone: z
    .string()
    .trim()
    .transform((typed) => (isTimeZone(typed) ? typed : (zoneOfCity(typed) ?? typed)))
    .refine(isTimeZone, 'Unknown time zone. Use a name such as US/Eastern or Asia/Tokyo.'),
  firstName: z.string().trim().min(1, 'Enter a first name.').max(100).default('Site'),
  lastName: z.string().trim().min(1, 'Enter a last name.').max(100).default('Administrator'),
  locale: z.enum(['en_US', 'ja_JP']).default('en_US'),
});

function checkNewSite(input: NewSite): z.output<typeof newSite> {
  const parsed = newSite.safeParse(input);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  throw new OutpostError('INVALID_INPUT', `The site was not created: ${errors[0]?.message}`, { errors });
}

async function addFirstAdministrator(
  store: Store,
  input: z.output<typeof newSite>,
): Promise<{ accountId: string; userId: string }> {
  const passwordHash = await hashPassword(input.password);
  return await store.transaction(async ({ accounts, users }) => {
    const account = await accounts.create({ displayName: input.account }, SYSTEM);
    const user = await users.create(
      {
        accountId: account.id,
        email: input.email,
        passwordHash,
        firstName: input.firstName,
        lastName: input.lastName,
        locale: input.locale,
        timezone: input.timeZone,
        role: 'ADMIN',
      },
      SYSTEM,
    );
    return { accountId: account.id, userId: user.id };
  });
}

/** Checks the nearest existing folder first: a recursive mkdir on a read-only medium would fail with ENOENT. */
async function requireWritable(dir: string): Promise<void> {
  let folder = dir;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    await access(folder, constants.W_OK);
  } catch (thrown) {
    throw new OutpostError('SITE_READ_ONLY', `${folder} is not writable. Check its permissions and the disk.`, {
      cause: thrown,
    });
  }
}

/**
 * Opens a site exclusively for this process: takes the lock, opens and migrates the database, recovers from a crash.
 * @throws SITE_MISSING, SITE_LOCKED, SITE_CORRUPT, SITE_READ_ONLY, SITE_NEWER, SITE_MIGRATION_FAILED, DISK_FULL
 */
export async function openSite(
  dir: string,
  options: {
    clock?: () => number;
    onSlowQuery?: (query: SlowQuery) => void;
    /** Up to this size of the database all of it, and all files, are checked before the site is open; see {@link openSqlite}. */
    smallBytes?: number;
    /** Receives the progress of work that only a site of an older version needs. */
    onProgress?: OpeningProgress;
  } = {},
): Promise<SiteFolder> {
  await finishReplacement(dir);
  const paths = sitePaths(dir);
  const site = await readSiteFile(dir);
  // The lock and the log of the database are files that a full disk would refuse.
  const reserve = new DiskReserve(paths.dir);
  reserve.makeRoom({ isOpening: true });
  const lock = lockSite(paths.dir);
  let store: Store | undefined;
  let anchors: AuditAnchors | undefined;
  let descriptor: number | undefined;
  // Last of all: closing it drops the locks that SQLite has on the same file.
  const closeDescriptor = () => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  try {
    const isSmall = isSmallDatabase(paths.database, options.smallBytes);
    if (options.onProgress && hasOldSchema(paths.database)) await showStep(options.onProgress, 'updating the database');
    store = openStore(paths.database, {
      backupsDir: paths.backupsDir,
      room: reserve,
      ...(options.smallBytes !== undefined && { smallBytes: options.smallBytes }),
      ...(options.clock && { clock: options.clock }),
      ...(options.onSlowQuery && { onSlowQuery: options.onSlowQuery }),
    });
    descriptor = openSync(paths.database, 'r');
    for (const folder of SITE_FOLDERS) await mkdir(join(paths.dir, folder), { recursive: true });
    // Before anything is written: what was written while the site was closed shows.
    anchors = await AuditAnchors.open({
      siteDir: paths.dir,
      siteId: site.id,
      store,
      clock: options.clock ?? Date.now,
    });
    const opened = { store, anchors };
    // Before anything reads the rows: a database of an earlier time may still have people who were erased since.
    await completeErasures(paths.dir, store);
    const shrinkProblem = await giveSpaceBack(paths.dir, store, options.onProgress);
    const reconciled = await reconcile(paths, store, { isWhole: isSmall });
    await sealDeidentificationKey({ store, siteDir: paths.dir });
    store.refreshStatistics();
    makeReserve(reserve);
    return {
      dir: paths.dir,
      site,
      store,
      signalsDir: paths.signalsDir,
      inboxDir: paths.inboxDir,
      exportsDir: paths.exportsDir,
      imagesDir: paths.imagesDir,
      backupsDir: paths.backupsDir,
      anchors,
      disk: new DiskBudget(paths.dir, reserve),
      reserve,
      shrinkProblem,
      reconciled,
      databaseDescriptor: descriptor,
      ...(isSmall && { checkedWhole: { auditSequence: (await store.audit.head()).sequence } }),
      close: async () => {
        try {
          await opened.anchors.close();
          await opened.store.close();
        } finally {
          closeDescriptor();
          lock.release();
        }
      },
    };
  } catch (thrown) {
    try {
      await anchors?.close();
      await store?.close();
    } finally {
      closeDescriptor();
      lock.release();
    }
    throw toOutpostError(thrown);
  }
}

/** Makes the emergency reserve now on a disk that may be full soon; otherwise `disk-watch.ts` does, without keeping anybody waiting. */
function makeReserve(reserve: DiskReserve): void {
  if (!reserve.isNeededSoon) return;
  while (reserve.makeStep(reserveOf));
}
