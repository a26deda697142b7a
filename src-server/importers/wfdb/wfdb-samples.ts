/** Sample formats of WFDB signal files; G. Moody, WFDB Applications Guide, signal(5). */

/** Bytes and samples of the smallest piece that can be decoded alone, and the value that means "no sample". */
export interface SampleFormat {
  pieceBytes: number;
  pieceSamples: number;
  sampleBits: 16 | 32;
  invalid: number | null;
  decode(bytes: Uint8Array, samples: Int32Array): void;
}

const wide = (high: number, low: number): number => (((high << 8) | low) << 16) >> 16;

/** Decodes as many samples as `samples` holds; `bytes` must have them. */
export const SAMPLE_FORMATS: Record<number, SampleFormat> = {
  16: {
    pieceBytes: 2,
    pieceSamples: 1,
    sampleBits: 16,
    invalid: -32_768,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) samples[i] = wide(bytes[2 * i + 1], bytes[2 * i]);
    },
  },
  61: {
    pieceBytes: 2,
    pieceSamples: 1,
    sampleBits: 16,
    invalid: -32_768,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) samples[i] = wide(bytes[2 * i], bytes[2 * i + 1]);
    },
  },
  80: {
    pieceBytes: 1,
    pieceSamples: 1,
    sampleBits: 16,
    invalid: -128,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) samples[i] = bytes[i] - 128;
    },
  },
  24: {
    pieceBytes: 3,
    pieceSamples: 1,
    sampleBits: 32,
    invalid: -8_388_608,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) {
        samples[i] = ((bytes[3 * i] | (bytes[3 * i + 1] << 8) | (bytes[3 * i + 2] << 16)) << 8) >> 8;
      }
    },
  },
  32: {
    pieceBytes: 4,
    pieceSamples: 1,
    sampleBits: 32,
    invalid: -2_147_483_648,
    decode: (bytes, samples) => {
      for (let i = 0; i < samples.length; i++) {
        samples[i] = bytes[4 * i] | (bytes[4 * i + 1] << 8) | (bytes[4 * i + 2] << 16) | (bytes[4 * i + 3] << 24);
      }
    },
  },
  212: {
    pieceBytes: 3,
    pieceSamples: 2,
    sampleBits: 16,
    invalid: -2048,
    decode: (bytes, samples) => {
      for (let i = 0, at = 0; i < samples.length; i += 2, at += 3) {
        samples[i] = ((bytes[at] | ((bytes[at + 1] & 0x0f) << 8)) << 20) >> 20;
        if (i + 1 < samples.length) samples[i + 1] = ((bytes[at + 2] | ((bytes[at + 1] & 0xf0) << 4)) << 20) >> 20;
      }
    },
  },
};

/** Bytes that a number of samples takes in a file. */
export function bytesOfSamples(format: SampleFormat, samples: number): number {
  const pieces = Math.floor(samples / format.pieceSamples);
  const rest = samples % format.pieceSamples;
  return pieces * format.pieceBytes + (rest > 0 ? rest + 1 : 0);
}
