/** The limits within which a ZIP of CSV files is read. */
import { openZipArchive, type ZipArchive } from '../../files/zip-archive.ts';
import { openZipForSalvage, type SalvagedMember } from '../../files/zip-salvage.ts';
import { damaged } from '../refusals.ts';
import type { CsvMember } from './csv-signal.ts';

/** Real sensor text is packed 3 to 10 : 1, a constant signal up to about 60 : 1. */
const LIMITS = { maxMembers: 10_000, maxBytes: 64 * 2 ** 30, maxRatio: 200 };

/** Opens a ZIP and lists its files. @throws FILE_DAMAGED, ZIP_UNSAFE or UNSUPPORTED_FORMAT */
export function openZipMembers(path: string): Promise<ZipArchive> {
  return openZipArchive(path, LIMITS);
}

/** A member of a ZIP that was cut off, with all bytes that are whole. */
export interface SalvagedFile {
  name: string;
  sizeBytes: number;
  open(onBytes?: (bytes: number) => void): AsyncIterable<Uint8Array>;
  /** Whether the last reading ended before the member did. */
  endsCut(): boolean;
}

/** The members of a ZIP that was cut off. @throws as `openZipForSalvage` */
export async function salvagedFiles(path: string): Promise<SalvagedFile[]> {
  const zip = await openZipForSalvage(path, LIMITS);
  zip.close();
  return zip.members.map((member) => {
    let isCut = false;
    async function* open(onBytes?: (bytes: number) => void): AsyncGenerator<Uint8Array> {
      const chunks = member.open((fault) => {
        // Nothing tells which of its values are wrong.
        if (fault === 'BROKEN') throw damaged(path, `${member.name} in it does not match its checksum.`);
        isCut = fault === 'CUT';
      });
      for await (const chunk of chunks) {
        onBytes?.(chunk.byteLength);
        yield chunk;
      }
    }
    return { name: member.name, sizeBytes: member.sizeBytes ?? 0, open, endsCut: () => isCut };
  });
}

const LINE_FEED = 10;

/**
 * The members of a ZIP that was cut off, with their whole lines. A member that has not one whole line is left out, so the list may be
 * empty.
 */
export async function salvagedMembers(path: string): Promise<CsvMember[]> {
  const zip = await openZipForSalvage(path, LIMITS);
  try {
    const members: CsvMember[] = [];
    for (const member of zip.members) {
      const open = (onBytes?: (bytes: number) => void) => wholeLines(path, member, onBytes);
      const lines = open();
      const first = await lines.next();
      // Closes the file, which an abandoned generator keeps open.
      await lines.return(undefined);
      if (!first.done) members.push({ name: member.name, sizeBytes: member.sizeBytes ?? 0, open });
    }
    return members;
  } finally {
    zip.close();
  }
}

/** The last line of a cut member may end inside a number. */
async function* wholeLines(
  path: string,
  member: SalvagedMember,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  let isCut = false;
  const chunks = member.open((fault) => {
    // Nothing tells which of its values are wrong.
    if (fault === 'BROKEN') throw damaged(path, `${member.name} in it does not match its checksum.`);
    isCut = fault === 'CUT';
  });
  for await (const chunk of chunks) {
    onBytes?.(chunk.byteLength);
    const bytes = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    const stop = bytes.lastIndexOf(LINE_FEED) + 1;
    rest = bytes.slice(stop);
    if (stop > 0) yield bytes.subarray(0, stop);
  }
  if (!isCut && rest.byteLength > 0) yield rest;
}
