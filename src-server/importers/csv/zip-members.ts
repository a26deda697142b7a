/** The limits within which a ZIP of CSV files is read. */
import { openZipArchive, type ZipArchive } from '../../files/zip-archive.ts';

/** Real sensor text is packed 3 to 10 : 1, a constant signal up to about 60 : 1. */
const LIMITS = { maxMembers: 10_000, maxBytes: 64 * 2 ** 30, maxRatio: 200 };

/** Opens a ZIP and lists its files. @throws FILE_DAMAGED, ZIP_UNSAFE or UNSUPPORTED_FORMAT */
export function openZipMembers(path: string): Promise<ZipArchive> {
  return openZipArchive(path, LIMITS);
}
