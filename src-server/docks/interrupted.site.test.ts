/** Copies that are broken off: the drive is pulled, the process killed, the disk full. The seed of random moments is in every message. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../files/content-hash.ts';
import { writeDurably } from '../files/durable-files.ts';
import { Random } from '../simulator/physiology/random.ts';
import { NOW_MS, openDockSite } from '../testing/dock-site.ts';
import { madeCwa } from '../testing/made-cwa.ts';
import { pulledDisk } from '../testing/pulled-disk.ts';
import { smallDisk } from '../testing/small-disk.ts';
import { type CopyOptions, copyRecording, SourceChanged, SourceLost } from './copy-recording.ts';
import { recognise } from './recognise.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const random = new Random(seed);
const FLUSH_BYTES = 256 << 10;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outpost-copy-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function copyOf(sourcePath: string): Promise<CopyOptions & { durableBytes: number; copiedFrom: number[] }> {
  const found = (await recognise(sourcePath))!;
  const options = {
    ...{ id: found.id, sizeBytes: found.sizeBytes, isCwa: true, sourcePath, partPath: join(dir, 'copy.part') },
    ...{
      durableBytes: 0,
      flushEveryBytes: FLUSH_BYTES,
      signal: new AbortController().signal,
      copiedFrom: [] as number[],
    },
    onBytes: (bytes: number) => void options.copiedFrom.push(bytes),
    onFlushed: async (bytes: number) => {
      options.durableBytes = bytes;
      return true;
    },
  };
  return options;
}

describe('a drive that is pulled', () => {
  it('at random bytes loses nothing: the copy continues where it was flushed', async () => {
    const disk = await pulledDisk();
    if (!disk) return;
    try {
      const content = madeCwa({ blocks: 12_000 });
      const source = join(disk.path, 'CWA-DATA.CWA');
      await writeDurably(source, content);
      const copy = await copyOf(source);
      for (let pulls = 0; pulls < 4; pulls++) {
        // At least one flush comes after it that is not the last: there it is pulled.
        const roomBytes = content.length - copy.durableBytes - 2 * FLUSH_BYTES;
        if (roomBytes <= 0) break;
        const pullAt = Math.floor(copy.durableBytes + random.uniform() * roomBytes);
        let isPulled = false;
        const before = copy.durableBytes;
        copy.copiedFrom.length = 0;
        const pulled = copyRecording({
          ...copy,
          onFlushed: async (bytes) => {
            await copy.onFlushed(bytes);
            if (bytes >= pullAt && !isPulled && bytes < content.length) {
              isPulled = true;
              await disk.pull();
            }
            return true;
          },
        });
        await expect(pulled, `seed ${seed}, pulled at ${pullAt}`).rejects.toBeInstanceOf(SourceLost);
        expect(copy.copiedFrom[0], `seed ${seed}`).toBeGreaterThan(before);
        await disk.connect();
      }
      const { sha256, blocks, badBlocks } = await copyRecording(copy);
      expect([sha256, blocks, badBlocks], `seed ${seed}`).toEqual([sha256Hex(content), 12_000, 0]);
      expect((await readFile(copy.partPath)).equals(content)).toBe(true);
    } finally {
      await disk.remove();
    }
  });
});

describe('a copy', () => {
  it('starts from scratch where the part is of another recording', async () => {
    const source = join(dir, 'a.cwa');
    await writeFile(source, madeCwa({ blocks: 3000 }));
    const copy = await copyOf(source);
    await writeFile(copy.partPath, madeCwa({ blocks: 2000, seed: 9 }));
    const { sha256 } = await copyRecording({ ...copy, durableBytes: 1 << 20 });
    expect(sha256).toBe(sha256Hex(await readFile(source)));
  });

  it('does not trust what was not flushed', async () => {
    const source = join(dir, 'a.cwa');
    const content = madeCwa({ blocks: 3000 });
    await writeFile(source, content);
    const copy = await copyOf(source);
    const torn = Buffer.from(content.subarray(0, 1 << 20));
    torn.fill(0, 600_000);
    await writeFile(copy.partPath, torn);
    const { sha256 } = await copyRecording({ ...copy, durableBytes: 512 << 10 });
    expect([sha256, copy.copiedFrom[0]]).toEqual([sha256Hex(content), 768 << 10]);
  });

  it('counts blocks that are bad on the device, and copies them as they are', async () => {
    const content = madeCwa({ blocks: 1000 });
    for (const block of [10, 500, 999]) content[1024 + block * 512 + 100]! ^= 0x40;
    const source = join(dir, 'a.cwa');
    await writeFile(source, content);
    expect(await copyRecording(await copyOf(source))).toEqual({
      sha256: sha256Hex(content),
      blocks: 1000,
      badBlocks: 3,
    });
  });

  it('refuses a source that is not the chosen one any more', async () => {
    const source = join(dir, 'a.cwa');
    await writeFile(source, madeCwa());
    const copy = await copyOf(source);
    await writeFile(source, madeCwa({ seed: 5 }));
    await expect(copyRecording(copy)).rejects.toBeInstanceOf(SourceChanged);
  });

  it('that the disk holds otherwise than it was read is thrown away', async () => {
    const source = join(dir, 'a.cwa');
    await writeFile(source, madeCwa({ blocks: 3000 }));
    const copy = await copyOf(source);
    const spoiled = copyRecording({
      ...copy,
      onFlushed: async (bytes) => {
        await copy.onFlushed(bytes);
        if (bytes === copy.sizeBytes) {
          const part = await readFile(copy.partPath);
          part[700_000]! ^= 1;
          await writeFile(copy.partPath, part);
        }
        return true;
      },
    });
    await expect(spoiled).rejects.toMatchObject({ code: 'FILE_HASH_MISMATCH' });
    expect(copy.durableBytes).toBe(0);
    expect((await copyRecording(copy)).sha256).toBe(sha256Hex(await readFile(source)));
  });
});

describe('the site', () => {
  it('killed at random moments of a copy and its import stores the recording once', async () => {
    const dock = await openDockSite();
    try {
      const drive = await dock.plug('AX317_39434', madeCwa({ blocks: 40_000 }));
      const rules = { isOn: true, action: 'TAKE', timeZone: 'UTC', folders: [] } as const;
      await dock.folder.store.settings.set('docks.rules', { ...rules, folders: [] }, dock.change);
      await dock.docks.close();
      await dock.engine.close();
      await dock.folder.close();
      const moments: string[] = [];
      for (let kills = 0; kills < 4; kills++) {
        const script = join(import.meta.dirname, '..', 'testing', 'dock-until-killed.ts');
        const child = spawn(process.execPath, [script, dock.site.dir, drive, String(NOW_MS)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const exited = once(child, 'exit');
        let last = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          last = text.trim().split('\n').at(-1) ?? '';
        });
        await once(child.stdout, 'data');
        await sleep(random.uniform() * 250);
        child.kill('SIGKILL');
        await exited;
        moments.push(last);
      }
      await dock.restart();
      await dock.look();
      const [shown] = await dock.shown();
      await dock.reach(shown!.id, 'STORED');
      const about = `seed ${seed}, killed while ${moments.join(', ')}`;
      expect((await dock.folder.store.recordings.listForSubject(dock.site.subjectIds[0]!)).length, about).toBe(1);
      expect((await dock.shown()).length, about).toBe(1);
    } finally {
      await dock.close();
    }
  });

  it('with a full disk waits, says so, and continues when there is room', async () => {
    const disk = await smallDisk();
    if (!disk) return;
    try {
      const dock = await openDockSite({ parent: disk.path });
      try {
        await dock.plug('AX317_39434', madeCwa({ blocks: 4000 }));
        await dock.look();
        const [shown] = await dock.shown();
        disk.fill();
        const place = { studyId: dock.site.studyId, subjectId: dock.site.subjectIds[0]! };
        const refused = await dock.docks.take(shown!.id, place, dock.change).catch((error: unknown) => error);
        disk.free();
        if ((refused as { code?: string }).code === 'DISK_FULL') await dock.docks.take(shown!.id, place, dock.change);
        disk.fill();
        for (;;) {
          await dock.docks.look();
          const { row, progress } = (await dock.docks.get(shown!.id))!;
          expect(row!.state).toBe('COPYING');
          if (progress?.problem) {
            expect(progress.problem.code).toBe('DISK_FULL');
            break;
          }
          await sleep(20);
        }
        disk.free();
        await dock.look();
        await dock.reach(shown!.id, 'STORED');
      } finally {
        await dock.close();
      }
    } finally {
      await disk.remove();
    }
  });
});
