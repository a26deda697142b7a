/**
 * Repairs damaged files of a folder of backups from a second copy: the other copy of a backup's own file, the same content in another
 * folder, a file of the site, or a page of its database that is still as it was. Nothing is put in place that does not have the right
 * hash.
 *
 * A piece of an encrypted folder cannot be made again bit by bit, since each encryption is another one. Its content can: it is encrypted
 * again, and the lists that name its hash are written again, the second copies first, so that one of the two always fits.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { diagnostic } from '../../diagnostics.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { contentOfBytes } from '../../files/column-files.ts';
import { type Content, hashFile, sha256Hex } from '../../files/content-hash.ts';
import { syncDirectory, writeDurably } from '../../files/durable-files.ts';
import { encryptStream } from '../../secrets/age-files.ts';
import type { Store } from '../../services/index.ts';
import { openDatabasePages } from '../backup/database-pages.ts';
import { DAMAGED, listBackups, lockBackups, readManifest, writeCheck } from '../backup/folder.ts';
import { contentPath, MANIFEST_SUM_FILE, membersOf, STORED_FILE } from '../backup/manifest.ts';
import { PIECE_BYTES } from '../backup/pieces.ts';
import { readBackupPlaces } from '../backup/places.ts';
import { planFiles } from '../backup/plan.ts';
import { isSealedBackup, isSealedFolder, type SealingKeys, sealedName, sealingKeysOf } from '../backup/sealed/keys.ts';
import { healKeyFiles } from '../backup/sealed/passphrase.ts';
import { readStored, storedText } from '../backup/sealed/stored.ts';
import { bytesOf, copiesOfOwn, ownSums, wholeCopy } from '../backup/second-copies.ts';
import { readChunks, writeNew } from '../content.ts';
import { replaceFile } from '../replace-file.ts';
import { sitePaths } from '../site-file.ts';
import type { BackupItem } from './backup-items.ts';
import type { ScrubSource } from './state.ts';

export interface HealContext {
  store: Store;
  siteDir: string;
  /** Descriptor of the database file, in a process that has the site open. */
  databaseDescriptor?: number;
  /** All places with backups that are there. */
  places: readonly string[];
  nowTs: number;
}

export type DamagedItem = BackupItem & { state: 'DAMAGED' | 'MISSING' };
/** How each file was repaired, by its place in the folder; absent: it was not. */
export type Healed = Map<string, ScrubSource>;

/** Names are not those of content, so that the next backup removes what a crash leaves. */
const SCRATCH = 'backup-scrub.partial';

/** @throws BACKUP_BUSY, DISK_FULL, SITE_READ_ONLY */
export async function healFolder(
  directory: string,
  damaged: readonly DamagedItem[],
  context: HealContext,
): Promise<Healed> {
  const lock = await lockBackups(directory);
  const scratchDir = join(directory, SCRATCH);
  const healed: Healed = new Map();
  try {
    await mkdir(scratchDir, { recursive: true, mode: 0o700 });
    const folder = { directory, scratchDir, healed, context };
    for (const item of damaged) if (item.kind === 'OWN') await healOwn(folder, item);
    const keyItems = damaged.filter(({ kind }) => kind === 'KEY');
    if (keyItems.length > 0) await healKeys(folder, keyItems);
    for (const item of damaged) if (item.kind === 'NOTED') await healNoted(folder, item);
    const content = damaged.filter(({ kind }) => kind === 'CONTENT');
    if (content.length > 0) await healContent(folder, content);
    await noteInChecks(folder, content);
    return healed;
  } finally {
    await rm(scratchDir, { recursive: true, force: true }).catch(() => undefined);
    lock.release();
  }
}

interface Folder {
  directory: string;
  scratchDir: string;
  healed: Healed;
  context: HealContext;
}

/** Puts bytes in a place, through a scratch file. */
async function put(
  { scratchDir }: Folder,
  path: string,
  bytes: AsyncIterable<Uint8Array> | Uint8Array,
): Promise<Content> {
  const scratch = join(scratchDir, randomUUID());
  const content = await writeNew(bytes instanceof Uint8Array ? only(bytes) : bytes, scratch, { mode: 0o600 });
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, { scratch, aside: `${path}${DAMAGED}` }, content);
  return content;
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function healOwn(folder: Folder, { file, sha256 }: DamagedItem): Promise<void> {
  const backup = join(folder.directory, dirname(file));
  const whole = sha256 === undefined ? undefined : wholeCopy(backup, basename(file), sha256);
  if (!whole) return;
  for (const path of copiesOfOwn(backup, basename(file))) {
    const found = bytesOf(path);
    if (!found || sha256Hex(found) !== sha256) await put(folder, path, whole);
  }
  folder.healed.set(file, { kind: 'SECOND_COPY', directory: folder.directory });
}

/** The keys have copies in every backup, and `encryption.json` follows from what the site knows. */
async function healKeys({ directory, healed, context }: Folder, items: readonly DamagedItem[]): Promise<void> {
  await healKeyFiles(directory, context.siteDir);
  for (const { file } of items) healed.set(file, { kind: 'SECOND_COPY', directory });
}

async function healNoted(folder: Folder, { file, sha256 }: DamagedItem): Promise<void> {
  const { directory, healed, context } = folder;
  if (basename(file) === 'checked.json') {
    // The result of a check: the next one writes it again.
    await rm(join(directory, file), { force: true });
    healed.set(file, { kind: 'DERIVED' });
    return;
  }
  const places = (await readBackupPlaces(context.siteDir))?.places ?? [];
  const folderId = places.find(({ path }) => path === directory)?.folderId;
  const candidates = [
    ...[context.siteDir, ...context.places].map((place) => join(place, file)).map(bytesOf),
    folderId === undefined ? undefined : Buffer.from(`${JSON.stringify({ format: 1, id: folderId })}\n`),
  ];
  const whole = candidates.find((bytes) => bytes && sha256Hex(bytes) === sha256);
  if (!whole) return;
  await put(folder, join(directory, file), whole);
  healed.set(file, { kind: 'SITE' });
}

/** Content that is wanted, by its name in the folder. */
type Wanted = Map<string, DamagedItem>;

async function healContent(folder: Folder, items: readonly DamagedItem[]): Promise<void> {
  const { directory, context } = folder;
  const wanted: Wanted = new Map(items.map((item) => [basename(item.file), item]));
  const isSealed = isSealedFolder(directory);
  for (const [name, item] of wanted) {
    const from = await copyElsewhere(folder, item);
    if (!from) continue;
    folder.healed.set(item.file, from);
    wanted.delete(name);
  }
  const keys = isSealed ? await sealingKeysOf(directory, context.siteDir).catch(() => undefined) : undefined;
  if (isSealed && !keys) return;
  const renewed = new Renewed(folder, keys);
  for (const { path, sha256 } of await planFiles(context.store, context.siteDir, async () => new Map())) {
    const name = sha256 === undefined ? undefined : nameOf(keys, sha256);
    const item = name === undefined ? undefined : wanted.get(name);
    if (name === undefined || !item || sha256 === undefined) continue;
    const source = join(context.siteDir, path);
    const found = await hashFile(source).catch(() => undefined);
    if (found?.sha256 !== sha256) continue;
    await renewed.take(item, () => readChunks(source));
    wanted.delete(name);
  }
  if (wanted.size > 0) await takePieces(folder, keys, wanted, renewed);
  await renewed.finish();
}

const nameOf = (keys: SealingKeys | undefined, sha256: string) => (keys ? sealedName(keys, sha256) : sha256);

/** The same bytes in another folder of backups, also of one that is encrypted alike: a copy of this folder. */
async function copyElsewhere(folder: Folder, { file, sha256 }: DamagedItem): Promise<ScrubSource | undefined> {
  if (sha256 === undefined) return undefined;
  for (const other of folder.context.places) {
    const path = join(other, file);
    if (other === folder.directory || !isFile(path)) continue;
    const found = await hashFile(path).catch(() => undefined);
    if (found?.sha256 !== sha256) continue;
    await put(folder, join(folder.directory, file), readChunks(path));
    return { kind: 'BACKUP', directory: other };
  }
  return undefined;
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Pages of the database that are as they were when the backup was made. */
async function takePieces(
  { scratchDir, context }: Folder,
  keys: SealingKeys | undefined,
  wanted: Wanted,
  renewed: Renewed,
): Promise<void> {
  const pages = await openDatabasePages(sitePaths(context.siteDir).database, {
    copyPath: join(scratchDir, 'pages.db'),
    ...(context.databaseDescriptor !== undefined && { descriptor: context.databaseDescriptor }),
  }).catch(() => undefined);
  if (!pages) return;
  try {
    for await (const piece of pages.pieces(PIECE_BYTES)) {
      if (wanted.size === 0) break;
      const name = nameOf(keys, contentOfBytes(piece).sha256);
      const item = wanted.get(name);
      if (!item) continue;
      const bytes = Uint8Array.from(piece);
      await renewed.take(item, () => only(bytes));
      wanted.delete(name);
    }
  } finally {
    // What was taken has the right hash, whether or not the snapshot held.
    await pages.release().catch(() => undefined);
  }
}

/** Content that was found in the site: put in place at once or, where it is encrypted, together with the lists that name it. */
class Renewed {
  readonly #folder: Folder;
  readonly #keys: SealingKeys | undefined;
  /** Scratch file and hash of encrypted pieces, by name. */
  readonly #sealed = new Map<string, { item: DamagedItem; scratch: string; content: Content }>();

  constructor(folder: Folder, keys: SealingKeys | undefined) {
    this.#folder = folder;
    this.#keys = keys;
  }

  async take(item: DamagedItem, read: () => AsyncIterable<Uint8Array>): Promise<void> {
    const { directory, scratchDir, healed } = this.#folder;
    if (!this.#keys) {
      await put(this.#folder, join(directory, item.file), read());
      healed.set(item.file, { kind: 'SITE' });
      return;
    }
    const scratch = join(scratchDir, randomUUID());
    const content = await writeNew(await encryptStream(this.#keys.recipient, read()), scratch, { mode: 0o600 });
    this.#sealed.set(basename(item.file), { item, scratch, content });
  }

  async finish(): Promise<void> {
    if (this.#sealed.size === 0) return;
    const { directory, healed } = this.#folder;
    const lists = await this.#lists();
    for (const { folder, texts } of lists) await writeOwn(join(folder, 'second'), texts);
    for (const { item, scratch, content } of this.#sealed.values()) {
      const path = join(directory, item.file);
      await mkdir(dirname(path), { recursive: true });
      await replaceFile(path, { scratch, aside: `${path}${DAMAGED}` }, content);
    }
    for (const { folder, texts } of lists) await writeOwn(folder, texts);
    for (const { item } of this.#sealed.values()) healed.set(item.file, { kind: 'SITE' });
  }

  /** The lists of the backups that have a piece, as they are to be. */
  async #lists(): Promise<{ folder: string; texts: Map<string, string> }[]> {
    const lists: { folder: string; texts: Map<string, string> }[] = [];
    for (const { path: folder } of await listBackups(this.#folder.directory)) {
      const sums = isSealedBackup(folder) ? ownSums(folder) : undefined;
      const stored = sums && (await readStored(folder).catch(() => undefined));
      if (!sums || !stored || ![...this.#sealed.keys()].some((name) => stored.has(name))) continue;
      for (const [name, { content }] of this.#sealed) if (stored.has(name)) stored.set(name, content.sha256);
      const text = storedText(stored);
      const line = `${sums.hashes.get(STORED_FILE)}  ${STORED_FILE}`;
      const sum = sums.text.replace(line, `${sha256Hex(text)}  ${STORED_FILE}`);
      lists.push({
        folder,
        texts: new Map([
          [STORED_FILE, text],
          [MANIFEST_SUM_FILE, sum],
        ]),
      });
    }
    return lists;
  }
}

async function writeOwn(folder: string, texts: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of texts) await writeDurably(join(folder, name), text, 0o600);
  await syncDirectory(folder);
}

/** Lists of backups show which of them lack something, and no longer what was repaired. */
async function noteInChecks({ directory, healed, context }: Folder, items: readonly DamagedItem[]): Promise<void> {
  if (items.length === 0) return;
  const states = new Map(items.map(({ file }) => [basename(file), healed.has(file)]));
  for (const { path, check } of await listBackups(directory)) {
    const named = await membersIn(path, states);
    if (named.size === 0) continue;
    const before = (check?.diagnostics ?? []).filter(({ facts }) => !named.has(String(facts?.file)));
    const now = [...named].flatMap(([file, isHealed]) =>
      isHealed ? [] : [diagnostic('BACKUP_FILE_CHANGED', { file })],
    );
    if (!check && now.length === 0) continue;
    const diagnostics = [...before, ...now];
    await writeCheck(path, {
      checkedTs: context.nowTs,
      problems: diagnostics.map(({ message }) => message),
      diagnostics,
    });
  }
}

/** What a backup calls the content among `states`, and whether it is repaired. */
async function membersIn(path: string, states: ReadonlyMap<string, boolean>): Promise<Map<string, boolean>> {
  const named = new Map<string, boolean>();
  try {
    if (isSealedBackup(path)) {
      const stored = await readStored(path);
      for (const [name, isHealed] of states) if (stored.has(name)) named.set(contentPath(name), isHealed);
      return named;
    }
    for (const { name, content } of membersOf(await readManifest(path))) {
      const isHealed = states.get(content.sha256);
      // The pieces of the database have one name together.
      if (isHealed !== undefined) named.set(name, isHealed && named.get(name) !== false);
    }
  } catch (thrown) {
    if (toOutpostError(thrown).code !== 'FILE_DAMAGED') throw thrown;
  }
  return named;
}

/** Gives a backup of an older version its second copies. @throws BACKUP_BUSY */
export async function addSecondCopies(directory: string, folder: string, write: () => Promise<void>): Promise<void> {
  const lock = await lockBackups(directory);
  try {
    if (existsSync(folder)) await write();
  } finally {
    lock.release();
  }
}

export const isBusy = (thrown: unknown): boolean => thrown instanceof OutpostError && thrown.code === 'BACKUP_BUSY';
