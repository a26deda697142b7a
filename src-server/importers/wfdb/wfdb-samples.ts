/** Sample formats of WFDB signal files; G. Moody, WFDB Applications Guide, signal(5). */

/** Bytes and samples of the smallest group that can be decoded alone, and the value that means "no sample". */
export interface SampleFormat {
  chunkBytes: number;
  chunkSamples: number;
  /** Bytes of 0, 1, ... samples of a last, incomplete group; only for formats that pack several samples. */
  restBytes?: readonly number[];
  sampleBits: 16 | 32;
  /** Never a sample of a format that has no such value. */
  invalid: number;
  decode(bytes: Uint8Array, samples: Int32Array): void;
  /** Each number is the step from the sample before; the header gives the one before the first. */
  isDifferences?: true;
  /** The file is a FLAC stream with one channel per signal. */
  flacBits?: 8 | 16 | 24;
}

const wide = (high: number, low: number): number => (((high << 8) | low) << 16) >> 16;

/** Sign of a 10 bit number. */
const tenBits = (value: number): number => (value << 22) >> 22;

const NO_INVALID = -(2 ** 31);

const packedByFlac = (flacBits: 8 | 16 | 24): SampleFormat => ({
  chunkBytes: flacBits / 8,
  chunkSamples: 1,
  sampleBits: flacBits === 24 ? 32 : 16,
  invalid: -(2 ** (flacBits - 1)),
  flacBits,
  decode: () => undefined,
});

/** All formats by their number. `decode` fills `samples` from `bytes`, which must be long enough. */
export const SAMPLE_FORMATS: Record<number, SampleFormat> = {
  8: {
    chunkBytes: 1,
    chunkSamples: 1,
    sampleBits: 32,
    invalid: NO_INVALID,
    isDifferences: true,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) samples[i] = (bytes[i]! << 24) >> 24;
    },
  },
  508: packedByFlac(8),
  516: packedByFlac(16),
  524: packedByFlac(24),
  16: {
    chunkBytes: 2,
    chunkSamples: 1,
    sampleBits: 16,
    invalid: -32_768,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) samples[i] = wide(bytes[2 * i + 1]!, bytes[2 * i]!);
    },
  },
  61: {
    chunkBytes: 2,
    chunkSamples: 1,
    sampleBits: 16,
    invalid: -32_768,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) samples[i] = wide(bytes[2 * i]!, bytes[2 * i + 1]!);
    },
  },
  160: {
    chunkBytes: 2,
    chunkSamples: 1,
    sampleBits: 16,
    invalid: -32_768,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) samples[i] = (bytes[2 * i]! | (bytes[2 * i + 1]! << 8)) - 32_768;
    },
  },
  80: {
    chunkBytes: 1,
    chunkSamples: 1,
    sampleBits: 16,
    invalid: -128,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) samples[i] = bytes[i]! - 128;
    },
  },
  24: {
    chunkBytes: 3,
    chunkSamples: 1,
    sampleBits: 32,
    invalid: -8_388_608,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) {
        samples[i] = ((bytes[3 * i]! | (bytes[3 * i + 1]! << 8) | (bytes[3 * i + 2]! << 16)) << 8) >> 8;
      }
    },
  },
  32: {
    chunkBytes: 4,
    chunkSamples: 1,
    sampleBits: 32,
    invalid: -2_147_483_648,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) {
        samples[i] = bytes[4 * i]! | (bytes[4 * i + 1]! << 8) | (bytes[4 * i + 2]! << 16) | (bytes[4 * i + 3]! << 24);
      }
    },
  },
  310: {
    chunkBytes: 4,
    chunkSamples: 3,
    restBytes: [0, 2, 4],
    sampleBits: 16,
    invalid: -512,
    // Two 16 bit words hold a sample each in bits 1 to 10; the third is made of the upper five bits of both.
    decode: (bytes, samples) => {
      for (let i = 0, at = 0; i < samples.length; i += 3, at += 4) {
        const first = bytes[at]! | (bytes[at + 1]! << 8);
        const second = bytes[at + 2]! | (bytes[at + 3]! << 8);
        samples[i] = tenBits(first >> 1);
        if (i + 1 < samples.length) samples[i + 1] = tenBits(second >> 1);
        if (i + 2 < samples.length) samples[i + 2] = tenBits((first >> 11) | ((second >> 11) << 5));
      }
    },
  },
  311: {
    chunkBytes: 4,
    chunkSamples: 3,
    restBytes: [0, 2, 3],
    sampleBits: 16,
    invalid: -512,
    // Three samples fill a 32 bit word from its lowest bit up; the two highest bits are unused.
    decode: (bytes, samples) => {
      for (let i = 0, at = 0; i < samples.length; i += 3, at += 4) {
        const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
        samples[i] = tenBits(word);
        if (i + 1 < samples.length) samples[i + 1] = tenBits(word >> 10);
        if (i + 2 < samples.length) samples[i + 2] = tenBits(word >> 20);
      }
    },
  },
  212: {
    chunkBytes: 3,
    chunkSamples: 2,
    restBytes: [0, 2],
    sampleBits: 16,
    invalid: -2048,
    decode: (bytes, samples) => {
      for (let i = 0, at = 0; i < samples.length; i += 2, at += 3) {
        samples[i] = ((bytes[at]! | ((bytes[at + 1]! & 0x0f) << 8)) << 20) >> 20;
        if (i + 1 < samples.length) samples[i + 1] = ((bytes[at + 2]! | ((bytes[at + 1]! & 0xf0) << 4)) << 20) >> 20;
      }
    },
  },
};

/** Bytes that a number of samples takes in a file. */
export function bytesOfSamples(format: SampleFormat, samples: number): number {
  const groups = Math.floor(samples / format.chunkSamples);
  const rest = samples % format.chunkSamples;
  return groups * format.chunkBytes + (format.restBytes?.[rest] ?? 0);
}
