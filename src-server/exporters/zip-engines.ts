/**
 * What writes a ZIP. archiver writes its central directory at once, in some twenty buffers per member and without back-pressure:
 * with 70,000 members it held 540 MB of heap, with 5,000 members 116 MB. Archives with a member per subject and day, or per run,
 * reach that size at a site of 200 subjects and a year, and memory must not grow with the study: they are written by
 * `zip-stream.ts`, which also copies members that are compressed already.
 */
import type { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import { ZipArchive } from 'archiver';

/** How a member is compressed: not at all when its content is compressed already. */
export type MemberPacking = 'STORED' | 'DEFAULT';

export interface ZipEngine {
  readonly output: Readable;
  /** Rejects with the first error; never resolves. */
  readonly failed: Promise<never>;
  /** Writes one member and resolves when its content was read to the end. One at a time. */
  add(path: string, source: Readable, packing: MemberPacking): Promise<void>;
  /** Writes the end of the archive. */
  end(): void;
}

const MODE = 0o100644;

/** archiver keeps errors of its compressor to itself, and the member would never end. Both announce themselves by their pipes. */
class ReportingArchive extends ZipArchive {
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event === 'pipe') {
      const [packer] = values as [Readable];
      packer.on('pipe', (compressor: Readable) => compressor.once('error', (error) => this.emit('error', error)));
    }
    return super.emit(event, ...values);
  }
}

/** For archives whose number of members does not grow with the study. */
export function archiverEngine(): ZipEngine {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  // archiver's own default is the fastest level.
  const zip = new ReportingArchive({ zlib: { level: constants.Z_DEFAULT_COMPRESSION } });
  zip.on('error', failed.reject);
  let memberWritten: () => void = () => undefined;
  zip.on('entry', () => memberWritten());
  return {
    output: zip,
    failed: failed.promise,
    add: (path, source, packing) => {
      const written = Promise.withResolvers<void>();
      memberWritten = written.resolve;
      // It writes the UTC time of a member, so the bytes are the same on every machine.
      zip.append(source, {
        name: path,
        date: new Date(Date.UTC(1980, 0, 1)),
        mode: MODE & 0o777,
        store: packing === 'STORED',
      });
      return written.promise;
    },
    end: () => {
      zip.finalize().catch(failed.reject);
    },
  };
}
