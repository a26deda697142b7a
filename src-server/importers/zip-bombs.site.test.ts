/** ZIP bombs are rejected by their central directory, before anything is unpacked. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBackup } from '../integrity/backup/sources.ts';
import { readImport } from '../testing/import-fixtures.ts';
import { fullOverlapZip, localHeader, quotedOverlapZip, withDirectory } from '../testing/zip-bomb.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-bombs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ACCEL = 'Timestamp (microseconds),Accel X (g),Accel Y (g),Accel Z (g)';
const csv = (rows: number): Buffer =>
  Buffer.from(
    `${ACCEL}\n${Array.from({ length: rows }, (_, i) => `${1_579_647_012_385_345 + i * 4000},0.1,-0.2,0.9\n`).join('')}`,
  );
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `s${i}/accel.csv`);

/** Members one after the other, each packed honestly. */
function honestZip(contents: Record<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  const entries = Object.entries(contents).map(([name, content]) => {
    const packed = deflateRawSync(content);
    const offset = parts.reduce((sum, part) => sum + part.length, 0);
    const entry = { name, offset, packedBytes: packed.length, sizeBytes: content.length, crc: crc32(content) };
    parts.push(localHeader(entry), packed);
    return entry;
  });
  return withDirectory(Buffer.concat(parts), entries);
}

/** The first member's local header claims an extra field that reaches into the second; the central directory does not. */
function shiftedZip(): Buffer {
  const packed = deflateRawSync(csv(100));
  const entry = (name: string, offset: number) => ({
    name,
    offset,
    packedBytes: packed.length,
    sizeBytes: csv(100).length,
    crc: crc32(csv(100)),
  });
  const first = entry('a/accel.csv', 0);
  const second = entry('b/accel.csv', 30 + first.name.length + packed.length);
  const shift = 30 + second.name.length + packed.length;
  return withDirectory(Buffer.concat([localHeader(first, shift), packed, localHeader(second), packed]), [
    first,
    second,
  ]);
}

const MEBIBYTE = 1 << 20;
const blank = Buffer.concat([Buffer.from(`${ACCEL}\n`), Buffer.alloc(15 * MEBIBYTE, '\n')]);

const BOMBS: [string, () => Buffer, RegExp][] = [
  ['members that all are the same bytes', () => fullOverlapZip(names(1000), csv(1000)), /shares its bytes/],
  ['members that quote each other', () => quotedOverlapZip(names(200), csv(1000)), /shares its bytes/],
  ['a member whose own header reaches into the next', shiftedZip, /shares its bytes/],
  [
    'many members that stay below the limit one by one',
    () => honestZip(Object.fromEntries(names(40).map((name) => [name, blank]))),
    /would unpack to \d+ bytes from \d+/,
  ],
  [
    'more members than any export has',
    () => fullOverlapZip(names(20_000), csv(1)),
    /lists 20000 members, and at most 10000/,
  ],
  [
    'a member listed twice',
    () => {
      const one = honestZip({ 'accel.csv': csv(10), 'bccel.csv': csv(10) });
      return Buffer.from(one.toString('latin1').replaceAll('bccel', 'accel'), 'latin1');
    },
    /holds accel\.csv twice/,
  ],
];

describe('a ZIP is refused before it is unpacked', () => {
  it.each(BOMBS)('%s', async (name, make, says) => {
    const path = join(folder, `${name.replaceAll(' ', '-')}.zip`);
    await writeFile(path, make());
    const failure = await readImport([path]).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'ZIP_UNSAFE', message: expect.stringMatching(says) });
  });

  it('also where it claims to be a backup', async () => {
    const path = join(folder, 'backup.zip');
    await writeFile(path, fullOverlapZip(['manifest.json', 'manifest.json.sha256', 'files/1'], Buffer.alloc(1 << 20)));
    await expect(openBackup(path)).rejects.toMatchObject({ code: 'ZIP_UNSAFE' });
  });

  it('while one whose members stand apart is read whole', async () => {
    const path = join(folder, 'honest.zip');
    await writeFile(path, honestZip({ 'a/accel.csv': csv(100), 'b/accel.csv': csv(200) }));
    expect((await readImport([path])).channels[0]!.counts[0]!.length).toBe(100);
  });
});

describe('unpacking ends', () => {
  it('at the length that the list of members promises', async () => {
    const packed = deflateRawSync(csv(5000));
    const entry = { name: 'accel.csv', offset: 0, packedBytes: packed.length, sizeBytes: 900, crc: crc32(csv(5000)) };
    const path = join(folder, 'lies.zip');
    await writeFile(path, withDirectory(Buffer.concat([localHeader(entry), packed]), [entry]));
    await expect(readImport([path])).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });

  it('where a CSV consists of blank lines', async () => {
    const path = join(folder, 'blank.zip');
    await writeFile(path, honestZip({ 'accel.csv': blank }));
    await expect(readImport([path])).rejects.toMatchObject({
      code: 'FILE_DAMAGED',
      message: expect.stringMatching(/blank lines/),
    });
  });

  it('where one source would become thousands of recordings', async () => {
    const path = join(folder, 'crumbs.zip');
    await writeFile(path, honestZip(Object.fromEntries(names(3000).map((name) => [name, csv(1)]))));
    await expect(readImport([path])).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      message: expect.stringMatching(/3000 recordings/),
    });
  });
});
