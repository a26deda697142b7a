import { describe, expect, it } from 'vitest';
import { CsvRowReader } from './csv-rows.ts';
import { approximateValue, exactValue } from './digits.ts';

/** Small generator with a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('rows of numbers', () => {
  it('reads every printed double exactly, however the bytes are cut into chunks', () => {
    const seed = Date.now() & 0xffff;
    const random = randomFrom(seed);
    const values = Array.from({ length: 20_000 }, (_, i) => {
      const size = 10 ** Math.floor(random() * 24 - 12);
      const value = (random() - 0.5) * size;
      return i % 5 === 0 ? Number(value.toFixed(3)) : value;
    });
    const texts = values.map((value, i) => (i % 3 === 0 ? value.toExponential().toUpperCase() : `${value}`));
    const bytes = Buffer.from(texts.map((text, i) => `${1_579_647_012_385_345 + i},${text}\n`).join(''));
    const reader = new CsvRowReader('a.csv', 1);
    const exact: number[] = [];
    const rough: number[] = [];
    const times: number[] = [];
    const take = (batches: ReturnType<CsvRowReader['push']>): void => {
      for (const { rows, columns, times: batchTimes } of batches) {
        for (let row = 0; row < rows; row++) {
          const { high, low, form } = columns[0]!;
          exact.push(exactValue(high[row]!, low[row]!, form[row]!));
          rough.push(approximateValue(high[row]!, low[row]!, form[row]!));
          times.push(batchTimes[row]!);
        }
      }
    };
    for (let at = 0; at < bytes.length; ) {
      const length = 1 + Math.floor(random() ** 3 * 30_000);
      take(reader.push(bytes.subarray(at, at + length)));
      at += length;
    }
    take(reader.end());
    expect(exact, `seed ${seed}`).toEqual(texts.map(Number));
    expect(times).toEqual(values.map((_, i) => 1_579_647_012_385_345 + i));
    values.forEach((value, i) => {
      expect(Math.abs(rough[i]! - value), `seed ${seed}`).toBeLessThanOrEqual(Math.abs(value) * 1e-15);
    });
  });

  it.each([
    [6, '1579647012.385345', 1_579_647_012_385_345],
    [6, '1579647012.3853456', 1_579_647_012_385_346],
    [6, '1579647012', 1_579_647_012_000_000],
    [3, '1579647012385.3', 1_579_647_012_385_300],
    [0, '1579647012385345.5', 1_579_647_012_385_346],
    [-3, '1579647012385345499', 1_579_647_012_385_345],
    [-3, '1579647012385345500', 1_579_647_012_385_346],
  ])('reads a time of 10^%i us, %s, to the microsecond', (power, text, expected) => {
    const reader = new CsvRowReader('a.csv', 1, { kind: 'number', power });
    const times = [...reader.push(Buffer.from(`${text},1\n`)), ...reader.end()].map((batch) => batch.times[0]);
    expect(times).toEqual([expected]);
  });

  it('names the row that is wrong, also far into a file', () => {
    const reader = new CsvRowReader('a.csv', 1);
    const good = Array.from({ length: 20_000 }, (_, i) => `${i},1\n`).join('');
    let read = 0;
    for (const batch of reader.push(Buffer.from(`${good}20000,x\n20001,1\n`))) read += batch.rows;
    for (const batch of reader.end()) read += batch.rows;
    expect([read, reader.badRows]).toEqual([20_001, 1]);
    expect(reader.firstFault).toMatch(/row 20001 has a value that is not a number in column 2/);
  });
});
