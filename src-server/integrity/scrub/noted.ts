/**
 * Hashes of files whose content no row and no manifest names: files that were set aside, imports that wait, exports of single recordings,
 * keys, and ZIPs of backups. Each is noted when it is first read. A file that differs later although nobody wrote to it is damaged.
 */
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Content } from '../../files/content-hash.ts';
import { writeDurably } from '../../files/durable-files.ts';

const NOTED_FILE = 'scrub-hashes.json';

const noted = z.object({ sizeBytes: z.int(), sha256: z.string(), modifiedMs: z.number() });
const notedFile = z.object({ format: z.literal(1), files: z.record(z.string(), noted) });

export class NotedHashes {
  readonly #path: string;
  readonly #files: Map<string, z.output<typeof noted>>;
  #isChanged = false;

  private constructor(path: string, files: Record<string, z.output<typeof noted>>) {
    this.#path = path;
    this.#files = new Map(Object.entries(files));
  }

  static async read(siteDir: string): Promise<NotedHashes> {
    const path = join(siteDir, NOTED_FILE);
    try {
      return new NotedHashes(path, notedFile.parse(JSON.parse(await readFile(path, 'utf8'))).files);
    } catch {
      return new NotedHashes(path, {});
    }
  }

  /** What a file has to be; undefined for one that is new, or was written to since. @param path where it is now */
  expected(file: string, path: string): Content | undefined {
    const known = this.#files.get(file);
    const facts = statSync(path, { throwIfNoEntry: false });
    if (!known || !facts || Math.round(facts.mtimeMs) !== Math.round(known.modifiedMs)) return undefined;
    return { sizeBytes: known.sizeBytes, sha256: known.sha256 };
  }

  note(file: string, path: string, { sizeBytes, sha256 }: Content): void {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (!facts) return;
    const known = this.#files.get(file);
    if (known?.sha256 === sha256 && known.modifiedMs === facts.mtimeMs) return;
    this.#files.set(file, { sizeBytes, sha256, modifiedMs: facts.mtimeMs });
    this.#isChanged = true;
  }

  /** Forgets files that are gone. @param isThere */
  keep(isThere: (file: string) => boolean): void {
    for (const file of this.#files.keys()) {
      if (isThere(file)) continue;
      this.#files.delete(file);
      this.#isChanged = true;
    }
  }

  async save(): Promise<void> {
    if (!this.#isChanged) return;
    const text = `${JSON.stringify({ format: 1, files: Object.fromEntries(this.#files) })}\n`;
    await writeDurably(this.#path, text, 0o600);
    this.#isChanged = false;
  }
}
