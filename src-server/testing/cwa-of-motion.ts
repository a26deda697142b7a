/** Acceleration as a file of an Axivity recorder: 25 Hz, int16 with 2048 counts per g. */
import { madeBlock, madeHeader } from './made-cwa.ts';

const RATE_HZ = 25;
const RATE_CODE = 0x48;
const COUNTS_PER_G = 2048;
const SAMPLES_PER_BLOCK = 80;

/** Samples of three axes in g, at even steps. */
export interface EvenMotion {
  startUs: number;
  periodUs: number;
  axes: readonly [Float64Array, Float64Array, Float64Array];
}

/** @param facts of the header: the serial number and the annotation with the place on the body */
export function cwaOfMotion(
  { startUs, periodUs, axes }: EvenMotion,
  facts: { deviceId: number; annotation: string },
): Buffer {
  const durationUs = (axes[0].length - 1) * periodUs;
  const blocks = Math.floor((durationUs / 1e6) * (RATE_HZ / SAMPLES_PER_BLOCK));
  const file = Buffer.alloc(1024 + blocks * 512);
  madeHeader(facts).copy(file);
  const stepUs = 1e6 / RATE_HZ;
  for (let block = 0; block < blocks; block++) {
    const value = (i: number, axis: number): number => {
      const at = ((block * SAMPLES_PER_BLOCK + i) * stepUs) / periodUs;
      const before = Math.floor(at);
      const [a, b] = [axes[axis]![before]!, axes[axis]![Math.min(before + 1, axes[axis]!.length - 1)]!];
      return Math.round((a + (b - a) * (at - before)) * COUNTS_PER_G);
    };
    const timeUs = startUs + block * SAMPLES_PER_BLOCK * stepUs;
    const into = file.subarray(1024 + block * 512, 1536 + block * 512);
    madeBlock({ timeUs, sequence: block, axes: 3, isPacked: false, rateCode: RATE_CODE, value }, into);
  }
  return file;
}
