import { describe, expect, it } from 'vitest';
import { seededRandom } from '../testing/synthetic-ecg.ts';
import { binChannels, CHANNEL_INTERVALS_MS, sleepingPostureName } from './channels.ts';
import { createSecondColumns } from './seconds.ts';
import { ACTIVITIES, type SecondColumns } from './types.ts';

const START = 1_700_000_040_000 - (1_700_000_040_000 % 60_000);

function filled(count: number, startMs = START): SecondColumns {
  const seconds = createSecondColumns(startMs, count);
  const random = seededRandom(11);
  for (let i = 0; i < count; i++) {
    seconds.recorded[i] = 1;
    seconds.worn[i] = random() < 0.9 ? 1 : 0;
    if (random() < 0.8) {
      seconds.rrCount[i] = 1;
      seconds.rrSumMs[i] = 700 + Math.round(300 * random());
    }
    seconds.steps[i] = seconds.worn[i] ? Math.floor(3 * random()) : 0;
    if (seconds.worn[i]) seconds.counts[i] = Math.round(1600 * random()) / 16;
  }
  return seconds;
}

describe('channels', () => {
  it('of a minute match values computed by hand', () => {
    const seconds = createSecondColumns(START, 60);
    seconds.worn.fill(1);
    for (let i = 0; i < 60; i++) {
      seconds.rrCount[i] = 1;
      seconds.rrSumMs[i] = i % 2 ? 800 : 1200;
      seconds.rrDiffCount[i] = 1;
      seconds.rrDiffSquaredMs2[i] = i < 30 ? 900 : 1600;
      seconds.lfHf[i] = 2;
      seconds.steps[i] = 2;
      seconds.counts[i] = 0.5;
      seconds.activity[i] = ACTIVITIES.indexOf(i < 31 ? 'RESTING:SITTING' : 'MOVING:WALKING');
      if (i < 31) {
        seconds.leanSide[i] = 2;
        seconds.leanForward[i] = 2;
        seconds.leanSideDegrees[i] = -14;
        seconds.leanForwardDegrees[i] = 12.04;
      }
    }
    const { times, values } = binChannels([seconds], 60_000, START, START);
    expect(times).toEqual([START]);
    expect(values.heart_rate).toEqual([60]);
    expect(values.hrv[0]).toBeCloseTo(Math.sqrt(1250), 3);
    expect(values.frequency_hrv_ratio).toEqual([2]);
    expect(values.sleep_respiration).toEqual([null]);
    expect(values.steps).toEqual([120]);
    expect(values.combined_act_count).toEqual([30]);
    expect(values.activity).toEqual(['RESTING:SITTING']);
    expect(values.resting_posture).toEqual([{ c: 'LEAN_LEFT', ca: -14, s: 'SLOUCHING', sa: 12 }]);
    expect(values.sleeping_posture).toEqual([null]);
  });

  it('add up exactly from interval to interval', () => {
    const seconds = filled(3600);
    const stop = START + 3_600_000 - 1;
    const sum = (values: (number | null)[]): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);
    const base = binChannels([seconds], 1000, START, stop).values;
    for (const interval of CHANNEL_INTERVALS_MS) {
      const { times, values } = binChannels([seconds], interval, START, stop);
      expect(times.length).toBe(3_600_000 / interval);
      expect(sum(values.steps)).toBe(sum(base.steps));
      expect(sum(values.combined_act_count)).toBe(sum(base.combined_act_count));
    }
  });

  it('have a heart rate within the range of their seconds, and null only when at least half of those are null', () => {
    const seconds = filled(3600);
    const base = binChannels([seconds], 1000, START, START + 3_599_000).values.heart_rate;
    for (const interval of CHANNEL_INTERVALS_MS) {
      const width = interval / 1000;
      binChannels([seconds], interval, START, START + 3_599_000).values.heart_rate.forEach((rate, b) => {
        const own = base.slice(b * width, (b + 1) * width).filter((value) => value !== null);
        if (rate === null) expect(own.length).toBeLessThanOrEqual(width / 2);
        else {
          expect(rate).toBeGreaterThanOrEqual(Math.min(...own));
          expect(rate).toBeLessThanOrEqual(Math.max(...own));
        }
      });
    }
  });

  it('are aligned to the epoch: from the bin of `from` to the last that begins by `to`', () => {
    const { times } = binChannels([filled(600)], 60_000, START + 61_500, START + 180_000);
    expect(times).toEqual([START + 60_000, START + 120_000, START + 180_000]);
  });

  it('are the same at once, window by window, and across the seam of two windows', () => {
    const whole = filled(1200);
    const part = (from: number, to: number): SecondColumns => {
      const part = createSecondColumns(START + 1000 * from, to - from);
      for (const [name, column] of Object.entries(whole)) {
        if (typeof column === 'number') continue;
        (part[name as 'steps'] as Uint8Array).set((column as Uint8Array).subarray(from, to));
      }
      return part;
    };
    const windows = [part(0, 610), part(610, 1200)];
    expect(binChannels(windows, 60_000, START, START + 1_199_999)).toEqual(
      binChannels([whole], 60_000, START, START + 1_199_999),
    );
  });

  it('are null, not zero, where nothing is recorded', () => {
    const { values } = binChannels([], 60_000, START, START + 60_000);
    for (const channel of Object.values(values)) expect(channel).toEqual([null, null]);
  });

  it('break a tie in favour of the first code, and are null when less than half is known', () => {
    const seconds = createSecondColumns(START, 60);
    seconds.activity.fill(ACTIVITIES.indexOf('RESTING:LYING'), 0, 15);
    seconds.activity.fill(ACTIVITIES.indexOf('MOVING:WALKING'), 15, 30);
    expect(binChannels([seconds], 60_000, START, START).values.activity).toEqual(['MOVING:WALKING']);
    seconds.activity[29] = 0;
    expect(binChannels([seconds], 60_000, START, START).values.activity).toEqual([null]);
  });

  it('name a posture between two lying postures', () => {
    expect(sleepingPostureName(2 + 16 * 4)).toBe('LYING_CHEST/LYING_RIGHT');
    expect(sleepingPostureName(1)).toBe('LYING_BACK');
    expect(sleepingPostureName(0)).toBeNull();
  });
});
