import { describe, expect, it } from 'vitest';
import { testJpeg } from '../testing/test-jpeg.ts';
import { readJpeg } from './jpeg.ts';

describe('a JPEG', () => {
  it('is recognised with its dimensions, also behind large metadata and before appended bytes', () => {
    expect(readJpeg(testJpeg({ width: 4032, height: 3024 }))).toEqual({ width: 4032, height: 3024 });
    expect(readJpeg(testJpeg({ sizeBytes: 500_000 }))).toEqual({ width: 640, height: 480 });
    expect(readJpeg(Buffer.concat([testJpeg(), Buffer.alloc(100)]))).toEqual({ width: 640, height: 480 });
  });

  it('is refused when it is cut anywhere', () => {
    const whole = testJpeg({ sizeBytes: 300 });
    for (let length = 0; length < whole.length - 1; length++) {
      expect(() => readJpeg(whole.subarray(0, length)), String(length)).toThrow('The picture is not a JPEG');
    }
  });

  it.each([
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    [
      'a script that begins like one',
      Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.from('<script>alert(1)</script>')]),
    ],
    ['one without a frame', Buffer.from('ffd8ffda000801010000003f00ffd9', 'hex')],
    ['one without pixels', testJpeg({ width: 0 })],
    ['nothing', Buffer.alloc(0)],
  ])('is not %s', (_name, bytes) => {
    expect(() => readJpeg(bytes)).toThrow('The picture is not a JPEG');
  });

  it('has at most as many pixels as a browser can show', () => {
    expect(() => readJpeg(testJpeg({ width: 20_000, height: 100 }))).toThrow('20000 × 100');
    expect(() => readJpeg(testJpeg({ width: 12_000, height: 12_000 }))).toThrow('12000 × 12000');
  });
});
