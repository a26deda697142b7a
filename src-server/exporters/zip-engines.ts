/**
 * The two libraries that write ZIPs. archiver is the default, but writes its central directory at once, in some twenty buffers
 * per member and without back-pressure: with 70,000 members it held 540 MB of heap (916 MB resident, 255 MB of it before
 * the end), with 5,000 members 116 MB against the 64 MB of yazl. Archives with a member per subject and day, or per run,
 * reach that size at a site of 200 subjects and a year, and memory must not grow with the study: they are written by yazl,
 * which keeps a few hundred bytes per member and respects back-pressure.
 */
import type { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import { ZipArchive } from 'archiver';
import { ZipFile } from 'yazl';

/**
 * How a member is compressed: stored when its content is compressed already; samples as fast as zlib can, which is three times as
 * fast as its default for a fifth more bytes; everything else by the default.
 */
export type MemberPacking = 'STORED' | 'SAMPLES' | 'DEFAULT';

const YAZL_LEVELS: Record<MemberPacking, number> = {
  STORED: 0,
  SAMPLES: constants.Z_BEST_SPEED,
  DEFAULT: 6,
};

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

/** For archives whose number of members does not grow with the study. */
export function archiverEngine(): ZipEngine {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  // archiver's own default is the fastest level.
  const zip = new ZipArchive({ zlib: { level: constants.Z_DEFAULT_COMPRESSION } });
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

/** A DOS time has no zone, so local midnight gives the same bytes on every machine. */
const YAZL_MEMBER = { mtime: new Date(1980, 0, 1), mode: MODE, forceDosTimestamp: true };

interface OpenedMember {
  source: Readable | undefined;
}

/**
 * yazl retains this function of every member until the archive ends, so it must not capture the content: 1,500 days of channels
 * took 300 MB.
 */
function openerOf(opened: OpenedMember) {
  return (callback: (error: unknown, source: Readable) => void) => {
    if (opened.source) callback(null, opened.source);
  };
}

/** For archives of any number of members. */
export function yazlEngine(): ZipEngine {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const zip = new ZipFile();
  zip.on('error', failed.reject);
  return {
    output: zip.outputStream as Readable,
    failed: failed.promise,
    add: async (path, source, packing) => {
      const opened: OpenedMember = { source };
      zip.addReadStreamLazy(path, { ...YAZL_MEMBER, compressionLevel: YAZL_LEVELS[packing] }, openerOf(opened));
      const read = Promise.withResolvers<void>();
      source.once('close', read.resolve);
      await read.promise;
      opened.source = undefined;
    },
    end: () => zip.end(),
  };
}
