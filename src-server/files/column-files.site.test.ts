import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toOutpostError } from '../errors.ts';
import { type SmallDisk, smallDisk } from '../testing/small-disk.ts';
import { ColumnFiles, columnPath, contentOfBytes } from './column-files.ts';

let site: string;
let columns: ColumnFiles;
beforeEach(() => {
  site = mkdtempSync(join(tmpdir(), 'outpost-columns-'));
  columns = new ColumnFiles(join(site, 'columns'));
});
afterEach(() => rmSync(site, { recursive: true, force: true }));

const bytesOf = (text: string, length = 1000) => Buffer.alloc(length, text);
const placeOf = (sha256: string) => join(site, columnPath(sha256));
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) => e.isFile());

describe('column files', () => {
  it('are named after their content, stored once and read back', async () => {
    const blocks = [bytesOf('a'), bytesOf('b'), bytesOf('a'), Buffer.alloc(0)];
    const contents = await columns.write(blocks);
    expect(contents).toEqual(blocks.map(contentOfBytes));
    expect(filesIn(site)).toHaveLength(3);
    for (const [i, content] of contents.entries()) expect(Buffer.from(await columns.read(content))).toEqual(blocks[i]);
    const before = statSync(placeOf(contents[0]!.sha256));
    await columns.write(blocks);
    const after = statSync(placeOf(contents[0]!.sha256));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
    expect(await columns.list(contents[1]!.sha256.slice(0, 2))).toEqual([contents[1]!.sha256]);
  });

  it.each([
    ['changed', (path: string) => writeFileSync(path, bytesOf('x'))],
    ['cut short', (path: string) => truncateSync(path, 999)],
    ['longer', (path: string) => writeFileSync(path, bytesOf('a', 1001))],
    ['missing', (path: string) => rmSync(path)],
  ])('that are %s are never read as the content, and are replaced when it is written again', async (_how, spoil) => {
    const [content] = await columns.write([bytesOf('a')]);
    spoil(placeOf(content!.sha256));
    await expect(columns.read(content!)).rejects.toMatchObject({
      code: 'SITE_CORRUPT',
      message: expect.stringMatching(/Compute the days of this subject again\.$/),
    });
    await columns.write([bytesOf('a')]);
    expect(readFileSync(placeOf(content!.sha256))).toEqual(bytesOf('a'));
  });

  it('are removed together with what interrupted writes left', async () => {
    const [content] = await columns.write([bytesOf('a')]);
    const prefix = content!.sha256.slice(0, 2);
    const partial = `${placeOf(content!.sha256)}.01234567-89ab-4def-8123-456789abcdef.partial`;
    writeFileSync(partial, 'half');
    expect(await columns.list(prefix)).toEqual([content!.sha256]);
    await columns.removePartials(prefix, statSync(partial).mtimeMs);
    expect(filesIn(site)).toHaveLength(2);
    await columns.removePartials(prefix, statSync(partial).mtimeMs + 1);
    await columns.remove(content!.sha256);
    await columns.remove(content!.sha256);
    expect(filesIn(site)).toEqual([]);
  });

  it('leave the next work its turn when one fails', async () => {
    const order: number[] = [];
    const failing = columns.exclusive(async () => {
      order.push(1);
      throw new Error('full');
    });
    const next = columns.exclusive(async () => order.push(2));
    await expect(failing).rejects.toThrow('full');
    await next;
    expect(order).toEqual([1, 2]);
  });
});

const probe = await smallDisk();
await probe?.remove();

describe.runIf(probe !== undefined)('on a full disk', () => {
  let disk: SmallDisk;
  beforeEach(async () => {
    disk = (await smallDisk()) as SmallDisk;
  });
  afterEach(() => disk.remove());

  it('a write fails, leaves nothing half, and succeeds once there is room', async () => {
    const onDisk = new ColumnFiles(join(disk.path, 'columns'));
    const big = Buffer.alloc(30 << 20, 'big');
    const thrown = await onDisk.write([bytesOf('a'), big]).catch(toOutpostError);
    expect(thrown).toMatchObject({ code: 'DISK_FULL' });
    expect(filesIn(disk.path).filter(({ name }) => !/^[0-9a-f]{64}\.opa$/.test(name))).toEqual([]);
    await expect(onDisk.read(contentOfBytes(big))).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
    const [content] = await onDisk.write([bytesOf('a')]);
    expect(Buffer.from(await onDisk.read(content!))).toEqual(bytesOf('a'));
  });
});
