/** What reused coders return and throw is what the functions of `node:zlib` do, whatever came before. */
import { constants, deflateRawSync, inflateRawSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { isOneFrame, rawInflater, zstdCompressor, zstdDecompress } from './reused-codecs.ts';

const LEVEL_1 = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 25 } };

let state = 7;
const random = (below: number) => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
/** Bytes of an alphabet of any size: noise does not compress, few letters do. */
function someBytes(): Buffer {
  const letters = 1 + random(256);
  return Buffer.from(Array.from({ length: [0, 1, 90, 5000, 40_000][random(5)]! + random(200) }, () => random(letters)));
}

const outcome = (run: () => Buffer) => {
  try {
    return run().toString('hex');
  } catch (thrown) {
    return `${(thrown as NodeJS.ErrnoException).code}`;
  }
};

/** The bytes, and what a disk or a hostile program makes of them. */
function variants(bytes: Buffer): Buffer[] {
  const flipped = Buffer.from(bytes);
  if (flipped.length > 0) flipped[random(flipped.length)]! ^= 1 << random(8);
  return [
    bytes,
    bytes.subarray(0, random(bytes.length + 1)),
    bytes.subarray(0, Math.max(0, bytes.length - 1)),
    flipped,
    Buffer.concat([bytes, Buffer.from([1, 2, 3])]),
    Buffer.concat([bytes, bytes]),
    bytes,
  ];
}

it('compresses to the same bytes as a new coder', () => {
  const compress = zstdCompressor(LEVEL_1);
  for (let i = 0; i < 200; i++) {
    const raw = someBytes();
    expect(compress(raw).equals(zstdCompressSync(raw, LEVEL_1))).toBe(true);
  }
  const large = Buffer.alloc(1 << 20, 'large');
  expect(compress(large).equals(zstdCompressSync(large, LEVEL_1))).toBe(true);
});

it('recognises frames that end where the bytes end', () => {
  for (let i = 0; i < 50; i++) {
    const raw = someBytes();
    const frame = zstdCompressSync(raw, LEVEL_1);
    expect(isOneFrame(frame)).toBe(true);
    expect(isOneFrame(frame.subarray(0, random(frame.length)))).toBe(false);
    expect(isOneFrame(Buffer.concat([frame, frame]))).toBe(false);
  }
});

it('decompresses intact, damaged, torn, joined and oversized frames as a new coder does', () => {
  for (let i = 0; i < 150; i++) {
    const raw = someBytes();
    for (const frame of variants(zstdCompressSync(raw, LEVEL_1))) {
      for (const rawLength of new Set([raw.length, Math.max(1, raw.length - 1), raw.length + 1])) {
        const expected = outcome(() => zstdDecompressSync(frame, { ...WINDOW, maxOutputLength: rawLength }));
        expect(outcome(() => zstdDecompress(frame, rawLength, WINDOW))).toBe(expected);
      }
    }
  }
});

it('inflates intact, damaged, torn and joined pieces as a new coder does', () => {
  const options = { windowBits: 13, dictionary: Buffer.from('{"a":"dictionary"}'), maxOutputLength: 1 << 20 };
  const inflate = rawInflater(options);
  for (let i = 0; i < 150; i++) {
    const packed = deflateRawSync(someBytes(), { ...options, level: 6 });
    for (const piece of variants(packed)) {
      expect(outcome(() => inflate(piece))).toBe(outcome(() => inflateRawSync(piece, options)));
    }
  }
  const bomb = deflateRawSync(Buffer.alloc(2 << 20), options);
  expect(outcome(() => inflate(bomb))).toBe('ERR_BUFFER_TOO_LARGE');
});
