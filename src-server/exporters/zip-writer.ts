/** Streams a ZIP member by member, so that only the current one is in memory. The output is deterministic. */
import { createHash } from 'node:crypto';
import { Readable, Transform, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { archiverEngine, type MemberPacking, type ZipEngine } from './zip-engines.ts';
import { type ReadyMember, ZipStream } from './zip-stream.ts';

export interface WrittenMember {
  path: string;
  sizeBytes: number;
  sha256: string;
}

/** Content of a member, in chunks. Text is written as UTF-8. */
export type MemberContent = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A member as the archive holds it; CRC-32, size and hash are those of its unpacked content. */
export interface PackedMember extends ReadyMember {
  sha256: string;
}

export class ZipWriter {
  readonly #zip: ZipEngine;
  /** Absent when few members were announced. */
  readonly #stream: ZipStream | undefined;
  readonly #written: Promise<void>;
  readonly #hash = createHash('sha256');
  /** Rejects when the output failed. Created once: every reaction attached to a promise lives as long as the promise. */
  readonly #failed: Promise<never>;
  #sizeBytes = 0;

  /**
   * Ends `out` once the archive is finished; destroys it when anything fails.
   * @param members `many` when their number grows with the study
   */
  constructor(out: Writable, members: 'few' | 'many') {
    this.#stream = members === 'many' ? new ZipStream() : undefined;
    this.#zip = this.#stream ?? archiverEngine();
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#sizeBytes += chunk.length;
        this.#hash.update(chunk);
        done(null, chunk);
      },
    });
    this.#written = pipeline(this.#zip.output, counted, out);
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => undefined);
    this.#written.catch(failed.reject);
    this.#zip.failed.catch(failed.reject);
    this.#failed = failed.promise;
  }

  /**
   * Writes one member and resolves when its content was read to the end.
   * @throws what `content` or writing throws
   */
  async add(path: string, content: MemberContent, packing: MemberPacking = 'DEFAULT'): Promise<WrittenMember> {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    async function* hashed() {
      for await (const part of content) {
        if (part.length === 0) continue;
        const bytes = typeof part === 'string' ? Buffer.from(part) : part;
        hash.update(bytes);
        sizeBytes += bytes.length;
        yield bytes;
      }
    }
    const source = Readable.from(hashed(), { objectMode: false });
    const read = finished(source);
    read.catch(() => undefined);
    const added = this.#zip.add(path, source, packing);
    try {
      await Promise.race([Promise.all([read, added]), this.#failed]);
    } catch (thrown) {
      source.destroy();
      throw thrown;
    }
    return { path, sizeBytes, sha256: hash.digest('hex') };
  }

  /** Writes a member that is packed already; for archives of many members. */
  async addPacked(path: string, member: PackedMember): Promise<WrittenMember> {
    const { sizeBytes, sha256 } = member;
    if (!this.#stream) throw new Error('Only archives of many members take packed ones.');
    await Promise.race([this.#stream.addReady(path, member), this.#failed]);
    return { path, sizeBytes, sha256 };
  }

  /** Writes the end of the archive. */
  async finish(): Promise<{ sizeBytes: number; sha256: string }> {
    this.#zip.end();
    await Promise.race([this.#written, this.#failed]);
    return { sizeBytes: this.#sizeBytes, sha256: this.#hash.digest('hex') };
  }

  /** Aborts the archive: nothing more is written. */
  abort(reason: Error): void {
    this.#zip.output.destroy(reason);
  }
}
