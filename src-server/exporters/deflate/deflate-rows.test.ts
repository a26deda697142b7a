import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sampleTimesUs } from '../../signals/index.ts';
import type { SignalPage } from '../../signals/types.ts';
import { channelOf, randomPages, seededRandom } from '../../testing/signal-fixtures.ts';
import { SampleRows } from '../sample-rows.ts';
import { BlockWriter } from './block-writer.ts';
import { DeflateRows } from './deflate-rows.ts';

const ORIGIN_US = 1_600_000_000_000_000;

function both(dimensions: string[], pages: readonly SignalPage[]): { packed: Buffer; text: Buffer } {
  const channel = channelOf('ANY', dimensions, 250);
  const told: Buffer[] = [];
  const deflate = new DeflateRows(channel, (bytes) => told.push(Buffer.from(bytes)));
  const rows = new SampleRows(channel, { separator: '\t', time: 'seconds', format: String });
  const packed: Uint8Array[] = [];
  const parts: Uint8Array[] = [];
  for (const page of pages) {
    const times = sampleTimesUs(page).map((us) => us - ORIGIN_US);
    for (const piece of deflate.rows(times, page.columns)) packed.push(piece.slice());
    parts.push(rows.rows(times, page.columns, 0, page.count));
  }
  packed.push(deflate.end());
  const text = Buffer.concat(parts);
  expect([deflate.crc32, deflate.sizeBytes]).toEqual([crc32(text), text.length]);
  expect(Buffer.concat(told).equals(text)).toBe(true);
  return { packed: Buffer.concat(packed), text };
}

describe('compressed rows', () => {
  it.each([[['v']], [['x', 'y', 'z']]])('unpack to the rows of %s, over several blocks and windows', (dimensions) => {
    const channel = channelOf('ANY', dimensions, 250);
    for (const seed of [1, 2, 3]) {
      const { packed, text } = both(dimensions, randomPages([channel], 200, seededRandom(seed)));
      expect(inflateRawSync(packed).equals(text)).toBe(true);
    }
  });

  it('unpack one row, two rows and none', () => {
    for (const count of [0, 1, 2, 3]) {
      const page = { channel: 0, startUs: ORIGIN_US, periodUs: 4000, count, columns: [new Int16Array(count)] };
      const { packed, text } = both(['v'], [page]);
      expect(inflateRawSync(packed).toString()).toBe(text.toString());
    }
  });

  it('are smaller than the fastest DEFLATE of the same text', () => {
    const random = seededRandom(5);
    const columns = [Int16Array.from({ length: 50_000 }, (_, i) => 400 * Math.sin(i / 30) + 40 * random())];
    const page = { channel: 0, startUs: ORIGIN_US, periodUs: 4031.7, count: 50_000, columns };
    const { packed, text } = both(['v'], [page]);
    expect(packed.length).toBeLessThan(deflateRawSync(text, { level: 1 }).length);
  });
});

describe('blocks', () => {
  it('hold matches of every length and distance', () => {
    const blocks = new BlockWriter();
    const parts: Uint8Array[] = [];
    const random = seededRandom(8);
    const text: number[] = [];
    for (let i = 0; i < 33_000; i++) {
      if (blocks.room < 2) parts.push(blocks.take().slice());
      text.push(Math.floor(random() ** 4 * 256));
      blocks.literal(text.at(-1)!);
    }
    const match = (length: number, distance: number) => {
      if (blocks.room < 2) parts.push(blocks.take().slice());
      for (let i = 0; i < length; i++) text.push(text[text.length - distance]!);
      blocks.match(length, distance);
    };
    for (let length = 3; length <= 258; length++) match(length, 1 + Math.floor(random() * 32_768));
    for (let distance = 1; distance <= 32_768; distance += 1 + (distance >> 6)) match(3, distance);
    match(258, 32_768);
    parts.push(blocks.end());
    expect(inflateRawSync(Buffer.concat(parts)).equals(Buffer.from(text))).toBe(true);
  });
});
