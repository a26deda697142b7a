import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OpenedFiles } from './opened-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-opened-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('offers the regular files among the arguments, each once', async () => {
  const opened = new OpenedFiles(1);
  await writeFile(join(folder, 'a.edf'), 'abc');
  await mkdir(join(folder, 'folder.edf'));
  expect(await opened.add(['a.edf', 'folder.edf', 'missing.edf', '--flag', join(folder, 'a.edf')], folder)).toBe(2);
  const [file, ...others] = await opened.next();
  expect(others).toEqual([]);
  expect(file).toMatchObject({ name: 'a.edf', sizeBytes: 3 });
  opened.forget([file?.id]);
  expect(await opened.next()).toEqual([]);
});

test('answers a page that waits as soon as a file is opened', async () => {
  const opened = new OpenedFiles(60_000);
  const waiting = opened.next();
  await writeFile(join(folder, 'a.edf'), 'abc');
  await opened.add(['a.edf'], folder);
  expect((await waiting).map(({ name }) => name)).toEqual(['a.edf']);
});

test('reads large files in pieces and nothing that the user did not open', async () => {
  const opened = new OpenedFiles(1);
  const content = Buffer.alloc(9 * 2 ** 20, 7);
  content[content.length - 1] = 8;
  await writeFile(join(folder, 'large.zip'), content);
  await opened.add([join(folder, 'large.zip')], '/');
  const id = (await opened.next())[0]?.id ?? '';
  const first = await opened.read(id, 0);
  const second = await opened.read(id, first.length);
  expect(Buffer.concat([first, second]).equals(content)).toBe(true);
  expect(await opened.read(id, content.length)).toHaveLength(0);
  for (const wrong of [join(folder, 'large.zip'), '', null, { id }]) {
    await expect(opened.read(wrong, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  for (const offset of [-1, 0.5, '0', undefined]) {
    await expect(opened.read(id, offset)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  await rm(join(folder, 'large.zip'));
  await expect(opened.read(id, 0)).rejects.toThrow('large.zip can no longer be read');
  opened.forget([id]);
  await expect(opened.read(id, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
