/** A small site with every kind of stored file and three places of backups, and single bytes of them that change as on a failing disk. */
import {
  closeSync,
  createReadStream,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { DAY_MS } from '../durations.ts';
import { contentOf, sha256Hex } from '../files/content-hash.ts';
import { backupPlacesOf } from '../integrity/backup/file-copies.ts';
import { makeBackup } from '../integrity/backup/make.ts';
import { sealFolder, unlockFolder } from '../integrity/backup/sealed/keys.ts';
import { Pace } from '../integrity/scrub/pace.ts';
import { FIRST_CURSOR, runScrub, type ScrubOutcome } from '../integrity/scrub/scrub.ts';
import type { ScrubCursor, ScrubFinding } from '../integrity/scrub/state.ts';
import { decryptStream } from '../secrets/age-files.ts';
import { openSite } from '../site/folder.ts';
import { storeTestAnalytics } from './test-analytics.ts';
import { addTestRecording } from './test-recording.ts';
import { makeTestSite, type TestSite } from './test-site.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const FLIP_PASSPHRASE = 'correct horse battery staple';

export interface FlipSite {
  test: TestSite;
  dir: string;
  plain: string;
  /** Another plain place, as on a second disk. */
  second: string;
  sealed: string;
  remove(): Promise<void>;
}

/** @param dates days with an analysis */
export async function makeFlipSite(options: { recordings?: number; dates?: number } = {}): Promise<FlipSite> {
  const parent = await mkdtemp(join(tmpdir(), 'outpost-flips-'));
  const test = await makeTestSite();
  const [plain, second, sealed] = ['plain', 'second', 'sealed'].map((name) => join(parent, name)) as [
    string,
    string,
    string,
  ];
  const folder = await openSite(test.dir);
  const place = { studyId: test.studyId, subjectId: test.subjectIds[0]! };
  for (let i = 0; i < (options.recordings ?? 6); i++)
    await addTestRecording(folder.store, folder.signalsDir, place, { startUs: i * 3600e6 });
  const dates = Array.from({ length: options.dates ?? 4 }, (_, i) =>
    new Date(NOW - i * DAY_MS).toISOString().slice(0, 10),
  ).sort();
  const spans = dates.map((_, i) => ({ startMs: NOW - (i + 1) * DAY_MS, stopMs: NOW - i * DAY_MS - i * 1000 }));
  await storeTestAnalytics(folder.store, place, 'US/Eastern', dates, spans);
  for (let i = 0; i < 4; i++) {
    const bytes = Buffer.from(`picture ${i} `.repeat(500 + i));
    writeFileSync(join(folder.imagesDir, `picture-${i}.jpg`), bytes);
    const image = {
      file: `picture-${i}.jpg`,
      mimeType: 'image/jpeg',
      sizeBytes: bytes.length,
      sha256: sha256Hex(bytes),
    };
    await folder.store.messages.post(
      { ...place, body: `Look ${i}`, image },
      { actor: { type: 'USER', id: test.userId } },
    );
  }
  await folder.close();
  await sealFolder(sealed, test.dir, FLIP_PASSPHRASE);
  for (const [i, to] of [plain, sealed, second, plain, sealed].entries())
    await makeBackup({ siteDir: test.dir, to, reason: 'manual', nowTs: NOW + i * 1000 });
  const remove = async () => {
    await test.remove();
    await rm(parent, { recursive: true, force: true });
  };
  return { ...{ test, dir: test.dir, plain, second, sealed }, remove };
}

/** One whole cycle without a rest. */
export async function scrubCycle(
  { dir }: Pick<FlipSite, 'dir'>,
  options: { open?: readonly ScrubFinding[]; from?: ScrubCursor; places?: readonly string[]; nowTs?: number } = {},
): Promise<ScrubOutcome> {
  const places = options.places ?? (await backupPlacesOf(dir)).reached;
  const whole: ScrubOutcome = { findings: [], imageHashes: [], files: 0, bytes: 0 };
  let cursor: ScrubCursor | undefined = options.from ?? FIRST_CURSOR;
  for (let open = options.open ?? []; cursor; open = []) {
    const run = { dir, places, cursor, open, nowTs: options.nowTs ?? NOW, forMs: 1e9 };
    const outcome: ScrubOutcome = await runScrub(run, new Pace({ share: 1 }));
    if (outcome.failure) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
    whole.findings.push(...outcome.findings);
    whole.imageHashes.push(...outcome.imageHashes);
    whole.files += outcome.files;
    whole.bytes += outcome.bytes;
    if (outcome.database) whole.database = outcome.database;
    cursor = outcome.cursor;
  }
  return whole;
}

/** Numbers from 0 up to 1 that a seed determines. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Changes one byte as a disk does: the file keeps its times. */
export function flipByte(path: string, random: () => number): void {
  const { size, atimeMs, mtimeMs } = statSync(path);
  const at = Math.floor(random() * size);
  const handle = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(handle, byte, 0, 1, at);
  writeSync(handle, Buffer.from([byte[0]! ^ (1 + Math.floor(random() * 255))]), 0, 1, at);
  closeSync(handle);
  utimesSync(path, atimeMs / 1000, mtimeMs / 1000);
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Every file that single bytes change in, by kind. Locks hold nothing. */
export function flippableFiles({ dir, plain, second, sealed }: FlipSite): Record<string, string[]> {
  const below = (folder: string) =>
    filesBelow(folder).filter((path) => !/backups\.lock/.test(path) && statSync(path).size > 0);
  const ends = (folder: string, pattern: RegExp) => below(join(dir, folder)).filter((path) => pattern.test(path));
  return {
    signals: ends('signals', /\.sig$/),
    columns: ends('columns', /\.opa$/),
    pictures: ends('images', /\.jpg$/),
    plain: [...below(plain), ...below(second)],
    sealed: below(sealed),
  };
}

export interface FlipCount {
  flipped: number;
  found: number;
  healed: number;
  /** Byte for byte as before or, for encrypted pieces, with the content of before. */
  same: number;
}

/**
 * Changes `count` bytes, each in another file of one kind after the other, runs a cycle, and compares every file. Each file has a
 * second copy that is whole: at most one copy of a content is changed at a time.
 */
export async function flipAndScrub(
  site: FlipSite,
  count: number,
  random: () => number,
  isSameContent: (path: string, before: Buffer) => Promise<boolean>,
): Promise<{ byKind: Map<string, FlipCount>; missed: string[]; unhealed: string[] }> {
  const kinds = Object.entries(flippableFiles(site));
  const before = new Map(kinds.flatMap(([, paths]) => paths.map((path) => [path, readFileSync(path)] as const)));
  const flipped = new Map<string, string>();
  const contents = new Set<string>();
  for (let tries = 0; flipped.size < count && tries < count * 20; tries++) {
    const [kind, paths] = kinds[Math.floor(random() * kinds.length)]!;
    const path = paths[Math.floor(random() * paths.length)]!;
    const content = identityOf(site, path, before.get(path)!);
    if (flipped.has(path) || contents.has(content)) continue;
    flipByte(path, random);
    flipped.set(path, kind);
    contents.add(content);
  }
  const { findings } = await scrubCycle(site);
  const byPlace = new Map(findings.map((one) => [join(one.directory ?? site.dir, one.file), one]));
  const byKind = new Map<string, FlipCount>();
  const missed: string[] = [];
  const unhealed: string[] = [];
  for (const [path, kind] of flipped) {
    const counted = byKind.get(kind) ?? { flipped: 0, found: 0, healed: 0, same: 0 };
    byKind.set(kind, counted);
    counted.flipped += 1;
    // A second copy is reported under the name of the first.
    const name = path.replace(/([\\/])second\1(?=[^\\/]+$)/, '$1');
    const finding = byPlace.get(path) ?? byPlace.get(name) ?? keyFinding(byPlace, path);
    if (finding) counted.found += 1;
    else missed.push(path);
    if (finding?.state === 'HEALED') counted.healed += 1;
    const isSame = /checked\.json$/.test(path) || (await isSameContent(path, before.get(path)!).catch(() => false));
    if (isSame) counted.same += 1;
    if (finding?.state !== 'HEALED' || !isSame) unhealed.push(path);
  }
  // Nothing else was changed.
  for (const [path, bytes] of before) {
    if (flipped.has(path) || /stored\.sha256$|manifest\.sha256$/.test(path)) continue;
    if (!readFileSync(path).equals(bytes)) unhealed.push(`${path} was changed`);
  }
  return { byKind, missed, unhealed };
}

/** Copies of the keys of a folder are reported together. */
const keyFinding = (byPlace: ReadonlyMap<string, ScrubFinding>, path: string) =>
  /key\.age$|encryption\.json$/.test(path)
    ? [...byPlace].find(([place]) => /key\.age$|encryption\.json$/.test(place))?.[1]
    : undefined;

/** Copies that are the second copy of each other have one identity. Both copies of a backup's own file belong together. */
function identityOf({ dir, plain, second, sealed }: FlipSite, path: string, bytes: Buffer): string {
  if (path.startsWith(sealed) && /files[\\/]/.test(path)) return `sealed ${path}`;
  if (/(?:key\.age|encryption\.json)$/.test(path)) return 'keys';
  const own = [plain, second, sealed].find((folder) => path.startsWith(join(folder, 'backup-')));
  // Of the lists of one backup, one at a time: each vouches for the others.
  if (own) return relative(own, path).split(/[\\/]/)[0]!;
  return path.startsWith(dir) || path.startsWith(plain) || path.startsWith(second) ? sha256Hex(bytes) : path;
}

/**
 * Whether a repaired file is as before. Encryption is never the same twice, so a piece that had to be encrypted again has the content
 * of before, and the lists that name its hash are new.
 */
export async function sameAsBefore({ sealed }: FlipSite): Promise<(path: string, before: Buffer) => Promise<boolean>> {
  const { identity } = await unlockFolder(sealed, FLIP_PASSPHRASE);
  const plain = async (source: AsyncIterable<Uint8Array>) =>
    (await contentOf(await decryptStream(identity, source))).sha256;
  const only = async function* (bytes: Buffer): AsyncGenerator<Uint8Array> {
    yield bytes;
  };
  return async (path, before) => {
    if (readFileSync(path).equals(before)) return true;
    if (!path.startsWith(sealed)) return false;
    if (/(?:stored|manifest)\.sha256$/.test(path)) return true;
    return (await plain(createReadStream(path))) === (await plain(only(before)));
  };
}
