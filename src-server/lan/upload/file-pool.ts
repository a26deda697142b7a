/**
 * The open partial files of uploads. A file is opened on first use, shared by the requests that use it at the same time, and
 * closed once it has been idle.
 */
import { stat } from 'node:fs/promises';
import type { UploadRecord } from '../../db/index.ts';
import { uploadPaths } from '../../files/inbox.ts';
import { PartialFile } from './partial-file.ts';

const IDLE_CLOSE_MS = 30_000;

interface Entry {
  file: Promise<PartialFile>;
  users: number;
  timer?: NodeJS.Timeout;
}

export class FilePool {
  readonly #inboxDir: string;
  readonly #onProblem: (problem: unknown) => void;
  readonly #entries = new Map<string, Entry>();

  /** @param onProblem receives what fails when a file is closed */
  constructor(inboxDir: string, onProblem: (problem: unknown) => void) {
    this.#inboxDir = inboxDir;
    this.#onProblem = onProblem;
  }

  async create(id: string): Promise<void> {
    await PartialFile.create(uploadPaths(this.#inboxDir, id));
  }

  /** Files that are in use, or were until a moment ago. */
  get openCount(): number {
    return this.#entries.size;
  }

  isInUse(id: string): boolean {
    return (this.#entries.get(id)?.users ?? 0) > 0;
  }

  async with<T>(id: string, work: (file: PartialFile) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(id) ?? { file: PartialFile.open(uploadPaths(this.#inboxDir, id)), users: 0 };
    this.#entries.set(id, entry);
    clearTimeout(entry.timer);
    entry.users += 1;
    try {
      return await work(await entry.file);
    } catch (thrown) {
      // Forget a file that could not be opened, so that the next use tries again.
      await entry.file.catch(() => this.#entries.delete(id));
      throw thrown;
    } finally {
      entry.users -= 1;
      if (entry.users === 0) {
        entry.timer = setTimeout(() => void this.close(id), IDLE_CLOSE_MS);
        entry.timer.unref();
      }
    }
  }

  /** Closes a file unless it is in use. */
  async close(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry || entry.users > 0) return;
    this.#entries.delete(id);
    clearTimeout(entry.timer);
    await entry.file.then((file) => file.close()).catch(this.#onProblem);
  }

  async remove(id: string): Promise<void> {
    await this.close(id);
    await PartialFile.remove(uploadPaths(this.#inboxDir, id));
  }

  /** Returns how many announced bytes of these uploads are not on the disk yet. */
  async outstandingBytes(uploads: readonly UploadRecord[]): Promise<number> {
    let bytes = 0;
    for (const { id, sizeBytes } of uploads) {
      const writtenBytes = await stat(uploadPaths(this.#inboxDir, id).data).then(
        ({ size }) => size,
        () => 0,
      );
      bytes += Math.max(0, sizeBytes - writtenBytes);
    }
    return bytes;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.close(id)));
  }
}
