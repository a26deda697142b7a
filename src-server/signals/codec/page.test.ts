import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { channelOf, randomColumn, randomPages, seededRandom } from '../../testing/signal-fixtures.ts';
import { decodePage, encodeBlock, encodePage, isIntactPayload, readBlockHead } from '../node-codec.ts';
import type { SampleArray } from '../types.ts';
import { BLOCK_HEAD_BYTES, BLOCK_PAGE, LIMITS } from './block.ts';
import { COLUMN_ENTRY_BYTES, decodeColumn, encodeColumn, writeColumnEntry } from './columns.ts';

function roundTrip(column: SampleArray): SampleArray {
  const width = column instanceof Int16Array ? 2 : 4;
  const planes = new Uint8Array(column.length * width);
  const coding = encodeColumn(column, width, planes, 0);
  const out = width === 2 ? new Int16Array(column.length) : new Int32Array(column.length);
  decodeColumn(coding, planes.subarray(0, coding.planes * column.length), 0, out);
  return out;
}

describe('column codec', () => {
  it('round-trips random columns of all kinds', () => {
    const seed = 20_261_121;
    const random = seededRandom(seed);
    for (let i = 0; i < 2000; i++) {
      const bits = random() < 0.5 ? 16 : 32;
      const column = randomColumn(1 + Math.floor(random() * 300), bits, random);
      expect(roundTrip(column), `seed ${seed}, column ${i}`).toEqual(column);
    }
  });

  it.each([
    ['both ends of 16 bits', Int16Array.of(-32768, 32767, -32768, -32768, 32767, 0)],
    ['both ends of 32 bits', Int32Array.of(-(2 ** 31), 2 ** 31 - 1, -(2 ** 31), 0, 2 ** 31 - 1, -1)],
    ['a single sample', Int16Array.of(-5)],
    ['a parabola at 32 bits', Int32Array.from({ length: 500 }, (_, i) => i * i * 5000 - 2 ** 30)],
  ])('keeps %s', (_, column) => {
    expect(roundTrip(column)).toEqual(column);
  });

  it('stores a constant or a straight line in no bytes', () => {
    const planes = new Uint8Array(2000);
    expect(encodeColumn(new Int16Array(1000).fill(77), 2, planes, 0)).toMatchObject({ planes: 0, seed: 77 });
    const line = Int16Array.from({ length: 1000 }, (_, i) => 3 * i);
    expect(encodeColumn(line, 2, planes, 0).planes).toBe(1);
    expect(roundTrip(line)).toEqual(line);
  });
});

describe('page blocks', () => {
  const channels = [channelOf('ECG', ['v'], 250), channelOf('ACCEL', ['x', 'y', 'z'], 31.25, 32)];

  it('round-trip samples, times and residuals', () => {
    const seed = 5;
    for (const page of randomPages(channels, 60, seededRandom(seed))) {
      const { sampleBits, dimensions } = channels[page.channel]!;
      const block = encodePage(page, sampleBits, 9);
      const head = readBlockHead(block, 0)!;
      expect(isIntactPayload(head, block.subarray(BLOCK_HEAD_BYTES))).toBe(true);
      expect(decodePage(head, block.subarray(BLOCK_HEAD_BYTES), dimensions.length, sampleBits)).toEqual(page);
    }
  });

  it('are refused as soon as any one bit differs', () => {
    const page = randomPages(channels, 1, seededRandom(8))[0]!;
    const block = encodePage(page, 16, 0);
    for (let bit = 0; bit < block.length * 8; bit++) {
      block[bit >> 3]! ^= 1 << (bit & 7);
      const head = readBlockHead(block, 0);
      expect(head !== null && isIntactPayload(head, block.subarray(BLOCK_HEAD_BYTES)), `bit ${bit}`).toBe(false);
      block[bit >> 3]! ^= 1 << (bit & 7);
    }
  });

  const forged = (count: number, rawLength: number, planes: number, frame: Buffer) => {
    const table = Buffer.alloc(COLUMN_ENTRY_BYTES);
    writeColumnEntry({ order: 1, planes, widthBytes: 2, seed: 0 }, table, 0);
    const fields = { kind: BLOCK_PAGE, flags: 0, channel: 0, sequence: 0, startUs: 0, periodUs: 1, firstUs: 0 };
    const block = encodeBlock({ ...fields, lastUs: count - 1, count, rawLength }, [table, frame]);
    return { head: readBlockHead(block, 0), payload: block.subarray(BLOCK_HEAD_BYTES) };
  };

  it('never decompress beyond the declared length, regardless of the frame', () => {
    const bomb = zstdCompressSync(Buffer.alloc(64 << 20));
    const { head, payload } = forged(1000, 1000, 1, bomb);
    expect(decodePage(head!, payload, 1, 16)).toBeNull();
  });

  it('are rejected when they declare more samples or bytes than the limits', () => {
    expect(forged(LIMITS.pageSamples + 1, 10, 1, Buffer.alloc(10)).head).toBeNull();
    expect(forged(100, LIMITS.rawBytes + 1, 1, Buffer.alloc(10)).head).toBeNull();
  });

  it('are refused when frame, table and head disagree', () => {
    const short = forged(100, 100, 1, zstdCompressSync(Buffer.alloc(99)));
    expect(decodePage(short.head!, short.payload, 1, 16)).toBeNull();
    const wide = forged(100, 100, 2, zstdCompressSync(Buffer.alloc(100)));
    expect(decodePage(wide.head!, wide.payload, 1, 16)).toBeNull();
    const fewColumns = forged(100, 100, 1, zstdCompressSync(Buffer.alloc(100)));
    expect(decodePage(fewColumns.head!, fewColumns.payload, 3, 16)).toBeNull();
    expect(decodePage(fewColumns.head!, fewColumns.payload, 1, 32)).toBeNull();
  });
});
