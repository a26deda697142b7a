import { describe, expect, it } from 'vitest';
import {
  clearBeats,
  ORIGIN_SUPRAVENTRICULAR,
  ORIGIN_UNKNOWN,
  ORIGIN_VENTRICULAR,
  ORIGIN_VENTRICULAR_BY_SHAPE,
  originsOf,
} from './ectopy.ts';

const SINUS = 1000;
const GAP = 5000;

/** Sinus beats of one second with something else amid them: intervals in ms, those that end at beats of another shape negative. */
function origins(amid: readonly number[], { far = false, ectopic = amid.map((ms) => ms < 0) } = {}): number[] {
  const before = new Array<number>(20).fill(SINUS);
  const intervals = [...before, ...amid, ...before];
  const timesUs: number[] = [0];
  for (const ms of intervals) timesUs.push(timesUs.at(-1)! + 1000 * Math.abs(ms));
  const n = timesUs.length;
  const ectopicShape = Uint8Array.from({ length: n }, (_b, i) => (i > 0 && intervals[i - 1]! < 0 ? 1 : 0));
  const isEctopic = Uint8Array.from({ length: n }, (_b, i) =>
    ectopic[i - 1 - before.length] || ectopicShape[i] ? 1 : 0,
  );
  const farShape = far ? ectopicShape : new Uint8Array(n);
  // No link lasts longer than this without a beat.
  const afterGap = Uint8Array.from({ length: n }, (_b, i) => (i > 0 && Math.abs(intervals[i - 1]!) > GAP ? 1 : 0));
  const found = originsOf({ timesUs, afterGap, ectopicShape }, isEctopic, farShape);
  return Array.from(found.subarray(before.length + 1, before.length + 1 + amid.length));
}

describe('the origin of an ectopic beat', () => {
  it('is ventricular where another shape comes early or before a pause', () => {
    expect(origins([-600, 1400])).toEqual([ORIGIN_VENTRICULAR, ORIGIN_UNKNOWN]);
    expect(origins([-1000, 1300])).toEqual([ORIGIN_VENTRICULAR, ORIGIN_UNKNOWN]);
  });

  it('is unknown where a somewhat other shape comes on time, and ventricular by its shape alone where it is quite unlike', () => {
    expect(origins([-1000, 1000])).toEqual([ORIGIN_UNKNOWN, ORIGIN_UNKNOWN]);
    expect(origins([-1000, 1000], { far: true })).toEqual([ORIGIN_VENTRICULAR_BY_SHAPE, ORIGIN_UNKNOWN]);
  });

  it('is supraventricular where the prevailing shape comes a tenth early', () => {
    expect(origins([700, 1200], { ectopic: [true, false] })).toEqual([ORIGIN_SUPRAVENTRICULAR, ORIGIN_UNKNOWN]);
    expect(origins([950, 1000], { ectopic: [true, false] })).toEqual([ORIGIN_UNKNOWN, ORIGIN_UNKNOWN]);
  });

  it('is supraventricular in a run that leaves no sinus interval near', () => {
    const run = new Array<number>(24).fill(450);
    expect(origins(run, { ectopic: run.map(() => true) })).toEqual(run.map(() => ORIGIN_SUPRAVENTRICULAR));
  });

  it('is ventricular in a fast run, and unknown where the lead changes for some beats at the sinus pace', () => {
    const fast = new Array<number>(12).fill(-550);
    expect(new Set(origins(fast))).toEqual(new Set([ORIGIN_VENTRICULAR]));
    // A break of the link amid the run makes it no slower.
    const broken = [...fast.slice(0, 6), -20_000, ...fast.slice(0, 6)];
    expect(origins(broken).filter((origin) => origin !== ORIGIN_VENTRICULAR).length).toBeLessThanOrEqual(1);
    const paced = new Array<number>(30).fill(-1000);
    expect(new Set(origins(paced, { far: true }))).toEqual(new Set([ORIGIN_UNKNOWN]));
  });
});

it('holds a beat clear that stands out itself, amid beats that do', () => {
  const quality = new Array<number>(30).fill(90);
  quality[10] = 40;
  const isClear = clearBeats(new Uint8Array(30), quality);
  expect(isClear(9)).toBe(true);
  expect(isClear(10)).toBe(false);
});
