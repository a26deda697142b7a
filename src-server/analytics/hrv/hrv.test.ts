import { describe, expect, it } from 'vitest';
import { BEAT_ARTEFACT, BEAT_ECTOPIC } from '../heart/beats.ts';
import type { EcgFeatures } from '../types.ts';
import { bandPowersPerMinute, type IntervalSeries, intervalsOf, lfHfOf } from './index.ts';

const lfHfPerMinute = (series: IntervalSeries, startSecond: number, minutes: number) =>
  lfHfOf(bandPowersPerMinute(series, startSecond, minutes));

function ecg(timesMs: number[], kinds: Record<number, number> = {}, quality = 90): EcgFeatures {
  const count = Math.ceil(timesMs[timesMs.length - 1]! / 1000) + 1;
  return {
    kind: 'ecg',
    site: 'chest',
    beats: {
      timesUs: Float64Array.from(timesMs, (ms) => ms * 1000),
      kinds: Uint8Array.from(timesMs, (_ms, i) => kinds[i] ?? 0),
      amplitudesV: new Float32Array(timesMs.length).fill(1e-3),
    },
    seconds: {
      startSecond: 0,
      count,
      columns: {
        quality: new Uint8Array(count).fill(quality),
        contact: new Uint8Array(count).fill(1),
        unresolved: new Uint8Array(count),
      },
    },
  };
}

const rmssd = (series: IntervalSeries): number => {
  let sum = 0;
  let n = 0;
  for (let i = 1; i < series.endUs.length; i++) {
    if (!series.follows[i] || !series.normal[i] || !series.normal[i - 1]) continue;
    sum += (series.intervalMs[i]! - series.intervalMs[i - 1]!) ** 2;
    n++;
  }
  return Math.sqrt(sum / n);
};

describe('intervals', () => {
  it('are the times between successive beats, and RMSSD follows from them', () => {
    const series = intervalsOf([ecg([500, 1300, 2120, 2900, 3710])], 0, 10);
    expect([...series.intervalMs]).toEqual([800, 820, 780, 810]);
    expect(rmssd(series)).toBeCloseTo(Math.sqrt((20 ** 2 + 40 ** 2 + 30 ** 2) / 3), 6);
  });

  it('exclude artefacts, and include ectopic beats in the rate but not in variability', () => {
    const times = [500, 1300, 2100, 2600, 3700, 4500, 5300, 6100];
    const ectopic = intervalsOf([ecg(times, { 3: BEAT_ECTOPIC })], 0, 10);
    expect(ectopic.intervalMs.length).toBe(7);
    expect([...ectopic.normal]).toEqual([1, 1, 0, 0, 1, 1, 1]);
    const artefact = intervalsOf([ecg(times, { 3: BEAT_ARTEFACT })], 0, 10);
    expect([...artefact.intervalMs]).toEqual([800, 800, 800, 800, 800]);
    expect([...artefact.follows]).toEqual([0, 1, 0, 1, 1]);
  });

  it('come from the better of two sensors', () => {
    const good = ecg([500, 1300, 2100], {}, 90);
    const poor = ecg([500, 900, 1300, 1700, 2100], {}, 20);
    expect([...intervalsOf([poor, good], 0, 10).intervalMs]).toEqual([800, 800]);
  });

  it('of 4 s and more are missed beats and excluded', () => {
    expect(intervalsOf([ecg([500, 1300, 5400, 6200])], 0, 10).intervalMs.length).toBe(2);
  });
});

/** Ten minutes of beats whose intervals oscillate with the given sines. */
function swinging(sines: { hz: number; ms: number }[]): IntervalSeries {
  const times = [500];
  while (times[times.length - 1]! < 600_000) {
    const t = times[times.length - 1]! / 1000;
    times.push(
      times[times.length - 1]! + 800 + sines.reduce((sum, { hz, ms }) => sum + ms * Math.sin(2 * Math.PI * hz * t), 0),
    );
  }
  return intervalsOf([ecg(times)], 0, 600);
}

describe('LF/HF', () => {
  it('separates a slow oscillation from a fast one and weighs them by power', () => {
    expect(lfHfPerMinute(swinging([{ hz: 0.1, ms: 30 }]), 0, 10)[5]).toBeGreaterThan(20);
    expect(lfHfPerMinute(swinging([{ hz: 0.27, ms: 30 }]), 0, 10)[5]).toBeLessThan(0.05);
    const both = lfHfPerMinute(
      swinging([
        { hz: 0.1, ms: 40 },
        { hz: 0.27, ms: 20 },
      ]),
      0,
      10,
    )[5];
    expect(both).toBeGreaterThan(3);
    expect(both).toBeLessThan(5.5);
  });

  it('is NaN without five whole minutes or with too few normal intervals', () => {
    const series = swinging([{ hz: 0.1, ms: 30 }]);
    const values = lfHfPerMinute(series, 0, 10);
    expect([0, 1, 8, 9].map((m) => values[m])).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
    for (let i = 0; i < series.normal.length; i++) if (i % 4 === 0) series.normal[i] = 0;
    expect(lfHfPerMinute(series, 0, 10).every(Number.isNaN)).toBe(true);
  });
});
