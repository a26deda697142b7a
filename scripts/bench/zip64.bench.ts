/**
 * A ZIP64 archive beyond the limits of classic ZIP: more than 4 GB, one member of more than 4 GB, and more than 65,535
 * members. Written by the ZIP writer of the exports and read back by yauzl. The zeros are written as a sparse file.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { type WrittenMember, ZipWriter } from '../../src-server/exporters/zip-writer.ts';
import type { BenchRow } from './types.ts';

const PIECE = new Uint8Array(8 << 20);
const BIG_BYTES = 4.4e9;
const SMALL_MEMBERS = 70_000;
const CLASSIC_MEMBERS = 65_535;
const CLASSIC_BYTES = 2 ** 32;

/** Writes a sparse file: chunks of zeros become holes. */
class SparseFile extends Writable {
  readonly #file: FileHandle;
  #position = 0;

  constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    const position = this.#position;
    this.#position += chunk.length;
    if (chunk.length > 4096 && chunk.equals(PIECE.subarray(0, chunk.length))) done();
    else this.#file.write(chunk, 0, chunk.length, position).then(() => done(), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#file.truncate(this.#position).then(() => done(), done);
  }
}

function* zeros(): Generator<Uint8Array> {
  for (let done = 0; done < BIG_BYTES; done += PIECE.length) yield PIECE;
}

async function write(path: string): Promise<{ members: WrittenMember[]; sizeBytes: number; peakMegabytes: number }> {
  const file = await open(path, 'w');
  try {
    const before = process.memoryUsage.rss();
    let peak = before;
    const zip = new ZipWriter(new SparseFile(file), 'many');
    const members = [await zip.add('big.bin', zeros(), 'STORED')];
    for (let i = 0; i < SMALL_MEMBERS; i++) {
      members.push(await zip.add(`small/${i}.csv`, [`row ${i}\n`], i % 2 === 0 ? 'STORED' : 'DEFAULT'));
      if (i % 1000 === 0) peak = Math.max(peak, process.memoryUsage.rss());
    }
    const { sizeBytes } = await zip.finish();
    return { members, sizeBytes, peakMegabytes: (peak - before) / 1e6 };
  } finally {
    await file.close();
  }
}

async function hashOf(zip: ZipFile, entry: Entry): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await zip.openReadStreamPromise(entry)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Returns the number of members that read back with the size and hash reported by the writer. */
async function readBack(path: string, members: readonly WrittenMember[]): Promise<number> {
  const zip = await openPromise(path, { autoClose: false });
  try {
    let right = 0;
    for await (const entry of zip.eachEntry()) {
      const written = members[right];
      if (entry.fileName !== written?.path || entry.uncompressedSize !== written.sizeBytes) break;
      // Every member after the big one lies beyond 4 GB; a sample of them is read.
      const isRead = right === 0 || right % 500 === 0 || right === members.length - 1;
      if (isRead && (await hashOf(zip, entry)) !== written.sha256) break;
      right++;
    }
    return right;
  } finally {
    zip.close();
  }
}

export async function run(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-zip64-'));
  try {
    const path = join(folder, 'archive.zip');
    const started = performance.now();
    const { members, sizeBytes, peakMegabytes } = await write(path);
    const seconds = (performance.now() - started) / 1000;
    const right = await readBack(path, members);
    const { size } = await stat(path);
    const name = 'ZIP beyond 4 GB and 65,535 members';
    return [
      {
        name: `${name}: read back`,
        value: right,
        unit: 'members',
        peer: 'classic ZIP limit',
        peerValue: CLASSIC_MEMBERS,
        ratio: right / CLASSIC_MEMBERS,
        bar: 'all',
        pass: right === members.length && right > CLASSIC_MEMBERS,
      },
      {
        name: `${name}: size`,
        value: size / 1e9,
        unit: 'GB',
        peer: 'classic ZIP limit',
        peerValue: CLASSIC_BYTES / 1e9,
        ratio: size / CLASSIC_BYTES,
        bar: '> 1',
        pass: size === sizeBytes && size > CLASSIC_BYTES,
      },
      // About 1 KB per member is held until the end; the rest is garbage not yet collected.
      { name: `${name}: memory`, value: peakMegabytes, unit: 'MB', pass: true },
      { name: `${name}: time to write`, value: seconds, unit: 's', pass: true },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}
