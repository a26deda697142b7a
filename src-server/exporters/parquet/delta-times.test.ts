import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { expect, it } from 'vitest';
import { seededRandom } from '../../testing/signal-fixtures.ts';
import { TimePacker } from './delta-times.ts';

function unpacked(packed: Uint8Array, count: number): number[] {
  const out = new BigInt64Array(count);
  const reader = { view: new DataView(packed.buffer, packed.byteOffset, packed.byteLength), offset: 0 };
  deltaBinaryUnpack(reader, count, out);
  expect(reader.offset).toBe(packed.length);
  return Array.from(out, Number);
}

it('packs times with jitter, gaps of any length and steps back so that a reader gets each of them', () => {
  const random = seededRandom(4);
  const packer = new TimePacker();
  for (const count of [1, 2, 32, 33, 128, 129, 130, 1000, 5000]) {
    let us = 1.7e15;
    const times = Float64Array.from({ length: count }, () => {
      const kind = random();
      if (kind < 0.9) us += 4000 + Math.round(random());
      else if (kind < 0.97) us += Math.floor(2 ** (random() * 44));
      else us -= Math.floor(2 ** (random() * 33));
      return us;
    });
    expect(unpacked(packer.pack(times), count)).toEqual([...times]);
  }
});

it('packs negative and very large times', () => {
  const times = Float64Array.of(-6e13, -6e13 + 4000, 0, 2 ** 52, 2 ** 53 - 1, 2 ** 52 + 1);
  expect(unpacked(new TimePacker().pack(times), times.length)).toEqual([...times]);
});

it('needs a few bits per sample of an even clock', () => {
  const times = Float64Array.from({ length: 100_000 }, (_, i) => Math.round(1.7e15 + i * 4031.7));
  expect(new TimePacker().pack(times).length * 8).toBeLessThan(2 * times.length);
});
