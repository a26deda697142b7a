/**
 * Reads everything that a site and its backups have stored, in content, and repairs what is damaged from a second copy. A run reads for
 * some minutes and returns how far it came, so that the next one continues there, also after a restart. The database is only read: what
 * a run found is noted by the caller.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Readable } from 'node:stream';
import { type SerializedError, toOutpostError } from '../../errors.ts';
import type { Content } from '../../files/content-hash.ts';
import { openStore, type Store } from '../../services/index.ts';
import {
  buildOverview,
  clockPath,
  holdsClockMap,
  isCurrentOverview,
  overviewPath,
  writeClockMap,
} from '../../signals/index.ts';
import { SCRUB_PARTS, type ScrubPart } from '../../vocabulary/scrub.ts';
import { checkBackup } from '../backup/check.ts';
import type { LackingFile } from '../backup/file-copies.ts';
import { isBackupName } from '../backup/folder.ts';
import { SITE_MEMBER } from '../backup/manifest.ts';
import { returnFiles, withCopies } from '../backup/return-files.ts';
import { isSealedFolder } from '../backup/sealed/keys.ts';
import { damagedKeyFiles } from '../backup/sealed/passphrase.ts';
import { bytesOf, copiesOfOwn, wholeCopy, writeSecondCopies } from '../backup/second-copies.ts';
import { openZipBackup } from '../backup/sources.ts';
import { writeNew } from '../content.ts';
import { replaceFile } from '../replace-file.ts';
import { sitePaths } from '../site-file.ts';
import { itemsOfFolder, lacksSecondCopies } from './backup-items.ts';
import type { DatabaseCheckFacts } from './database.ts';
import { checkDatabasePart, DATABASE_KEYS } from './database.ts';
import { addSecondCopies, type DamagedItem, type HealContext, healFolder, isBusy } from './heal-backup.ts';
import { NotedHashes } from './noted.ts';
import type { Pace } from './pace.ts';
import { SITE_ITEMS, type SiteItem } from './site-items.ts';
import type { ScrubCursor, ScrubFinding, ScrubSource } from './state.ts';

export interface ScrubRun {
  dir: string;
  /** Places with backups that are there: folders, and ZIPs of one backup. */
  places: readonly string[];
  cursor: ScrubCursor;
  /** Findings that are not repaired, to be looked at again first. */
  open: readonly ScrubFinding[];
  databaseDescriptor?: number;
  nowTs: number;
  /** A run ends after so many milliseconds, at the end of a file. */
  forMs: number;
}

export interface ScrubOutcome {
  /** Absent: everything was read. */
  cursor?: ScrubCursor;
  findings: ScrubFinding[];
  /** Hashes of pictures that had none. */
  imageHashes: { file: string; sha256: string }[];
  files: number;
  bytes: number;
  /** Of all pages of the database, when they were read in this run. */
  database?: DatabaseCheckFacts;
  /** Why the run ended early. */
  failure?: SerializedError;
}

export const FIRST_CURSOR: ScrubCursor = { part: SCRUB_PARTS[0], after: '' };

/** Damage is repaired together: the copies of many files are looked for at once. */
const MOST_DAMAGED = 200;
const CHUNK_BYTES = 1 << 20;

/** @throws what keeps the database from being opened */
export async function runScrub(run: ScrubRun, pace: Pace): Promise<ScrubOutcome> {
  const store = openStore(sitePaths(run.dir).database, { readonly: true, isChecked: true });
  try {
    return await new Run(run, pace, store, await NotedHashes.read(run.dir)).all();
  } finally {
    await store.close();
  }
}

interface DamagedSiteFile extends SiteItem {
  state: 'DAMAGED' | 'MISSING';
}

class Run {
  readonly #run: ScrubRun;
  readonly #pace: Pace;
  readonly #store: Store;
  readonly #noted: NotedHashes;
  readonly #outcome: ScrubOutcome = { findings: [], imageHashes: [], files: 0, bytes: 0 };
  readonly #started = performance.now();
  /** Each run comes further, however short it is. */
  #steps = 0;
  #damagedInSite: DamagedSiteFile[] = [];
  /** By place. */
  #damagedInBackups = new Map<string, DamagedItem[]>();

  constructor(run: ScrubRun, pace: Pace, store: Store, noted: NotedHashes) {
    this.#run = run;
    this.#pace = pace;
    this.#store = store;
    this.#noted = noted;
  }

  async all(): Promise<ScrubOutcome> {
    const outcome = this.#outcome;
    try {
      await this.#lookAgain();
      outcome.cursor = this.#run.cursor;
      const from = SCRUB_PARTS.indexOf(this.#run.cursor.part);
      for (const part of SCRUB_PARTS.slice(from)) {
        const after = part === this.#run.cursor.part ? this.#run.cursor.after : '';
        outcome.cursor = { part, after };
        if (!(await this.#readPart(part, after))) break;
        if (part === SCRUB_PARTS.at(-1)) delete outcome.cursor;
      }
    } catch (thrown) {
      // What was found so far is not lost with what came after.
      outcome.failure = toOutpostError(thrown).toJSON();
    }
    try {
      await this.#heal();
      if (!outcome.cursor) this.#forgetGone();
      await this.#noted.save();
    } catch (thrown) {
      outcome.failure ??= toOutpostError(thrown).toJSON();
    }
    return outcome;
  }

  /** False when the run ends within the part. */
  async #readPart(part: ScrubPart, after: string): Promise<boolean> {
    this.#pace.begin();
    if (part === 'database') return await this.#readDatabase(after);
    if (part === 'backups') return await this.#readBackups(after);
    for await (const item of SITE_ITEMS[part](this.#store, this.#run.dir, after)) {
      if (this.#isOver()) return false;
      await this.#readSiteFile(item);
      if (this.#pace.isStopped) return false;
      this.#outcome.cursor = { part, after: item.key };
      this.#steps += 1;
    }
    return true;
  }

  #isOver(): boolean {
    const countDamaged =
      this.#damagedInSite.length + [...this.#damagedInBackups.values()].reduce((sum, { length }) => sum + length, 0);
    const isLate = this.#steps > 0 && performance.now() - this.#started >= this.#run.forMs;
    return this.#pace.isStopped || isLate || countDamaged >= MOST_DAMAGED;
  }

  async #readDatabase(after: string): Promise<boolean> {
    for (const key of DATABASE_KEYS) {
      if (key <= after) continue;
      if (this.#isOver()) return false;
      const { problems, pages } = await checkDatabasePart(key, this.#store, this.#run, this.#pace);
      if (this.#pace.isStopped) return false;
      if (pages) this.#outcome.database = pages;
      for (const { message, id } of problems) {
        const file = id === undefined ? key.slice(2) : `${key.slice(2)}/${id}`;
        this.#found({ part: 'database', file, state: 'DAMAGED', message });
      }
      this.#outcome.cursor = { part: 'database', after: key };
      this.#steps += 1;
    }
    return true;
  }

  #found(finding: Omit<ScrubFinding, 'foundTs'>): void {
    const { nowTs } = this.#run;
    const isHealed = finding.state === 'HEALED';
    this.#outcome.findings.push({ ...finding, foundTs: nowTs, ...(isHealed && { healedTs: nowTs }) });
  }

  async #readSiteFile(item: SiteItem): Promise<void> {
    const path = join(this.#run.dir, item.file);
    const known = item.known ?? this.#noted.expected(item.file, path);
    const found = await this.#contentAt(path);
    if (this.#pace.isStopped) return;
    if (found !== 'MISSING' && found !== 'UNREADABLE' && (!known || isSame(found, known))) {
      if (!known) this.#note(item, path, found);
      if (item.recordingId !== undefined && item.known) await this.#completeRecording(item, path);
      return;
    }
    if (found === 'MISSING' && item.isOptional) return;
    // The site is running: the file may have been replaced, or its row be gone, since the two were read.
    if (!(await this.#isStillSo(item, known, path))) return;
    this.#damagedInSite.push({ ...item, ...(known && { known }), state: found === 'MISSING' ? 'MISSING' : 'DAMAGED' });
  }

  #note({ part, file }: SiteItem, path: string, found: Content): void {
    if (part === 'images') this.#outcome.imageHashes.push({ file: file.slice('images/'.length), sha256: found.sha256 });
    else this.#noted.note(file, path, found);
  }

  async #isStillSo(item: SiteItem, known: Content | undefined, path: string): Promise<boolean> {
    if (item.recordingId !== undefined) {
      const row = await this.#store.recordings.fileFacts(item.recordingId);
      if (!row || row.sha256 !== known?.sha256) return false;
    }
    if (item.part === 'inbox' && item.known) {
      const id = item.file.slice(item.file.lastIndexOf('/') + 1, -'.sig'.length);
      if ((await this.#store.uploads.get(id))?.state !== 'QUARANTINED') return false;
    }
    if (item.part === 'columns' && (await this.#store.analytics.windowsByColumns(item.key)).length === 0) return false;
    const again = await this.#contentAt(path);
    if (again === 'MISSING') return !item.isOptional;
    return again === 'UNREADABLE' || (known !== undefined && !isSame(again, known));
  }

  /** The files beside a good signal file, which follow from it and from the database. */
  async #completeRecording({ part, recordingId, clockMap, known, file }: SiteItem, path: string): Promise<void> {
    const derived = (name: string) =>
      this.#found({
        part,
        file: name,
        state: 'HEALED',
        from: { kind: 'DERIVED' },
        ...(recordingId && { recordingId }),
      });
    if (clockMap && !holdsClockMap(clockPath(path), clockMap)) {
      await writeClockMap(clockPath(path), clockMap);
      derived(clockPath(file));
    }
    const overview = overviewPath(path);
    const isThere = await stat(overview).then(
      () => true,
      () => false,
    );
    // One that is missing is made when it is first needed.
    if (!isThere || !known || (await isCurrentOverview(overview, known.sha256))) return;
    await buildOverview(path);
    derived(overviewPath(file));
  }

  async #readBackups(after: string): Promise<boolean> {
    const [afterPlace = '', afterKey = ''] = after.split('\n');
    for (const place of [...this.#run.places].sort()) {
      if (place < afterPlace) continue;
      const from = place === afterPlace ? afterKey : '';
      const isRead = await ((await stat(place).catch(() => undefined))?.isFile()
        ? this.#readZip(place, from)
        : this.#readFolder(place, from));
      if (!isRead) return false;
      this.#outcome.cursor = { part: 'backups', after: `${place}\n~` };
      this.#steps += 1;
    }
    return true;
  }

  async #readFolder(place: string, after: string): Promise<boolean> {
    const isSealed = isSealedFolder(place);
    const damagedKeys = isSealed ? new Set(await damagedKeyFiles(place, this.#run.dir)) : undefined;
    for await (const item of itemsOfFolder(place, after)) {
      if (this.#isOver()) return false;
      const path = join(place, item.file);
      const add = (state: 'DAMAGED' | 'MISSING', more: Partial<DamagedItem> = {}) =>
        this.#damagedInBackups.set(place, [...(this.#damagedInBackups.get(place) ?? []), { ...item, ...more, state }]);
      if (item.kind === 'KEY') {
        if (damagedKeys?.has(item.file)) add('DAMAGED');
      } else if (item.kind === 'LOST') {
        add('DAMAGED');
      } else if (item.kind === 'OWN') {
        await this.#readOwn(place, item.file, item.sha256, add);
      } else {
        const expected = item.kind === 'NOTED' ? this.#noted.expected(path, path)?.sha256 : item.sha256;
        const found = await this.#contentAt(path);
        if (this.#pace.isStopped) return false;
        if (found === 'MISSING') {
          // Content that no backup needs any more is removed at any time.
          if (item.kind === 'CONTENT' && (await this.#isStillListed(place, item.key))) add('MISSING');
        } else if (found === 'UNREADABLE' || (expected !== undefined && found.sha256 !== expected)) {
          add('DAMAGED', expected === undefined ? {} : { sha256: expected });
        } else if (item.kind === 'NOTED') this.#noted.note(path, path, found);
      }
      this.#outcome.cursor = { part: 'backups', after: `${place}\n${item.key}` };
      this.#steps += 1;
    }
    return true;
  }

  async #isStillListed(place: string, key: string): Promise<boolean> {
    for await (const item of itemsOfFolder(place, '3')) if (item.key === key) return true;
    return false;
  }

  async #readOwn(
    place: string,
    file: string,
    sha256: string | undefined,
    add: (state: 'DAMAGED' | 'MISSING') => void,
  ): Promise<void> {
    const at = file.indexOf('/');
    const folder = join(place, file.slice(0, at));
    if (sha256 !== undefined && lacksSecondCopies(folder) && wholeCopy(folder, file.slice(at + 1), sha256)) {
      // Of an earlier version. A busy folder gets them in the next cycle.
      await addSecondCopies(place, folder, () => writeSecondCopies(folder)).catch((thrown: unknown) => {
        if (!isBusy(thrown)) throw thrown;
      });
      return;
    }
    for (const path of copiesOfOwn(folder, file.slice(at + 1))) {
      const found = await this.#contentAt(path);
      if (this.#pace.isStopped) return;
      if (found === 'MISSING' || found === 'UNREADABLE' || found.sha256 !== sha256)
        return add(bytesOf(path) ? 'DAMAGED' : 'MISSING');
    }
  }

  /** A ZIP is compared with itself when it is new, and with its hash from then on. */
  async #readZip(path: string, after: string): Promise<boolean> {
    if (after !== '') return true;
    if (this.#isOver()) return false;
    const expected = this.#noted.expected(path, path);
    const found = await this.#contentAt(path);
    if (this.#pace.isStopped) return false;
    if (found === 'MISSING') return true;
    const problem =
      found === 'UNREADABLE' || (expected && !isSame(found, expected))
        ? 'changed'
        : expected
          ? undefined
          : await problemOfZip(path);
    if (found !== 'UNREADABLE' && problem === undefined) this.#noted.note(path, path, found);
    if (problem !== undefined) this.#found({ part: 'backups', directory: path, file: '', state: 'DAMAGED' });
    return true;
  }

  /** Reads a file at the pace of the run. */
  async #contentAt(path: string): Promise<Content | 'MISSING' | 'UNREADABLE'> {
    this.#outcome.files += 1;
    try {
      const hash = createHash('sha256');
      let sizeBytes = 0;
      const handle = await open(path, 'r');
      try {
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, (await handle.stat()).size + 1));
        for (;;) {
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, sizeBytes);
          if (bytesRead === 0) break;
          hash.update(buffer.subarray(0, bytesRead));
          sizeBytes += bytesRead;
          this.#outcome.bytes += bytesRead;
          await this.#pace.rest();
          if (this.#pace.isStopped) break;
        }
      } finally {
        await handle.close();
      }
      return { sizeBytes, sha256: hash.digest('hex') };
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'MISSING';
      if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') throw thrown;
      return 'UNREADABLE';
    }
  }

  /** Findings of earlier runs: a copy may be there by now, or the file be good again, such as after a device sent it. */
  async #lookAgain(): Promise<void> {
    for (const one of this.#run.open) {
      if (one.part === 'database' || this.#pace.isStopped) continue;
      if (one.directory !== undefined) await this.#lookAgainInBackup(one, one.directory);
      else await this.#lookAgainInSite(one);
    }
  }

  async #lookAgainInSite(one: ScrubFinding): Promise<void> {
    const { file, sizeBytes, sha256, recordingId } = one;
    if (recordingId !== undefined && file !== `signals/${recordingId}.sig`) {
      // Beside a signal file: made again where that is read.
      this.#found({ ...one, state: 'HEALED', from: { kind: 'DERIVED' } });
      return;
    }
    const row = recordingId === undefined ? undefined : await this.#store.recordings.fileFacts(recordingId);
    const known = row ?? (sizeBytes !== undefined && sha256 !== undefined ? { sizeBytes, sha256 } : undefined);
    const found = await this.#contentAt(join(this.#run.dir, file));
    const isGone = recordingId !== undefined ? !row : found === 'MISSING' && one.state === 'DAMAGED' && !known;
    if (isGone || (known && found !== 'MISSING' && found !== 'UNREADABLE' && isSame(found, known))) {
      this.#found({ ...one, state: 'HEALED', from: { kind: 'OTHER' } });
      return;
    }
    const state = found === 'MISSING' ? 'MISSING' : 'DAMAGED';
    this.#damagedInSite.push({
      ...{ part: one.part, key: '', file, state },
      ...(known && { known: { sizeBytes: known.sizeBytes, sha256: known.sha256 } }),
      ...(recordingId !== undefined && { recordingId }),
    });
  }

  async #lookAgainInBackup(one: ScrubFinding, directory: string): Promise<void> {
    if (!this.#run.places.includes(directory) || one.file === '') return;
    for await (const item of itemsOfFolder(directory, '')) {
      if (item.file !== one.file) continue;
      const list = this.#damagedInBackups.get(directory) ?? [];
      const state = one.state === 'MISSING' ? ('MISSING' as const) : ('DAMAGED' as const);
      const sha256 = one.sha256 ?? item.sha256;
      const found = await this.#contentAt(join(directory, item.file));
      const isGood = typeof found === 'object' && item.kind === 'CONTENT' && found.sha256 === item.sha256;
      if (isGood) this.#found({ ...one, state: 'HEALED', from: { kind: 'OTHER' } });
      else
        this.#damagedInBackups.set(directory, [...list, { ...item, ...(sha256 !== undefined && { sha256 }), state }]);
      return;
    }
    // Its backup was deleted.
    this.#found({ ...one, state: 'HEALED', from: { kind: 'OTHER' } });
  }

  async #heal(): Promise<void> {
    await this.#healSiteFile();
    const unhealed = await this.#healSite(this.#damagedInSite);
    // With the files of the site that are good by now; then what is good in the backups by now may help the others.
    for (const [directory, items] of this.#damagedInBackups) await this.#healBackup(directory, items);
    const isWorthIt = this.#outcome.findings.some(
      ({ directory, state }) => directory !== undefined && state === 'HEALED',
    );
    const last = unhealed.length > 0 && isWorthIt ? await this.#healSite(unhealed.map(({ item }) => item)) : unhealed;
    for (const { finding } of last) this.#found(finding);
  }

  async #healBackup(directory: string, items: readonly DamagedItem[]): Promise<void> {
    const { dir: siteDir, places, nowTs, databaseDescriptor } = this.#run;
    const context: HealContext = {
      ...{ store: this.#store, siteDir, places, nowTs },
      ...(databaseDescriptor !== undefined && { databaseDescriptor }),
    };
    let failure: string | undefined;
    const healed = await healFolder(directory, items, context).catch((thrown: unknown) => {
      failure = toOutpostError(thrown).message;
      return new Map<string, ScrubSource>();
    });
    for (const { file, state, sha256, sizeBytes } of items) {
      const from = healed.get(file);
      this.#found({
        ...{ part: 'backups' as const, directory, file, state: from ? ('HEALED' as const) : state },
        ...(sha256 !== undefined && { sha256 }),
        ...(sizeBytes !== undefined && { sizeBytes }),
        ...(from && { from }),
        ...(!from && failure !== undefined && { message: failure }),
      });
    }
  }

  /** `site.json` is no content that backups share: each has a file of its own. */
  async #healSiteFile(): Promise<void> {
    const item = this.#damagedInSite.find(({ file }) => file === SITE_MEMBER);
    if (!item?.known) return;
    const { sha256 } = item.known;
    for (const directory of this.#run.places) {
      const names = (await readdir(directory).catch(() => [])).filter(isBackupName);
      const bytes = names.map((name) => wholeCopy(join(directory, name), SITE_MEMBER, sha256)).find(Boolean);
      if (!bytes) continue;
      const path = join(this.#run.dir, SITE_MEMBER);
      const scratch = `${path}.partial`;
      await rm(scratch, { force: true });
      await writeNew(Readable.from([bytes]), scratch, { mode: 0o600 });
      await replaceFile(path, { scratch, aside: `${path}.damaged` }, item.known);
      this.#damagedInSite = this.#damagedInSite.filter((one) => one !== item);
      this.#found({
        part: item.part,
        file: item.file,
        state: 'HEALED',
        ...item.known,
        from: { kind: 'BACKUP', directory },
      });
      return;
    }
  }

  /** Returns what could not be repaired. */
  async #healSite(
    damaged: readonly DamagedSiteFile[],
  ): Promise<{ item: DamagedSiteFile; finding: Omit<ScrubFinding, 'foundTs'> }[]> {
    const { dir, places } = this.#run;
    const unhealed: { item: DamagedSiteFile; finding: Omit<ScrubFinding, 'foundTs'> }[] = [];
    const lacking = damaged.flatMap(({ file, known, state, recordingId }): LackingFile[] =>
      known ? [{ ...known, file, state, ...(recordingId !== undefined && { recordingId }) }] : [],
    );
    const wanted = await withCopies(this.#store, dir, places, lacking);
    const { returned, failed } = await returnFiles(dir, wanted);
    const put = new Map(returned.map((one) => [one.file, one]));
    const failures = new Map(failed.map(({ file, message }) => [file, message]));
    const copies = new Map(wanted.map((one) => [one.file, one.copies]));
    for (const item of damaged) {
      const { part, file, state, known, recordingId } = item;
      const back = put.get(file);
      const about = { part, file, ...known, ...(recordingId !== undefined && { recordingId }) };
      if (back) {
        this.#found({ ...about, state: 'HEALED', from: sourceOf(back.from) });
        continue;
      }
      const found = copies.get(file) ?? [];
      const message = failures.get(file);
      const heldBy = recordingId === undefined ? undefined : await this.#store.heldRecordings.holderOf(recordingId);
      const elsewhere = [...new Set(found.map(({ directory }) => directory))];
      const finding = {
        ...about,
        state,
        ...(found.length > 0 && found.every(({ isEncrypted }) => isEncrypted) && { isLocked: true }),
        ...(elsewhere.length > 0 && { elsewhere }),
        ...(heldBy !== undefined && { heldBy }),
        ...(message !== undefined && { message }),
      };
      unhealed.push({ item, finding });
    }
    return unhealed;
  }

  #forgetGone(): void {
    this.#noted.keep((file) => {
      if (!isAbsolute(file)) return existsSync(join(this.#run.dir, file));
      // The disk of a place may only be elsewhere.
      return existsSync(file) || !this.#run.places.some((place) => file.startsWith(place));
    });
  }
}

const isSame = (a: Content, b: Content): boolean => a.sha256 === b.sha256 && a.sizeBytes === b.sizeBytes;

function sourceOf(from: { directory: string; backupId?: string; createdTs?: number } | undefined): ScrubSource {
  if (!from) return { kind: 'OTHER' };
  const { directory, backupId, createdTs } = from;
  return {
    ...{ kind: 'BACKUP', directory },
    ...(backupId !== undefined && { backupId }),
    ...(createdTs !== undefined && { createdTs }),
  };
}

async function problemOfZip(path: string): Promise<string | undefined> {
  try {
    const zip = await openZipBackup(path);
    try {
      const [damaged] = await checkBackup(zip);
      return damaged?.message;
    } finally {
      zip.close();
    }
  } catch (thrown) {
    return toOutpostError(thrown).message;
  }
}
