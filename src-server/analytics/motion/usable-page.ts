/** The samples of a page that can be used: inside the span, fast enough, without the padding of a file's last record. */
import type { SignalChunk, SignalSource } from '../types.ts';
import type { AxisValues, Column, GridPage } from './resample-page.ts';

/** Slower sampling cannot resolve gait (steps reach 3.5 Hz) and counts as no data; 8 Hz tolerates a slow nominal 10 Hz clock. */
const SLOWEST_HZ = 8;
/** A body at rest reads 1 g; samples below this at the end of a page are the padding of a file's last record. */
const WEIGHTLESS_G = 0.1;

/** g = count * scale + offset, per axis. */
export interface Scaling {
  scale: AxisValues;
  offset: AxisValues;
}

/** Null when the counts of the channel cannot be converted to g. */
export function scalingOf({ scale, offset }: Pick<SignalSource, 'scale' | 'offset'>): Scaling | null {
  const [scaleX = Number.NaN, scaleY = Number.NaN, scaleZ = Number.NaN] = scale;
  const [offsetX = Number.NaN, offsetY = Number.NaN, offsetZ = Number.NaN] = offset;
  const scales: AxisValues = [scaleX, scaleY, scaleZ];
  const offsets: AxisValues = [offsetX, offsetY, offsetZ];
  const isUsable = scales.every((value) => Number.isFinite(value) && value !== 0) && offsets.every(Number.isFinite);
  return isUsable ? { scale: scales, offset: offsets } : null;
}

/** Acceleration of one sample, g. */
export function valuesAt({ columns, scale, offset }: GridPage, sample: number): AxisValues {
  const [columnX, columnY, columnZ] = columns;
  return [
    columnX[sample]! * scale[0] + offset[0],
    columnY[sample]! * scale[1] + offset[1],
    columnZ[sample]! * scale[2] + offset[2],
  ];
}

/** The usable samples of a chunk inside [fromUs, toUs); null when there are none. */
export function usablePage(chunk: SignalChunk, scaling: Scaling, fromUs: number, toUs: number): GridPage | null {
  const { startUs, periodUs } = chunk;
  const [columnX, columnY, columnZ] = chunk.columns;
  if (!(periodUs > 0) || periodUs > 1e6 / SLOWEST_HZ || !Number.isFinite(startUs)) return null;
  if (columnX === undefined || columnY === undefined || columnZ === undefined) return null;
  const count = Math.min(chunk.count, columnX.length, columnY.length, columnZ.length);
  const first = fromUs <= startUs ? 0 : Math.ceil((fromUs - startUs) / periodUs);
  const last = Math.min(count, Math.ceil((toUs - startUs) / periodUs));
  if (last <= first) return null;
  const columns: [Column, Column, Column] = [columnX, columnY, columnZ];
  const page: GridPage = { columns, first, stop: last, startUs, periodUs, ...scaling };
  const stop = withoutPadding(page);
  return stop > first ? { ...page, stop } : null;
}

/** End of the samples of a page before its padding: repetitions of a last sample that does not even show gravity. */
function withoutPadding(page: GridPage): number {
  const { columns, first, stop } = page;
  const last = stop - 1;
  let end = stop;
  while (end > first && columns.every((column) => column[end - 1] === column[last])) {
    if (Math.hypot(...valuesAt(page, last)) > WEIGHTLESS_G) break;
    end--;
  }
  return end;
}
