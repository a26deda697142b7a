/** Calibration of a CentrePoint Insight Watch (`calibration.json`): its log holds counts of the bare sensor. */

/** Offsets per axis, and the rows of the matrix that turns counts without offset into g. */
export interface AccelCalibration {
  offsets: readonly [number, number, number];
  matrix: readonly (readonly [number, number, number])[];
}

/** Calibrated values are stored in this step, a few thousandths of what the sensor resolves. */
export const CALIBRATED_STEP_G = 1e-6;

export type CalibrationFile = AccelCalibration | 'CALIBRATED' | null;

/** Null when the file does not hold what the sample rate needs. */
export function parseCalibration(bytes: Uint8Array, sampleRateHz: number): CalibrationFile {
  const file = jsonObject(bytes);
  if (!file) return null;
  if (file.isCalibrated === true) return 'CALIBRATED';
  if (file.calibrationMethod !== 2) return null;
  const numbers = (prefix: string, names: string[]): number[] =>
    names.map((name) => Number(file[`${prefix}${name}_${sampleRateHz}`] ?? Number.NaN));
  const offsets = numbers('offset', ['X', 'Y', 'Z']);
  const own = numbers('sensitivity', ['XX', 'YY', 'ZZ']).map((value) => 1 / (value * 0.01));
  const cross = numbers('sensitivity', ['XY', 'XZ', 'YZ']).map((value) => 1 / (value * 0.01 + 250) - 0.004);
  if (![...offsets, ...own, ...cross].every(Number.isFinite)) return null;
  const [xx, yy, zz] = own as [number, number, number];
  const [xy, xz, yz] = cross as [number, number, number];
  return {
    offsets: offsets as [number, number, number],
    matrix: [
      [xx, xy, xz],
      [xy, yy, yz],
      [xz, yz, zz],
    ],
  };
}

/** Counts of x, y, z in steps of {@link CALIBRATED_STEP_G}. */
export function calibrate(columns: readonly Int16Array[], { offsets, matrix }: AccelCalibration): Int32Array[] {
  const count = columns[0]!.length;
  const result = columns.map(() => new Int32Array(count));
  for (let i = 0; i < count; i++) {
    const x = columns[0]![i]! - offsets[0];
    const y = columns[1]![i]! - offsets[1];
    const z = columns[2]![i]! - offsets[2];
    for (let d = 0; d < 3; d++) {
      const row = matrix[d]!;
      result[d]![i] = Math.round((row[0] * x + row[1] * y + row[2] * z) / CALIBRATED_STEP_G);
    }
  }
  return result;
}

/** Straight lines that turn the raw readings of the two thermometers into degrees: value = raw * gain + offset. */
export interface TemperatureCalibration {
  processor: { gain: number; offset: number };
  sensor: { gain: number; offset: number };
}

export function parseTemperatureCalibration(bytes: Uint8Array): TemperatureCalibration | null {
  const file = jsonObject(bytes);
  if (file?.isCalibrated !== false || file.calibrationMethod !== 1) return null;
  const line = (low: unknown, high: unknown) => {
    const gain = (Number(file.tempHigh) - Number(file.tempLow)) / (Number(high) - Number(low));
    return { gain, offset: Number(file.tempLow) - Number(low) * gain };
  };
  const lines = {
    processor: line(file.mcuTempLow, file.mcuTempHigh),
    sensor: line(file.adxlTempLow, file.adxlTempHigh),
  };
  const isUsable = Object.values(lines).every(({ gain, offset }) => Number.isFinite(gain + offset) && gain !== 0);
  return isUsable ? lines : null;
}

function jsonObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    );
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
