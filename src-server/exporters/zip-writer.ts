/** A ZIP written member after member, so that only the one being written is in memory. The same members give the same bytes. */
import { createHash } from 'node:crypto';
import { Readable, Transform, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export interface WrittenMember {
  path: string;
  sizeBytes: number;
  sha256: string;
}

/** A DOS time has no zone, so local midnight gives the same bytes on every machine. */
const MEMBER = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true };

/** What a member is made of, piece by piece. Text is written as UTF-8. */
export type MemberContent = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

interface OpenedMember {
  source: Readable | undefined;
}

/**
 * yazl keeps this function of every member until the archive ends. It must not keep the content with it: 1,500 days of
 * channels were 300 MB.
 */
function openerOf(opened: OpenedMember) {
  return (callback: (error: unknown, source: Readable) => void) => {
    if (opened.source) callback(null, opened.source);
  };
}

export class ZipWriter {
  readonly #zip = new ZipFile();
  readonly #failed = Promise.withResolvers<never>();
  readonly #written: Promise<void>;
  readonly #hash = createHash('sha256');
  #sizeBytes = 0;

  /** Ends `out` once the archive is finished; destroys it when anything fails. */
  constructor(out: Writable) {
    this.#failed.promise.catch(() => undefined);
    this.#zip.on('error', this.#failed.reject);
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#sizeBytes += chunk.length;
        this.#hash.update(chunk);
        done(null, chunk);
      },
    });
    this.#written = pipeline(this.#zip.outputStream, counted, out);
    this.#written.catch(this.#failed.reject);
  }

  /**
   * Writes one member and resolves when its content was read to the end.
   * @param isCompressed true for content that is compressed already and is stored as it comes
   * @throws what `content` or writing throws
   */
  async add(path: string, content: MemberContent, isCompressed = false): Promise<WrittenMember> {
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
    const opened: OpenedMember = { source };
    this.#zip.addReadStreamLazy(path, { ...MEMBER, compress: !isCompressed }, openerOf(opened));
    try {
      await Promise.race([read, this.#failed.promise]);
    } catch (thrown) {
      source.destroy();
      throw thrown;
    } finally {
      opened.source = undefined;
    }
    return { path, sizeBytes, sha256: hash.digest('hex') };
  }

  /** Writes the end of the archive. */
  async finish(): Promise<{ sizeBytes: number; sha256: string }> {
    this.#zip.end();
    await Promise.race([this.#written, this.#failed.promise]);
    return { sizeBytes: this.#sizeBytes, sha256: this.#hash.digest('hex') };
  }

  /** Gives the archive up: nothing more is written. */
  abort(reason: Error): void {
    (this.#zip.outputStream as Readable).destroy(reason);
  }
}
