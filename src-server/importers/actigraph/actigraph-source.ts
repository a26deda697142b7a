/** ActiGraph recordings: `.gt3x` with `log.bin` (new) or `activity.bin` (GT3X+ before firmware 2.5), and `.agdc`. */
import { basename } from 'node:path';
import { openZipForSalvage, type SalvagedZip } from '../../files/zip-salvage.ts';
import { damaged } from '../refusals.ts';
import { sourceHash } from '../source-bytes.ts';
import type { ImportOptions, ImportSource } from '../types.ts';
import { readOldLayout } from './activity-bin.ts';
import type { ActigraphFile } from './facts.ts';
import { parseInfo } from './info-text.ts';
import { readLogLayout } from './log-layout.ts';

const LIMITS = { maxMembers: 64, maxBytes: 16 * 2 ** 30, maxRatio: 200 };
const MAX_TEXT_BYTES = 1 << 20;

export async function openActigraph(path: string, options: ImportOptions): Promise<ImportSource> {
  const zip = await openZipForSalvage(path, LIMITS);
  try {
    const notes: string[] = [];
    if (zip.isCut)
      notes.push(`${basename(path)} was cut off or its list of members is damaged; what is whole was read.`);
    const small = (name: string) => smallMember(zip, name);
    const text = await small('info.txt');
    if (text === null) notes.push('info.txt is missing or damaged; its facts were taken from the log itself.');
    const info = text === null ? {} : parseInfo(text);
    const member = (name: string) => zip.members.find((candidate) => candidate.name === name);
    const sha256 = options.withoutHash ? '' : await sourceHash([path], options.signal);
    const file: ActigraphFile = { path, options, info, hasInfo: text !== null, notes, sha256, small, member };
    const log = member('log.bin');
    const activity = member('activity.bin');
    if (!log && !activity) throw damaged(path, 'its log is missing.');
    const source = log ? await readLogLayout(file, log) : await readOldLayout(file, activity!);
    return { ...source, close: async () => zip.close() };
  } catch (thrown) {
    zip.close();
    throw thrown;
  }
}

async function smallMember(zip: SalvagedZip, name: string): Promise<Uint8Array | null> {
  const member = zip.members.find((candidate) => candidate.name === name);
  if (!member || (member.sizeBytes ?? 0) > MAX_TEXT_BYTES) return null;
  const parts: Uint8Array[] = [];
  let isWhole = false;
  let bytes = 0;
  for await (const chunk of member.open((fault) => {
    isWhole = fault === null;
  })) {
    bytes += chunk.byteLength;
    if (bytes > MAX_TEXT_BYTES) return null;
    parts.push(chunk);
  }
  return isWhole ? Buffer.concat(parts) : null;
}
