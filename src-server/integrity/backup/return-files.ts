/**
 * Puts lost or damaged files of a site back from copies in backups. A file is written beside its place, compared with the hash that the
 * database has, and renamed over the damaged one; a file that is good after all is left alone. A crash leaves the file as it was, or whole.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { type Content, hashFile, stopIfCancelled } from '../../files/content-hash.ts';
import { decryptStream } from '../../secrets/age-files.ts';
import type { Store } from '../../services/index.ts';
import {
  buildOverview,
  type ClockMap,
  clockPath,
  holdsClockMap,
  isCurrentOverview,
  mapThrough,
  overviewPath,
  writeClockMap,
} from '../../signals/index.ts';
import { readChunks, writeNew } from '../content.ts';
import { replaceFile } from '../replace-file.ts';
import { copiesOf, type FileCopy, type LackingFile, lackingSiteFiles } from './file-copies.ts';
import { isSealedFolder, type OpeningKeys, unlockFolder } from './sealed/keys.ts';
import { openZipBackup } from './sources.ts';

export interface WantedFile extends LackingFile {
  /** In the order in which they are tried. */
  copies: FileCopy[];
  /** The correction of the recording's clock, where it has one. */
  clockMap?: ClockMap;
}

export interface ReturnedFile {
  file: string;
  recordingId?: string;
  sha256: string;
  /** Where it came from; absent when the file in the site was good after all. */
  from?: FileCopy;
}

export interface ReturnOutcome {
  returned: ReturnedFile[];
  failed: { file: string; message: string }[];
  /** Files of which only encrypted folders have a copy, whose passphrase was not given. */
  locked: number;
}

export interface ReturnOptions {
  /** Tried on every encrypted folder. */
  passphrase?: string;
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}

/** @throws PASSPHRASE_WRONG when it opens none of the folders, DISK_FULL, SITE_READ_ONLY, CANCELLED */
export async function returnFiles(
  siteDir: string,
  wanted: readonly WantedFile[],
  options: ReturnOptions = {},
): Promise<ReturnOutcome> {
  const outcome: ReturnOutcome = { returned: [], failed: [], locked: 0 };
  const keys = await keysFor(wanted, options.passphrase);
  for (const [index, file] of wanted.entries()) {
    stopIfCancelled(options.signal);
    options.onProgress?.(index, wanted.length);
    try {
      const from = await returnFile(siteDir, file, keys, options.signal);
      const { recordingId, sha256 } = file;
      const returned = { file: file.file, ...(recordingId !== undefined && { recordingId }), sha256 };
      if (from === 'good') outcome.returned.push(returned);
      else if (from) outcome.returned.push({ ...returned, from });
      else if (file.copies.length > 0) outcome.locked += 1;
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (['CANCELLED', 'DISK_FULL', 'SITE_READ_ONLY', 'SITE_DISCONNECTED'].includes(error.code)) throw error;
      outcome.failed.push({ file: file.file, message: error.message });
    }
  }
  return outcome;
}

type Keys = ReadonlyMap<string, OpeningKeys>;

async function keysFor(wanted: readonly WantedFile[], passphrase: string | undefined): Promise<Keys> {
  const keys = new Map<string, OpeningKeys>();
  if (passphrase === undefined) return keys;
  const folders = new Set(wanted.flatMap(({ copies }) => copies.map(({ directory }) => directory)));
  let problem: unknown;
  for (const folder of [...folders].filter(isSealedFolder)) {
    try {
      keys.set(folder, await unlockFolder(folder, passphrase));
    } catch (thrown) {
      problem = thrown;
    }
  }
  if (problem !== undefined && keys.size === 0) throw problem;
  return keys;
}

/** Returns where the file came from, or undefined when no copy of it can be read. @throws FILE_DAMAGED when no copy is good */
async function returnFile(
  siteDir: string,
  wanted: WantedFile,
  keys: Keys,
  signal: AbortSignal | undefined,
): Promise<FileCopy | 'good' | undefined> {
  const path = join(siteDir, wanted.file);
  if (await isGood(path, wanted)) {
    await completeRecording(path, wanted);
    return 'good';
  }
  // Names that a start of the site clears away.
  const [scratch, aside] = ['partial', 'damaged'].map((end) =>
    path.endsWith('.opa') ? `${path}.${randomUUID()}.partial` : `${path}.${end}`,
  ) as [string, string];
  await mkdir(dirname(path), { recursive: true });
  let problem: unknown;
  for (const copy of wanted.copies) {
    const opening = keys.get(copy.directory);
    if (copy.isEncrypted && !opening) continue;
    try {
      await rm(scratch, { force: true });
      const found = await copyTo(scratch, copy, opening, signal);
      if (found.sha256 !== wanted.sha256) continue;
      // Another hand may have been faster, such as a device that sent the file again.
      if (!(await isGood(path, wanted))) await replaceFile(path, { scratch, aside }, wanted);
      await completeRecording(path, wanted);
      return copy;
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (error.kind === 'cancelled' || error.code === 'DISK_FULL' || error.code === 'SITE_READ_ONLY') throw error;
      problem = thrown;
    } finally {
      await rm(scratch, { force: true }).catch(() => undefined);
    }
  }
  if (wanted.copies.every(({ directory, isEncrypted }) => isEncrypted && !keys.has(directory))) return undefined;
  if (problem !== undefined) throw problem;
  throw new OutpostError(
    'FILE_DAMAGED',
    'The copies in the backups are damaged too, so the file was left as it is. Connect another backup disk, or import it again.',
  );
}

async function copyTo(
  scratch: string,
  { directory, path, isZip }: FileCopy,
  opening: OpeningKeys | undefined,
  signal: AbortSignal | undefined,
): Promise<Content> {
  const options = { mode: 0o600, ...(signal && { signal }) };
  if (isZip) {
    const zip = await openZipBackup(directory);
    try {
      return await writeNew(await zip.read(path), scratch, options);
    } finally {
      zip.close();
    }
  }
  const source = join(directory, path);
  const bytes = opening
    ? await decryptStream(opening.identity, createReadStream(source, { highWaterMark: 1 << 20 }))
    : readChunks(source);
  return await writeNew(bytes, scratch, options);
}

async function isGood(path: string, { sizeBytes, sha256 }: LackingFile): Promise<boolean> {
  if (!existsSync(path)) return false;
  const found = await hashFile(path).catch(() => undefined);
  return found?.sizeBytes === sizeBytes && found.sha256 === sha256;
}

/** A signal file has two files beside it, which follow from it and from the database. */
async function completeRecording(path: string, { recordingId, clockMap, sha256 }: WantedFile): Promise<void> {
  if (recordingId === undefined) return;
  if (clockMap && !holdsClockMap(clockPath(path), clockMap)) await writeClockMap(clockPath(path), clockMap);
  if (!(await isCurrentOverview(overviewPath(path), sha256))) await buildOverview(path);
}

/** Everything that the site lacks, with the copies of it. @param folders of backups */
export async function findCopies(store: Store, siteDir: string, folders: readonly string[]): Promise<WantedFile[]> {
  return await withCopies(store, siteDir, folders, await lackingSiteFiles(store, siteDir));
}

/** The same files with the copies of each. */
export async function withCopies(
  store: Store,
  siteDir: string,
  folders: readonly string[],
  lacking: readonly LackingFile[],
): Promise<WantedFile[]> {
  if (lacking.length === 0) return [];
  const copies = await copiesOf(lacking, folders, siteDir);
  const knots = await store.clocks.knotsOf(lacking.flatMap(({ recordingId }) => recordingId ?? []));
  return lacking.map((file) => {
    const corrected = knots.get(file.recordingId ?? '');
    // One that needs no passphrase is tried first.
    const found = [...(copies.get(file.sha256) ?? [])].sort((a, b) => Number(a.isEncrypted) - Number(b.isEncrypted));
    return { ...file, copies: found, ...(corrected && { clockMap: mapThrough(corrected) }) };
  });
}
