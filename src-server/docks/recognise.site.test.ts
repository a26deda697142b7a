/** Recorders and files are recognised by content, once they are settled, and nothing of them is written. */
import { copyFile, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { madeCwa } from '../testing/made-cwa.ts';
import { type FoundDrive, findDrives } from './find-drives.ts';
import { findFiles } from './find-files.ts';
import type { FoundFolder } from './found-folder.ts';
import { parseMounts } from './mounts.ts';
import { recognise } from './recognise.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outpost-docks-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const DEVICES = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'devices', 'axivity');

describe('recognise', () => {
  it.each([
    ['ax3_testfile.cwa', { model: 'AX3', serial: '39434', sessionId: 26, subjectCode: '26' }, '2019-02-26T10:55:0'],
    ['ax6_testfile.cwa', { model: 'AX6', serial: '6011834', sessionId: 993, subjectCode: '993' }, '2019-12-23T21:04:0'],
  ])('reads whose %s is and when it began', async (name, facts, start) => {
    const path = join(DEVICES, name);
    if (!(await stat(path).catch(() => undefined))) return;
    const found = await recognise(path);
    expect(found).toMatchObject({ ...facts, isCwa: true, isEmpty: false });
    expect(found!.start!.toString()).toContain(start);
    expect(found!.stop!.toString() > found!.start!.toString()).toBe(true);
  });

  it('gives the same content one id, and another one as soon as anything differs', async () => {
    const ids = new Set<string>();
    for (const [name, content] of [
      ['a.cwa', madeCwa()],
      ['b.cwa', madeCwa({ blocks: 601 })],
      ['c.cwa', madeCwa({ sessionId: 27 })],
      ['d.cwa', madeCwa({ seed: 2 })],
    ] as const) {
      await writeFile(join(dir, name), content);
      ids.add((await recognise(join(dir, name)))!.id);
    }
    await copyFile(join(dir, 'a.cwa'), join(dir, 'e.cwa'));
    ids.add((await recognise(join(dir, 'e.cwa')))!.id);
    expect(ids.size).toBe(4);
  });

  it('reads a file whose last block is cut, and takes no time from a damaged first one', async () => {
    await writeFile(join(dir, 'cut.cwa'), madeCwa().subarray(0, 1024 + 300 * 512 + 77 * 2));
    expect((await recognise(join(dir, 'cut.cwa')))!.stop!.toString()).toContain('2026-01-05T09:03:59');
    const damaged = madeCwa();
    damaged.fill(0xff, 1024, 1536);
    await writeFile(join(dir, 'damaged.cwa'), damaged);
    expect((await recognise(join(dir, 'damaged.cwa')))!.start).toBeUndefined();
  });
});

describe('mount table', () => {
  it('lists drives, with spaces in their names, and no network or system mounts', () => {
    const table = `/dev/sda1 / ext4 rw 0 0
proc /proc proc rw 0 0
/dev/sdb1 /media/nurse/AX317_39434 vfat rw,nosuid 0 0
/dev/sdc1 /media/nurse/My\\040Stick exfat rw 0 0
//nas/share /mnt/share cifs rw 0 0
`;
    expect(parseMounts(table)).toEqual([
      { path: '/media/nurse/AX317_39434', label: 'AX317_39434' },
      { path: '/media/nurse/My Stick', label: 'My Stick' },
    ]);
  });
});

describe('drives', () => {
  const look = async (before: Map<string, FoundDrive> = new Map()) =>
    await findDrives([{ path: dir, label: 'AX317_39434' }], before);
  const stateAfter = async (looks: number) => {
    let drives = new Map<string, FoundDrive>();
    for (let i = 0; i < looks; i++) drives = await look(drives);
    return drives.get(dir)?.state;
  };

  it('differ from other drives, and settle over two looks', async () => {
    expect(await stateAfter(1)).toBeUndefined();
    await writeFile(join(dir, 'CWA-DATA.CWA'), madeCwa());
    expect(await stateAfter(1)).toBe('SETTLING');
    expect(await stateAfter(2)).toBe('RECORDING');
  });

  it('show a configured recorder without data, and one with another file', async () => {
    await writeFile(join(dir, 'CWA-DATA.CWA'), madeCwa({ blocks: 0 }));
    expect(await stateAfter(2)).toBe('EMPTY');
    await writeFile(join(dir, 'CWA-DATA.CWA'), 'no recorder');
    expect(await stateAfter(2)).toBe('UNREADABLE');
  });

  it('wait while the file grows', async () => {
    await writeFile(join(dir, 'CWA-DATA.CWA'), madeCwa({ blocks: 10 }));
    const first = await look();
    await writeFile(join(dir, 'CWA-DATA.CWA'), madeCwa({ blocks: 20 }));
    expect((await look(first)).get(dir)!.state).toBe('SETTLING');
  });
});

describe('folders', () => {
  it('take recordings at any level; growing, foreign, temporary and linked files are not', async () => {
    await mkdir(join(dir, 'ward', 'week 1'), { recursive: true });
    await writeFile(join(dir, 'ward', 'week 1', 'p01.cwa'), madeCwa());
    await writeFile(join(dir, 'ward', 'notes.txt'), 'Monday');
    await writeFile(join(dir, 'p02.cwa.part'), madeCwa({ seed: 3 }));
    await symlink(join(dir, 'ward'), join(dir, 'again'));
    let seen = await findFiles(dir, undefined);
    expect([...seen.files.values()].map(({ state }) => state)).toEqual(['growing', 'growing']);
    await writeFile(join(dir, 'p03.cwa'), madeCwa({ seed: 4 }));
    seen = await findFiles(dir, seen);
    expect([...seen.files].map(([name, { state }]) => [name, state])).toEqual([
      ['p03.cwa', 'growing'],
      ['ward/notes.txt', 'foreign'],
      ['ward/week 1/p01.cwa', 'recording'],
    ]);
  });

  it('with thousands of files are looked at in slices, up to a limit that the answer names', async () => {
    const content = madeCwa({ blocks: 0 });
    await Promise.all(Array.from({ length: 1500 }, (_, i) => writeFile(join(dir, `f${i}`), content.subarray(0, 64))));
    let seen: FoundFolder | undefined;
    let looks = 0;
    do {
      seen = await findFiles(dir, seen);
      looks += 1;
    } while ([...seen.files.values()].some(({ state }) => state !== 'foreign'));
    expect(looks).toBe(9);
    expect(seen.isCut).toBe(false);
    const cut = await findFiles(dir, undefined, { mostFiles: 1000 });
    expect([cut.files.size, cut.isCut]).toEqual([1000, true]);
  });

  it('that are away are no error', async () => {
    expect(await findFiles(join(dir, 'gone'), undefined)).toMatchObject({ isThere: false });
  });
});
