import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pulledDisk } from '../src-server/testing/pulled-disk.ts';
import { smallDisk } from '../src-server/testing/small-disk.ts';
import { FileSaver, type FileSource, safeFileName } from './file-saver.ts';

let folder: string;
let shares: (number | 'unknown' | null)[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-saver-'));
  shares = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const saverIn = (dir: string) =>
  new FileSaver(
    async (name) => join(dir, name),
    (share) => void shares.push(share),
  );

const MEGABYTE = 2 ** 20;
async function* pieces(count: number, between: (done: number) => Promise<void> | void = () => {}) {
  for (let i = 0; i < count; i++) {
    await between(i);
    yield new Uint8Array(MEGABYTE).fill(i);
  }
}
const source =
  (bytes: AsyncIterable<Uint8Array>, totalBytes: number | null): (() => Promise<FileSource>) =>
  async () => ({ bytes, totalBytes });

it('shows the file under its name only when it is whole, and how far it is until then', async () => {
  const saver = saverIn(folder);
  const seen: string[][] = [];
  await saver.save(
    'export.zip',
    source(
      pieces(3, async () => void seen.push(await readdir(folder))),
      3 * MEGABYTE,
    ),
  );
  expect(seen.flat()).not.toContain('export.zip');
  expect(seen.at(-1)).toEqual([expect.stringMatching(/^\.export\.zip\..{8}\.part$/)]);
  expect(await readdir(folder)).toEqual(['export.zip']);
  expect((await readFile(join(folder, 'export.zip'))).length).toBe(3 * MEGABYTE);
  const { version, savings } = await saver.next(null);
  expect(savings).toMatchObject([{ name: 'export.zip', state: 'done', doneBytes: 3 * MEGABYTE }]);
  expect(shares[0]).toBe('unknown');
  expect(shares.at(-1)).toBeNull();
  const later = saver.next(version);
  saver.end(savings[0]?.id);
  expect((await later).savings).toEqual([]);
});

it('leaves nothing when it is cancelled, and keeps the file that has the name already', async () => {
  const saver = saverIn(folder);
  await saver.save('export.zip', source(pieces(1), MEGABYTE));
  const [before] = (await saver.next(null)).savings;
  await saver.save(
    'export.zip',
    source(
      pieces(4, async (done) => {
        const { savings } = await saver.next(null);
        if (done === 2) saver.end(savings.at(-1)?.id);
      }),
      4 * MEGABYTE,
    ),
  );
  expect((await saver.next(null)).savings).toEqual([before]);
  expect(await readdir(folder)).toEqual(['export.zip']);
  expect((await readFile(join(folder, 'export.zip'))).length).toBe(MEGABYTE);

  const cut = source(pieces(2), 3 * MEGABYTE);
  await saver.save('export.zip', cut);
  expect((await saver.next(null)).savings.at(-1)).toMatchObject({ state: 'failed', problem: 'incomplete' });
  expect((await readFile(join(folder, 'export.zip'))).length).toBe(MEGABYTE);

  // At the end of the program too.
  const ending = saver.save(
    'other.zip',
    source(
      pieces(100, (done) => void (done === 1 && saver.close())),
      null,
    ),
  );
  await ending;
  expect(await readdir(folder)).toEqual(['export.zip']);
});

it('says that a disk is full, that it was pulled, and that a folder may not be written', async (context) => {
  const problemIn = async (dir: string, between: (done: number) => Promise<void> | void, name = 'export.zip') => {
    const saver = saverIn(dir);
    await saver.save(name, source(pieces(40, between), 40 * MEGABYTE));
    return (await saver.next(null)).savings[0]?.problem;
  };
  expect(await problemIn(join(folder, 'gone'), () => {})).toBe('disk-gone');
  const full = await smallDisk();
  if (!full) return context.skip();
  try {
    expect(await problemIn(full.path, () => {})).toBe('disk-full');
    expect(await readdir(full.path)).toEqual([]);
  } finally {
    await full.remove();
  }
  const pulled = await pulledDisk();
  if (!pulled) return context.skip();
  try {
    expect(await problemIn(pulled.path, async (done) => void (done === 2 && (await pulled.pull())))).toBe('disk-gone');
  } finally {
    await pulled.remove();
  }
});

it.each([
  ['Sleep study 2026.zip', 'Sleep study 2026.zip'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Windows\\x.dll', 'x.dll'],
  ['.bashrc', 'bashrc'],
  ['a:b?.csv', 'a-b-.csv'],
  ['被験者 N-104 · Outpost.pdf', '被験者 N-104 · Outpost.pdf'],
  ['a\u0000b.csv', 'a-b.csv'],
  ['...', 'outpost'],
])('proposes a name that leads nowhere else: %s', (name, safe) => {
  expect(safeFileName(name)).toBe(safe);
});
