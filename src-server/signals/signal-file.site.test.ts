import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelOf, headerOf, randomPages, seededRandom, temporaryFolder } from '../testing/signal-fixtures.ts';
import { BLOCK_HEAD_BYTES, BLOCK_INDEX } from './codec/block.ts';
import {
  appendSignalFile,
  createSignalFile,
  openSignalFile,
  openSignalFileSync,
  recoverSignalFile,
  sampleTimesUs,
  verifySignalFile,
} from './index.ts';
import { encodeBlock, writeBlockHead } from './node-codec.ts';
import type { SignalPage } from './types.ts';

const channels = [channelOf('ECG', ['v'], 250), channelOf('ACCEL', ['x', 'y', 'z'], 31.25, 32)];
const header = headerOf(channels);

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'a.sig');
});
afterEach(() => folder.remove());

async function write(target: string, pages: SignalPage[], marks = 3) {
  const writer = await createSignalFile(target, header);
  for (const page of pages) await writer.append(page);
  for (let i = 0; i < marks; i++)
    await writer.mark({ channel: 0, timeUs: pages[0]!.startUs + i, reason: 'EMPTY_SAMPLE' });
  return writer.finish();
}

function readAll(target: string): SignalPage[] {
  const file = openSignalFileSync(target);
  try {
    return [...file.pagesInFileOrder()];
  } finally {
    file.closeSync();
  }
}

describe('a signal file', () => {
  const pages = randomPages(channels, 20, seededRandom(11));

  it('returns its header, pages, marks, counts and hash', async () => {
    const summary = await write(path, pages);
    const bytes = readFileSync(path);
    expect(summary.sizeBytes).toBe(bytes.length);
    expect(summary.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    const file = await openSignalFile(path);
    expect(file.header).toEqual(header);
    expect(file.complete).toBe(true);
    expect(file.sampleCounts).toEqual(summary.sampleCounts);
    expect([file.startUs, file.stopUs]).toEqual([summary.startUs, summary.stopUs]);
    expect(await file.marks()).toHaveLength(3);
    expect([...file.pages(1)]).toEqual(pages.filter((page) => page.channel === 1));
    await file.close();
    expect(readAll(path)).toEqual(pages);
    expect(await verifySignalFile(path, summary.sha256)).toMatchObject({
      problems: [],
      sampleCounts: summary.sampleCounts,
      sha256: summary.sha256,
    });
  });

  it('is the same bytes for the same pages', async () => {
    const first = await write(path, pages);
    expect((await write(join(folder.path, 'b.sig'), pages)).sha256).toBe(first.sha256);
  });

  it('reads any range, both ends inclusive, and never across a gap', async () => {
    await write(path, pages);
    const file = await openSignalFile(path);
    const random = seededRandom(3);
    for (const channel of [0, 1]) {
      const all = pages.filter((page) => page.channel === channel);
      const times = all.flatMap((page) => [...sampleTimesUs(page)]);
      const values = all.flatMap((page) => [...page.columns[0]!]);
      for (let i = 0; i < 200; i++) {
        const a = times[Math.floor(random() * times.length)]! + (random() < 0.5 ? 0 : Math.floor(random() * 1e6));
        const b = random() < 0.1 ? a : times[Math.floor(random() * times.length)]!;
        const [from, to] = a < b ? [a, b] : [b, a];
        const slices = await file.read(channel, from, to);
        const wanted = times.flatMap((time, k) => (time >= from && time <= to ? [k] : []));
        expect(slices.flatMap((slice) => [...sampleTimesUs(slice)])).toEqual(wanted.map((k) => times[k]));
        expect(slices.flatMap((slice) => [...slice.columns[0]!])).toEqual(wanted.map((k) => values[k]));
        expect(file.readSync(channel, from, to)).toEqual(slices);
      }
    }
    expect(file.problems).toEqual([]);
    await file.close();
  });

  it('refuses invalid pages and continues with the next valid one', async () => {
    const writer = await createSignalFile(path, header);
    const good: SignalPage = { channel: 0, startUs: 1000, periodUs: 10, count: 3, columns: [Int16Array.of(1, 2, 3)] };
    await writer.append(good);
    const bad: Partial<SignalPage>[] = [
      { channel: 2 },
      { startUs: 1020 },
      { startUs: Number.NaN },
      { startUs: 2000, periodUs: 0 },
      { startUs: 2000, count: 4 },
      { startUs: 2000, columns: [] },
      { startUs: 2000, columns: [Int32Array.of(1, 2, 3)] },
      { startUs: 2000, timeResidualsUs: Int32Array.of(0, -50, 0) },
    ];
    for (const change of bad) {
      await expect(writer.append({ ...good, ...change }), JSON.stringify(change)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
    await writer.append({ ...good, startUs: 1021 });
    expect((await writer.finish()).sampleCounts).toEqual([6, 0]);
    expect(readAll(path)).toHaveLength(2);
  });

  it('is never stored empty, never overwrites, and is deleted when aborted', async () => {
    const empty = await createSignalFile(path, header);
    await expect(empty.finish()).rejects.toMatchObject({ code: 'FILE_EMPTY' });
    expect(existsSync(path)).toBe(false);
    await write(path, pages);
    await expect(createSignalFile(path, header)).rejects.toMatchObject({ code: 'CONFLICT' });
    const aborted = await createSignalFile(join(folder.path, 'c.sig'), header);
    await aborted.append(pages[0]!);
    await aborted.abort();
    expect(existsSync(join(folder.path, 'c.sig'))).toBe(false);
  });

  it('refuses invalid headers', async () => {
    const broken = { ...header, channels: [{ ...channels[0]!, scale: [] }] };
    await expect(createSignalFile(path, broken)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(existsSync(path)).toBe(false);
    await expect(openSignalFile(path)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    writeFileSync(path, 'no signal file at all, but long enough for a preamble');
    await expect(openSignalFile(path)).rejects.toMatchObject({ code: 'SIGNAL_FILE_DAMAGED' });
  });

  it('can be resumed when it was left unfinished with a torn tail', async () => {
    const whole = await write(join(folder.path, 'whole.sig'), pages, 0);
    const writer = await createSignalFile(path, header);
    for (const page of pages.slice(0, 30)) await writer.append(page);
    await writer.suspend();
    truncateSync(path, statSync(path).size - 5);
    const continued = await appendSignalFile(path);
    for (const page of pages.slice(29)) await continued.append(page);
    expect((await continued.finish()).sha256).toBe(whole.sha256);
    expect(readFileSync(path)).toEqual(readFileSync(join(folder.path, 'whole.sig')));
    await expect(appendSignalFile(path)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('damage', () => {
  const pages = randomPages(channels, 3, seededRandom(21)).map((page) => ({
    ...page,
    count: Math.min(page.count, 20),
    columns: page.columns.map((column) => column.slice(0, 20)),
    ...(page.timeResidualsUs ? { timeResidualsUs: page.timeResidualsUs.slice(0, 20) } : {}),
  }));

  it('by truncation at any byte loses only the tail, and recovery completes the rest', async () => {
    await write(path, pages);
    const bytes = readFileSync(path);
    const file = openSignalFileSync(path);
    const ends = file.pageIndex
      .flat()
      .map((entry) => entry.offset + BLOCK_HEAD_BYTES + entry.payloadLength)
      .sort((a, b) => a - b);
    file.closeSync();
    const headerEnd = 20 + bytes.readUInt32LE(12);
    const cut = join(folder.path, 'cut.sig');
    for (let length = 0; length < bytes.length; length++) {
      writeFileSync(cut, bytes.subarray(0, length));
      if (length < headerEnd) {
        expect(() => openSignalFileSync(cut), `length ${length}`).toThrow(/cut\.sig/);
        continue;
      }
      const kept = pages.slice(0, ends.filter((end) => end <= length).length);
      const opened = openSignalFileSync(cut);
      expect(opened.complete).toBe(false);
      expect(opened.problems.length).toBeGreaterThan(0);
      expect([...opened.pagesInFileOrder()], `length ${length}`).toEqual(kept);
      opened.closeSync();
      if (length % 16 !== 0) continue;
      if (kept.length === 0) {
        await expect(recoverSignalFile(cut)).rejects.toMatchObject({ code: 'FILE_EMPTY' });
        continue;
      }
      const report = await recoverSignalFile(cut);
      expect(report.repaired).toBe(true);
      expect(await verifySignalFile(cut, report.sha256)).toMatchObject({ problems: [] });
      expect(readAll(cut)).toEqual(kept);
      expect(await recoverSignalFile(cut)).toMatchObject({ repaired: false, sha256: report.sha256, problems: [] });
    }
  });

  it('by a bit flip anywhere is always noticed, loses at most one page, and never changes a sample', async () => {
    const { sha256 } = await write(path, pages);
    const bytes = readFileSync(path);
    const headerEnd = 20 + bytes.readUInt32LE(12);
    const flipped = join(folder.path, 'flipped.sig');
    const seed = 77;
    const random = seededRandom(seed);
    for (let i = 0; i < 600; i++) {
      const bit = Math.floor(random() * bytes.length * 8);
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(flipped, damaged);
      const told = await verifySignalFile(flipped);
      expect(told.problems.length, `seed ${seed}, bit ${bit}`).toBeGreaterThan(0);
      expect((await verifySignalFile(flipped, sha256)).problems.length).toBeGreaterThan(told.problems.length);
      if (bit >> 3 < headerEnd) {
        expect(() => openSignalFileSync(flipped)).toThrow(/flipped\.sig/);
        continue;
      }
      const read = readAll(flipped);
      expect(read.length).toBeGreaterThanOrEqual(pages.length - 1);
      const starts = new Map(pages.map((page) => [`${page.channel} ${page.startUs}`, page]));
      for (const page of read) expect(page, `bit ${bit}`).toEqual(starts.get(`${page.channel} ${page.startUs}`));
    }
  });

  it('in one page and in the footer at once still leaves all other pages to recovery', async () => {
    await write(path, pages);
    const bytes = readFileSync(path);
    const file = openSignalFileSync(path);
    const victim = file.pageIndex[0]![1]!;
    file.closeSync();
    bytes[victim.offset + BLOCK_HEAD_BYTES + 10]! ^= 4;
    bytes[bytes.length - 40]! ^= 4;
    writeFileSync(path, bytes);
    const report = await recoverSignalFile(path);
    expect(report.problems.join(' ')).toContain(`block at byte ${victim.offset} is damaged: channel 0`);
    expect(readAll(path)).toEqual(pages.filter((page) => page.channel !== 0 || page.startUs !== victim.startUs));
    expect(openSignalFileSync(path).complete).toBe(true);
  });

  it('by bytes lost or inserted between blocks is found by the scan', async () => {
    await write(path, pages);
    const bytes = readFileSync(path);
    const file = openSignalFileSync(path);
    const third = file.pageIndex.flat().sort((a, b) => a.offset - b.offset)[2]!.offset;
    file.closeSync();
    writeFileSync(path, Buffer.concat([bytes.subarray(0, third), Buffer.from('rubbish'), bytes.subarray(third)]));
    expect(readAll(path)).toEqual(pages);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, third), bytes.subarray(third + 3)]));
    expect(readAll(path)).toEqual(pages.filter((_, i) => i !== 2));
  });

  it('by design cannot keep a scan busy: nested heads that claim the whole rest end it early', async () => {
    await write(path, pages);
    const bytes = readFileSync(path);
    const headerEnd = 20 + bytes.readUInt32LE(12);
    const count = 20_000;
    const hostile = Buffer.alloc(headerEnd + count * BLOCK_HEAD_BYTES);
    bytes.copy(hostile, 0, 0, headerEnd);
    for (let i = 0; i < count; i++) {
      const payloadLength = (count - i - 1) * BLOCK_HEAD_BYTES;
      const times = { startUs: 0, periodUs: 1, firstUs: 0, lastUs: 0 };
      const head = {
        kind: 1,
        flags: 0,
        channel: 0,
        payloadLength,
        sequence: i,
        ...times,
        count: 1,
        rawLength: 2,
        payloadCrc: 1,
      };
      writeBlockHead(head, hostile, headerEnd + i * BLOCK_HEAD_BYTES);
    }
    writeFileSync(path, hostile);
    const file = openSignalFileSync(path);
    expect(file.problems.at(-1)).toContain('gave up');
    expect(file.problems.length).toBeLessThanOrEqual(101);
    file.closeSync();
  });
});

describe('a hostile footer', () => {
  it('cannot inflate beyond what its file could hold; the pages are then found by the scan', async () => {
    const pages = randomPages(channels, 2, seededRandom(2));
    await write(path, pages);
    const bytes = readFileSync(path);
    const indexOffset = Number(bytes.readBigUInt64LE(bytes.length - 32));
    const bomb = zstdCompressSync(Buffer.alloc(72 << 20));
    const times = { startUs: 0, periodUs: 0, firstUs: 0, lastUs: 0 };
    const fields = { kind: BLOCK_INDEX, flags: 0, channel: 0, sequence: pages.length + 1, ...times };
    for (const count of [1_000_000, 4]) {
      const index = encodeBlock({ ...fields, count, rawLength: 16 + 72 * count }, [bomb]);
      const trailer = Buffer.from(bytes.subarray(-32));
      trailer.writeBigUInt64LE(BigInt(indexOffset + index.length + 32), 8);
      trailer.writeUInt32LE(count, 16);
      trailer.writeUInt32LE(crc32c(trailer.subarray(0, 20)), 20);
      writeFileSync(path, Buffer.concat([bytes.subarray(0, indexOffset), index, trailer]));
      const file = openSignalFileSync(path);
      expect(file.complete).toBe(false);
      expect([...file.pagesInFileOrder()]).toEqual(pages);
      file.closeSync();
    }
  });
});

describe('kill -9 of a writer', () => {
  const childSource = `
    import { createSignalFile } from ${JSON.stringify(new URL('./writer.ts', import.meta.url).href)};
    const header = JSON.parse(process.argv[2]);
    const writer = await createSignalFile(process.argv[1], header);
    for (let page = 0; ; page++) {
      const column = Int16Array.from({ length: 250 }, (_, i) => ((page * 250 + i) * 7919) % 30011);
      await writer.append({ channel: 0, startUs: page * 1e6, periodUs: 4000, count: 250, columns: [column] });
      if (page % 20 === 19) { await writer.sync(); process.stdout.write(page + '\\n'); }
    }`;

  it('keeps every page that was synced, and the rest of the file is whole pages', async () => {
    const seed = 9;
    const random = seededRandom(seed);
    for (let round = 0; round < 6; round++) {
      const target = join(folder.path, `killed-${round}.sig`);
      const arguments_ = [
        '--input-type=module-typescript',
        '-e',
        childSource,
        target,
        JSON.stringify(headerOf([channels[0]!])),
      ];
      const child = spawn(process.execPath, arguments_, { stdio: ['ignore', 'pipe', 'inherit'] });
      let synced = -1;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      await new Promise<void>((resolve) => {
        const wanted = 20 + Math.floor(random() * 400);
        child.stdout.on('data', (text: Buffer) => {
          synced = Number(text.toString().trim().split('\n').at(-1));
          if (synced >= wanted) {
            child.kill('SIGKILL');
            resolve();
          }
        });
      });
      await exited;
      const copy = join(folder.path, `copy-${round}.sig`);
      copyFileSync(target, copy);
      const report = await recoverSignalFile(copy);
      const recovered = readAll(copy);
      expect(recovered.length, `seed ${seed}, round ${round}`).toBeGreaterThan(synced);
      recovered.forEach((page, k) => {
        const column = Int16Array.from({ length: 250 }, (_, i) => ((k * 250 + i) * 7919) % 30011);
        expect(page).toEqual({ channel: 0, startUs: k * 1e6, periodUs: 4000, count: 250, columns: [column] });
      });
      expect(await verifySignalFile(copy, report.sha256)).toMatchObject({ problems: [] });
    }
  });
});
