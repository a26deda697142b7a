/** The pieces of an encrypted folder of backups: which are there, and adding those that are not. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { contentOfBytes } from '../../../files/column-files.ts';
import { type Content, type HashOptions, hashed, hashFile, sha256Hex } from '../../../files/content-hash.ts';
import { encryptBytes, encryptStream } from '../../../secrets/age-files.ts';
import { readChunks, SMALL_BYTES, writeNew } from '../../content.ts';
import { ContentWriter } from '../content-writer.ts';
import { listBackups } from '../folder.ts';
import { contentPath } from '../manifest.ts';
import { type HeldFile, type SourceFile, statOf } from '../targets.ts';
import { type SealingKeys, sealedName } from './keys.ts';
import { readStored, sealedBytes } from './stored.ts';

export class SealedPool {
  readonly #directory: string;
  readonly #scratchDir: string;
  readonly #keys: SealingKeys;
  readonly #isDue: (content: Content) => boolean;
  /** Hashes of encrypted pieces, as earlier backups noted them. */
  readonly #known = new Map<string, string>();
  /** The same for the pieces of this backup. */
  readonly used = new Map<string, string>();
  /** Names of pieces that this backup added. */
  readonly added = new Set<string>();
  /** Folders of large pieces; those of small ones are in `writer`. */
  readonly touched = new Set<string>();
  readonly writer: ContentWriter;

  /** @param scratchDir on the same disk as `directory` */
  constructor(directory: string, scratchDir: string, keys: SealingKeys, isDue: (content: Content) => boolean) {
    this.#directory = directory;
    this.#scratchDir = scratchDir;
    this.#keys = keys;
    this.#isDue = isDue;
    this.writer = new ContentWriter(directory, scratchDir);
  }

  /** Learns the hashes that earlier backups noted. Those of a damaged list are taken from the pieces again. */
  async learn(): Promise<void> {
    for (const { path } of (await listBackups(this.#directory)).reverse()) {
      for (const [name, sha256] of await readStored(path).catch(() => [])) this.#known.set(name, sha256);
    }
  }

  /** Judged by sizes, see `BackupTarget.look`. */
  look({ known }: SourceFile, originalBytes: number | undefined): HeldFile | undefined {
    const noted = known && this.#isThere(known) ? this.#known.get(this.#nameOf(known)) : undefined;
    if (known === undefined || noted === undefined) return undefined;
    // A file that is not due is not put.
    this.used.set(this.#nameOf(known), noted);
    return { isWholeInSite: originalBytes === known.sizeBytes, isDue: this.#isDue(known) };
  }

  /** Whether the folder has the content, which then belongs to this backup. Read again where it is due. */
  async holds(content: Content): Promise<boolean> {
    if (!this.#isThere(content)) return false;
    const name = this.#nameOf(content);
    const path = this.#pathOf(name);
    const noted = this.#known.get(name);
    // What no list names may be the rest of an interrupted backup.
    if (noted === undefined) return false;
    if (this.#isDue(content) && (await hashFile(path)).sha256 !== noted) return false;
    this.used.set(name, noted);
    return true;
  }

  async addBytes(bytes: Uint8Array, content: Content): Promise<void> {
    const name = this.#nameOf(content);
    if (this.added.has(name)) return;
    const encrypted = await encryptBytes(this.#keys.recipient, bytes);
    await this.writer.add(encrypted, name);
    this.#note(name, sha256Hex(encrypted));
  }

  async addFile(path: string, options: HashOptions): Promise<Content> {
    if ((statOf(path)?.size ?? 0) <= SMALL_BYTES) {
      const bytes = readFileSync(path);
      const content = contentOfBytes(bytes);
      await this.addBytes(bytes, content);
      options.onBytes?.(bytes.length);
      return content;
    }
    const scratch = join(this.#scratchDir, randomUUID());
    try {
      let content: Content = { sizeBytes: 0, sha256: '' };
      const plain = hashed(readChunks(path), (found) => (content = found), options);
      const encrypted = await encryptStream(this.#keys.recipient, plain);
      const { sha256 } = await writeNew(encrypted, scratch, { mode: 0o600 });
      const name = this.#nameOf(content);
      await mkdir(dirname(this.#pathOf(name)), { recursive: true });
      await rename(scratch, this.#pathOf(name));
      this.touched.add(dirname(this.#pathOf(name)));
      this.#note(name, sha256);
      return content;
    } finally {
      await rm(scratch, { force: true });
    }
  }

  #note(name: string, sha256: string): void {
    this.used.set(name, sha256);
    this.added.add(name);
  }

  #isThere(content: Content): boolean {
    return statOf(this.#pathOf(this.#nameOf(content)))?.size === sealedBytes(content.sizeBytes);
  }

  #nameOf({ sha256 }: Content): string {
    return sealedName(this.#keys, sha256);
  }

  #pathOf(name: string): string {
    return join(this.#directory, contentPath(name));
  }
}
