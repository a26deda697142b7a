import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BLOCK_BYTES, type Cut, RecordedDisk } from './recorded-disk.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-recorded-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const block = (letter: string, count = 1) => Buffer.alloc(count * BLOCK_BYTES, letter);
/** The first letter of each block after the cut; `.` where nothing was written. */
function letters(cut: Cut): string {
  const path = join(folder, 'image');
  cut.save(path);
  const bytes = readFileSync(path);
  const starts = Array.from({ length: bytes.length / BLOCK_BYTES }, (_, i) => bytes[i * BLOCK_BYTES]!);
  return starts.map((byte) => (byte === 0 ? '.' : String.fromCharCode(byte))).join('');
}
/** Numbers from a list, then zeros. */
const numbers = (...list: number[]) => {
  const left = [...list];
  return () => left.shift() ?? 0;
};
const NONE = numbers(0, 0);
/** All that was written, whole. */
const all = () => numbers(0, 0.6, 0, 0, 0, 0, 0, 0);

describe('a recorded disk', () => {
  it('has after a cut what was flushed, and of the rest what the numbers say', () => {
    const disk = new RecordedDisk(4 * BLOCK_BYTES);
    disk.write(0, block('a'));
    disk.beginRecord();
    disk.write(BLOCK_BYTES, block('b'));
    disk.flush();
    disk.write(0, block('c'));
    disk.write(3 * BLOCK_BYTES, block('d'));
    expect(disk.read(0, 1)!.toString()).toBe('c');
    expect(letters(disk.cutAfter(0, NONE))).toBe('a...');
    expect(letters(disk.cutAfter(1, numbers(0, 0)))).toBe('a...');
    expect(letters(disk.cutAfter(2, numbers(0, 0)))).toBe('ab..');
    expect(letters(disk.cutAfter(4, numbers(0, 0)))).toBe('ab..');
    expect(letters(disk.cutAfter(4, all()))).toBe('cb.d');
    // Of two writes without a flush between them the second may be the one that is kept.
    expect(letters(disk.cutAfter(4, numbers(0, 0.3, 0.9, 0.1, 0)))).toBe('ab.d');
    expect(disk.cutAfter(4, all())).toMatchObject({ unflushed: 2, kept: 2 });
  });

  it('tears a write between blocks, never inside one', () => {
    const disk = new RecordedDisk(4 * BLOCK_BYTES);
    disk.write(0, block('a', 4));
    disk.beginRecord();
    disk.write(0, block('b', 4));
    expect(letters(disk.cutAfter(1, numbers(0, 0.6, 0, 0.9, 0.9, 0.1, 0.9, 0.1)))).toBe('abab');
  });

  it('knows what was acknowledged before the cut', () => {
    const disk = new RecordedDisk(BLOCK_BYTES);
    disk.beginRecord();
    disk.acknowledge('first');
    disk.flush();
    disk.acknowledge('second');
    expect(disk.cutAfter(2, NONE).acknowledged).toEqual(['first']);
    expect(disk.cutAfter(disk.length, NONE).acknowledged).toEqual(['first', 'second']);
  });

  it('does nothing more once it is pulled', async () => {
    const disk = new RecordedDisk(BLOCK_BYTES);
    disk.write(0, block('a'));
    disk.pullAfter(1);
    expect([disk.read(0, 1), disk.write(0, block('b')), disk.flush()]).toEqual([undefined, false, false]);
    await disk.whenPulled;
    expect(disk.length).toBe(1);
  });

  it('loses what a disk that lies about flushes has reported as durable', () => {
    const disk = new RecordedDisk(2 * BLOCK_BYTES);
    disk.beginRecord();
    disk.lie();
    disk.write(0, block('a'));
    expect(disk.flush()).toBe(true);
    expect(letters(disk.cutAfter(disk.length, NONE))).toBe('..');
    expect(letters(disk.cutAfter(disk.length, all()))).toBe('a.');
  });

  it('keeps the rest of a block that is written in part', () => {
    const disk = new RecordedDisk(2 * BLOCK_BYTES);
    disk.write(0, block('a', 2));
    disk.write(BLOCK_BYTES - 1, Buffer.from('xy'));
    expect(disk.read(BLOCK_BYTES - 2, 4)!.toString()).toBe('axya');
  });
});
