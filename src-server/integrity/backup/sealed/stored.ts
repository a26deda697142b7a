/** What can be known of an encrypted backup without its key: which pieces it needs, and whether their bytes are those that were written. */
import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diagnostic } from '../../../diagnostics.ts';
import { OutpostError } from '../../../errors.ts';
import { hashFile, sha256Hex, stopIfCancelled } from '../../../files/content-hash.ts';
import { SMALL_BYTES } from '../../content.ts';
import { turns } from '../../turns.ts';
import type { CheckOptions, DamagedMember } from '../check.ts';
import { contentPath, MANIFEST_SUM_FILE, STORED_FILE } from '../manifest.ts';
import { ownSums, wholeCopy } from '../second-copies.ts';

export const CONTENTS_FILE = 'contents.tsv.age';

const HEADER_BYTES = 184;
const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;

/** Size of an age file for one X25519 recipient: header and nonce, then chunks of 64 KiB with a tag each. */
export function sealedBytes(plainBytes: number): number {
  return HEADER_BYTES + plainBytes + TAG_BYTES * Math.max(1, Math.ceil(plainBytes / CHUNK_BYTES));
}

/** By name, the SHA-256 of the encrypted piece. Lines of `sha256sum -c`, run in the folder of the backup. */
export function storedText(pieces: ReadonlyMap<string, string>): string {
  return [...pieces].map(([name, sha256]) => `${sha256}  ../${contentPath(name)}\n`).join('');
}

/** @throws FILE_DAMAGED */
export async function readStored(path: string): Promise<Map<string, string>> {
  const sha256 = ownSums(path)?.hashes.get(STORED_FILE);
  const text = sha256 === undefined ? undefined : wholeCopy(path, STORED_FILE, sha256)?.toString('utf8');
  if (text === undefined) {
    throw new OutpostError('FILE_DAMAGED', `The backup ${path} cannot be used: its ${STORED_FILE} is damaged.`);
  }
  const pieces = new Map<string, string>();
  for (const [, stored, name] of text.matchAll(/^([0-9a-f]{64}) {2}\.\.\/files\/[0-9a-f]{2}\/([0-9a-f]{64})$/gm))
    pieces.set(name!, stored!);
  return pieces;
}

/** Compares an encrypted backup with the hashes of what was written. @param options.only of the pieces, only these */
export async function checkStored(
  path: string,
  contentRoot: string,
  options: Omit<CheckOptions, 'onlyContent'> & { only?: ReadonlySet<string> },
): Promise<DamagedMember[]> {
  const damaged: DamagedMember[] = [];
  const pieces = [...(await readStored(path))].filter(([name]) => !options.only || options.only.has(name));
  const sums = await readFile(join(path, MANIFEST_SUM_FILE), 'utf8');
  const own = [...sums.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(([, sha256, name]) => [name!, sha256!] as const);
  const turn = turns();
  let done = 0;
  const look = async (file: string, sha256: string, member: { name: string; path?: string }) => {
    stopIfCancelled(options.signal);
    try {
      if ((await hashOf(file)) !== sha256)
        damaged.push({ ...diagnostic('BACKUP_FILE_CHANGED', { file: member.name }), ...member });
    } catch {
      damaged.push({ ...diagnostic('BACKUP_FILE_UNREADABLE', { file: member.name }), ...member });
    }
    done += 1;
    if (await turn()) options.onProgress?.(done, own.length + pieces.length);
  };
  for (const [name, sha256] of own) await look(join(path, name), sha256, { name });
  for (const [name, sha256] of pieces) {
    const place = contentPath(name);
    await look(join(contentRoot, place), sha256, { name: place, path: place });
  }
  return damaged;
}

async function hashOf(file: string): Promise<string> {
  return statSync(file).size <= SMALL_BYTES ? sha256Hex(readFileSync(file)) : (await hashFile(file)).sha256;
}
