/**
 * Display filters: a band of 0.5 to 40 Hz and mains notches, applied forwards and backwards for zero phase shift.
 * Second-order sections after the Audio EQ Cookbook (Bristow-Johnson). They never change stored data or metrics. Pure.
 */
export const DISPLAY_FILTERS = ['off', 'band', 'band50', 'band60'] as const;
export type DisplayFilter = (typeof DISPLAY_FILTERS)[number];

interface Section {
  b0: number;
  b1: number;
  b2: number;
  a1: number;
  a2: number;
}

const BAND_LOW_HZ = 0.5;
const BAND_HIGH_HZ = 40;
const BUTTERWORTH_Q = Math.SQRT1_2;
const NOTCH_Q = 12;

function section(kind: 'low' | 'high' | 'notch', hz: number, rateHz: number, q: number): Section {
  const w = (2 * Math.PI * hz) / rateHz;
  const alpha = Math.sin(w) / (2 * q);
  const cos = Math.cos(w);
  const a0 = 1 + alpha;
  const [b0, b1, b2] =
    kind === 'low'
      ? [(1 - cos) / 2, 1 - cos, (1 - cos) / 2]
      : kind === 'high'
        ? [(1 + cos) / 2, -(1 + cos), (1 + cos) / 2]
        : [1, -2 * cos, 1];
  return { b0: b0 / a0, b1: b1 / a0, b2: b2 / a0, a1: (-2 * cos) / a0, a2: (1 - alpha) / a0 };
}

function sectionsOf(filter: DisplayFilter, rateHz: number): Section[] {
  if (filter === 'off') return [];
  const sections = [section('high', BAND_LOW_HZ, rateHz, BUTTERWORTH_Q)];
  if (rateHz > 2.2 * BAND_HIGH_HZ) sections.push(section('low', BAND_HIGH_HZ, rateHz, BUTTERWORTH_Q));
  const mains = filter === 'band50' ? 50 : filter === 'band60' ? 60 : 0;
  if (mains > 0 && rateHz > 2.2 * mains) sections.push(section('notch', mains, rateHz, NOTCH_Q));
  return sections;
}

/** Applies a section in place in one direction. The filter starts in its steady state for the first value, which avoids a transient. */
function applySection(values: Float32Array, { b0, b1, b2, a1, a2 }: Section, backwards: boolean): void {
  const n = values.length;
  const first = backwards ? values[n - 1]! : values[0]!;
  const steady = (first * (b0 + b1 + b2)) / (1 + a1 + a2);
  let x1 = first;
  let x2 = first;
  let y1 = steady;
  let y2 = steady;
  for (let k = 0; k < n; k++) {
    const i = backwards ? n - 1 - k : k;
    const x = values[i]!;
    const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
    x2 = x1;
    x1 = x;
    y2 = y1;
    y1 = y;
    values[i] = y;
  }
}

/** Returns a filtered copy of evenly spaced samples without a gap. */
export function applyFilter(values: Float32Array, filter: DisplayFilter, rateHz: number): Float32Array {
  if (filter === 'off' || values.length < 2) return values;
  const copy = Float32Array.from(values);
  for (const coefficients of sectionsOf(filter, rateHz)) {
    applySection(copy, coefficients, false);
    applySection(copy, coefficients, true);
  }
  return copy;
}
