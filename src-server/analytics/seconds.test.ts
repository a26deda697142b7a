import { describe, expect, it } from 'vitest';
import { createSecondColumns, decodeSecondColumns, encodeSecondColumns } from './seconds.ts';

describe('second columns as bytes', () => {
  it('come back as they were, with one pattern for NaN', () => {
    const seconds = createSecondColumns(1_700_000_000_000, 5);
    seconds.worn.set([1, 1, 0, 1, 1]);
    seconds.steps[4] = 3;
    seconds.rrSumMs.set([812.5, 0, 799.25, 1601, 0]);
    seconds.lfHf[2] = 1.25;
    seconds.leanSideDegrees.set([-12.5, Number.NaN, 3, 0, -0.1]);
    const bytes = encodeSecondColumns(seconds);
    expect(decodeSecondColumns(bytes)).toEqual(seconds);
    new Uint32Array(seconds.respiration.buffer)[0] = 0xffc00001;
    expect(encodeSecondColumns(seconds)).toEqual(bytes);
  });

  it('are refused when cut short, of another version or of something else', () => {
    const bytes = encodeSecondColumns(createSecondColumns(0, 3));
    expect(() => decodeSecondColumns(bytes.subarray(0, bytes.length - 1))).toThrow(RangeError);
    expect(() => decodeSecondColumns(new Uint8Array(100))).toThrow(RangeError);
    const newer = bytes.slice();
    newer[4] = 9;
    expect(() => decodeSecondColumns(newer)).toThrow('version 9');
  });
});
