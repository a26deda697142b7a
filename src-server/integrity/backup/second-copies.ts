/**
 * Second copies of a backup's own files, in its folder `second`. A manifest is the only file of a backup that exists once: content lies
 * in the site too, and in other folders of backups, but without a manifest nobody knows what a backup holds. One byte that a disk
 * changes must not cost a whole backup.
 *
 * `manifest.sha256` names the hashes of the others, and the manifest that of `site.json`. Of the two copies of `manifest.sha256` itself,
 * the one counts whose lines match files that are there.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../files/content-hash.ts';
import { syncDirectory, writeDurably } from '../../files/durable-files.ts';
import { MANIFEST_FILE, MANIFEST_SUM_FILE } from './manifest.ts';

export const SECOND = 'second';
/** They change after a backup was made, or have copies elsewhere. */
const WITHOUT_COPY = new Set(['checked.json', 'key.age', 'encryption.json']);
const SUM_LINE = /^([0-9a-f]{64}) {2}([\w.-]+)$/;

/** Where the bytes of a backup's own file may be, the first choice first. */
export function copiesOfOwn(folder: string, name: string): [string, string] {
  return [join(folder, name), join(folder, SECOND, name)];
}

/** Copies the own files of a backup that is complete but for this. Everything is durable before it resolves. */
export async function writeSecondCopies(folder: string): Promise<void> {
  const second = join(folder, SECOND);
  await mkdir(second, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile() || WITHOUT_COPY.has(entry.name)) continue;
    const bytes = await readFile(join(folder, entry.name));
    await writeDurably(join(second, entry.name), bytes, 0o600);
  }
  await syncDirectory(second);
  await syncDirectory(folder);
}

/** The first of two copies whose SHA-256 is `sha256`; undefined where neither is. */
export function wholeCopy(folder: string, name: string, sha256: string): Buffer | undefined {
  for (const path of copiesOfOwn(folder, name)) {
    const bytes = bytesOf(path);
    if (bytes && sha256Hex(bytes) === sha256) return bytes;
  }
  return undefined;
}

export function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

interface OwnSums {
  text: string;
  /** By name, without `manifest.sha256` itself. */
  hashes: ReadonlyMap<string, string>;
}

function parseSums(text: string): OwnSums | undefined {
  const hashes = new Map<string, string>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [, sha256, name] = SUM_LINE.exec(line) ?? [];
    if (sha256 === undefined || name === undefined) return undefined;
    hashes.set(name, sha256);
  }
  return text.endsWith('\n') && hashes.size > 0 ? { text, hashes } : undefined;
}

/** What `manifest.sha256` says, from the copy that is whole; undefined where none is. */
export function ownSums(folder: string): OwnSums | undefined {
  const [first, second] = copiesOfOwn(folder, MANIFEST_SUM_FILE).map((path) => bytesOf(path)?.toString('utf8'));
  const candidates = [...new Set([first, second])].flatMap((text) =>
    text === undefined ? [] : (parseSums(text) ?? []),
  );
  const matches = ({ hashes }: OwnSums) =>
    [...hashes].filter(([name, sha256]) => wholeCopy(folder, name, sha256)).length;
  const scored = candidates.map((sums) => ({
    sums,
    missing: sums.hashes.size - matches(sums),
    matches: matches(sums),
  }));
  scored.sort((a, b) => a.missing - b.missing || b.matches - a.matches);
  const [best] = scored;
  return best && best.matches > 0 ? best.sums : undefined;
}

/** A manifest and its hash, each from whichever copy makes the two fit. */
export function wholeManifest(folder: string): { text: string; sum: string } | undefined {
  const sums = ownSums(folder);
  const sha256 = sums?.hashes.get(MANIFEST_FILE);
  const bytes = sha256 === undefined ? undefined : wholeCopy(folder, MANIFEST_FILE, sha256);
  return sums && bytes && { text: bytes.toString('utf8'), sum: sums.text };
}
