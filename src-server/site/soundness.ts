/**
 * Whether the database and the files of the running site are sound (resources/decisions/0014). A large site is ready before all of
 * it was read, so the rest is read in the background: the database after an unclean end at once, and otherwise once a day; the
 * names of the files at every start.
 *
 * When damage is found, the site becomes read-only: every write is refused with SITE_CORRUPT, so nothing is acknowledged that a
 * restore would lose. The jobs stop, backups made since the last good check are marked, and the next start reads the whole
 * database before it serves anything.
 */
import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSoundness } from '../api/deps.ts';
import { isRecent } from '../clock-rules.ts';
import { type DatabaseCheck, isUnchecked, readDatabaseCheck, SYSTEM, writeDatabaseCheck } from '../db/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { errorFromJSON, OutpostError, toOutpostError } from '../errors.ts';
import { noteComparison } from '../integrity/anchors/compare-site.ts';
import type { BackgroundCheckOutcome } from '../integrity/background-check.ts';
import { directoryOf, markSuspect } from '../integrity/backup/keep.ts';
import { claimedRecordings, type FileCensus } from '../integrity/file-census.ts';
import { recordingIdOfFile } from '../integrity/site-file.ts';
import { pause } from '../jobs/pause.ts';
import type { WorkerPool } from '../jobs/workers/pool.ts';
import type { SiteFolder } from './folder.ts';
import { recheckFile, removeUnowned } from './reconcile.ts';

export interface SoundnessOptions {
  folder: SiteFolder;
  /** A pool of its own: a check must neither wait for imports nor hold them up. */
  workers: Pick<WorkerPool, 'run' | 'close'>;
  clock: () => number;
  /** Called once when damage was found, after writes are refused: stops the work that writes. */
  onDamage: (error: OutpostError) => Promise<void>;
  onProblem: (problem: unknown) => void;
  /** Until the first check, so that the first requests are served before; default 5 s. */
  delayMs?: number;
  /** Between finding a file without an owner and removing it; default a minute. */
  settleMs?: number;
}

const FIRST_DELAY_MS = 5000;
const LOOK_EVERY_MS = HOUR_MS;
const CHECK_EVERY_MS = DAY_MS;

export class Soundness {
  readonly #options: SoundnessOptions;
  readonly #path: string;
  readonly #closing = new AbortController();
  #last: DatabaseCheck | undefined;
  #isChecking = false;
  #areFilesCompared = false;
  #working: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SoundnessOptions) {
    this.#options = options;
    this.#path = options.folder.store.path;
    const { checkedWhole } = options.folder;
    this.#last = checkedWhole ? this.#checkAtStart(checkedWhole) : readDatabaseCheck(this.#path);
  }

  /** What is known of the database now. */
  get state(): DatabaseSoundness {
    const last = this.#last;
    return {
      state: this.#isDamaged() ? 'damaged' : isUnchecked(this.#path) ? 'unchecked' : 'sound',
      isChecking: this.#isChecking,
      ...(last && { checkedTs: last.checkedTs, problems: last.problems }),
    };
  }

  /** Plans the checks. Nothing of them is awaited: the site is ready. */
  start(): void {
    if (!this.#options.folder.checkedWhole) this.#plan(this.#options.delayMs ?? FIRST_DELAY_MS);
    else this.#plan(LOOK_EVERY_MS);
  }

  /** Checks now what is due. Resolves when that is done. */
  async check(): Promise<void> {
    this.#working = this.#working.then(() => this.#check()).catch(this.#options.onProblem);
    await this.#working;
  }

  /** Takes over what another reading of all pages found. */
  async takeOver(found: NonNullable<BackgroundCheckOutcome['database']>): Promise<void> {
    if (!this.#isDamaged()) await this.#note(found);
  }

  /** Ends a running check after the table that it reads. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#working;
    await this.#options.workers.close();
  }

  #plan(delayMs: number): void {
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => void this.check().then(() => this.#plan(LOOK_EVERY_MS)), delayMs);
    this.#timer.unref();
  }

  #checkAtStart({ auditSequence }: { auditSequence: number }): DatabaseCheck {
    const { store } = this.#options.folder;
    return {
      checkedTs: this.#options.clock(),
      durationMs: 0,
      sizeBytes: store.facts().sizeBytes,
      auditSequence,
      problems: [],
    };
  }

  #isDamaged(): boolean {
    return (this.#last?.problems.length ?? 0) > 0;
  }

  #isDatabaseDue(): boolean {
    if (isUnchecked(this.#path) || this.#last === undefined) return true;
    // A check dated in the future was made while the clock was ahead.
    return !isRecent(this.#last.checkedTs, CHECK_EVERY_MS, this.#options.clock());
  }

  async #check(): Promise<void> {
    const withDatabase = this.#isDatabaseDue();
    const withFiles = !this.#options.folder.checkedWhole && !this.#areFilesCompared;
    if (this.#closing.signal.aborted || this.#isDamaged() || (!withDatabase && !withFiles)) return;
    this.#isChecking = true;
    try {
      const { dir } = this.#options.folder;
      const { signal } = this.#closing;
      const found = await this.#options.workers.run('checkInBackground', { dir, withDatabase }, { signal });
      if (found.database) await this.#note(found.database);
      if (found.audit && !this.#isDamaged())
        await noteComparison(this.#options.folder.store, found.audit, this.#options.clock());
      // Compared again with the next check.
      if ('failure' in found.files) throw errorFromJSON(found.files.failure);
      if (withFiles && !this.#isDamaged()) await this.#settleFiles(found.files);
      this.#areFilesCompared = true;
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (error.kind === 'cancelled') return;
      // A page that cannot be read in the middle of a query ends the worker's task with the same code.
      if (error.code !== 'SITE_CORRUPT') throw error;
      if (this.#isDamaged()) return;
      await this.#note({ problems: [error.message], durationMs: 0, sizeBytes: 0, auditSequence: 0 });
    } finally {
      this.#isChecking = false;
    }
  }

  async #note(found: NonNullable<BackgroundCheckOutcome['database']>): Promise<void> {
    const before = this.#last;
    const check: DatabaseCheck = { ...found, checkedTs: this.#options.clock() };
    this.#last = check;
    if (check.problems.length === 0) return writeDatabaseCheck(this.#path, check);
    const error = new OutpostError(
      'SITE_CORRUPT',
      'The database of this site is damaged, so the site is read-only. Stop using it and restore the newest good backup.',
    );
    // Before anything else: an answer that acknowledges a write from here on would promise what a restore loses.
    this.#options.folder.store.refuseWrites(error);
    writeDatabaseCheck(this.#path, check);
    this.#options.onProblem(
      new OutpostError('SITE_CORRUPT', `${error.message} SQLite says: ${check.problems.slice(0, 3).join('; ')}`),
    );
    await this.#options.onDamage(error);
    await this.#markBackups(before, check);
  }

  /** Backups of the site since its last good check may hold the damage. */
  async #markBackups(before: DatabaseCheck | undefined, { checkedTs }: DatabaseCheck): Promise<void> {
    const { store, site, backupsDir } = this.#options.folder;
    const { directory } = await directoryOf(store, backupsDir);
    const goodSequence = before && before.problems.length === 0 ? before.auditSequence : 0;
    for (const folder of new Set([directory, backupsDir])) {
      await markSuspect(folder, { siteId: site.id, goodSequence, checkedTs }).catch(this.#options.onProblem);
    }
  }

  /** Acts on what still is as the census saw it. */
  async #settleFiles({ missing, returned, unowned, unsentPictures }: FileCensus): Promise<void> {
    const { store, signalsDir, imagesDir } = this.#options.folder;
    const { signal } = this.#closing;
    for (const id of missing) {
      if (signal.aborted) return;
      if (existsSync(join(signalsDir, `${id}.sig`)) || !(await store.recordings.get(id))) continue;
      await store.recordings.setFileState(id, 'MISSING', SYSTEM);
    }
    for (const id of returned) {
      if (signal.aborted) return;
      const path = join(signalsDir, `${id}.sig`);
      if (existsSync(path) && (await store.recordings.get(id))) await recheckFile(store, id, path);
    }
    const files = [
      ...unowned.map((name) => join(signalsDir, name)),
      ...unsentPictures.map((name) => join(imagesDir, name)),
    ];
    if (files.length === 0) return;
    const seen = new Map<string, string>();
    for (const path of files) seen.set(path, await identityOf(path));
    // An import or an upload in progress claims its recording first, and puts file and row within moments of each other.
    await pause(this.#options.settleMs ?? MINUTE_MS, signal);
    if (signal.aborted) return;
    const claimed = await claimedRecordings(store);
    for (const name of unowned) {
      const id = recordingIdOfFile(name);
      const isSame = (await identityOf(join(signalsDir, name))) === seen.get(join(signalsDir, name));
      if (id === undefined || !isSame || claimed.has(id)) continue;
      const isOfRow = (await store.recordings.get(id)) !== undefined;
      if (isOfRow && /\.(sig|overview|clock)$/.test(name)) continue;
      await removeUnowned(this.#options.folder, name, claimed, { removedSignals: [], orphanedSignals: [] });
    }
    if (unsentPictures.length === 0) return;
    const sent = await store.messages.imageFiles();
    for (const name of unsentPictures) {
      const path = join(imagesDir, name);
      if (!sent.has(name) && (await identityOf(path)) === seen.get(path)) await rm(path, { force: true });
    }
  }
}

/** Distinguishes a file from a later one of the same name, and from itself after a write. */
async function identityOf(path: string): Promise<string> {
  const facts = await stat(path).catch(() => null);
  return facts ? `${facts.ino} ${facts.size} ${facts.mtimeMs} ${facts.ctimeMs}` : '';
}
