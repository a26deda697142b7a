import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SyncPoint } from '../types.ts';
import { correctClock, correctedSpacing, hostTimeUs } from './clock-map.ts';

const START = 1_750_000_000_000_000;
const HOUR = 3_600_000_000;
/** A reading `hours` after the start of a sensor that is off by `offsetMs`. */
const at = (hours: number, offsetMs: number): SyncPoint => ({
  sensorUs: START + hours * HOUR,
  hostUs: START + hours * HOUR + offsetMs * 1000,
});

describe('the host time of a sensor time', () => {
  it.each<[string, SyncPoint[], number, number]>([
    ['one reading moves everything alike', [at(0, 250)], 10, 250],
    ['between two readings it is linear', [at(0, 0), at(10, 1000)], 5, 500],
    ['the mean drift continues after the last', [at(0, 0), at(10, 1000)], 20, 2000],
    ['and before the first', [at(0, 0), at(10, 1000)], -10, -1000],
    ['readings within an hour say nothing of drift beyond them', [at(0, 0), at(0.5, 100)], 20, 100],
    ['each stretch has its own drift', [at(0, 0), at(10, 1000), at(20, 1000)], 15, 1000],
    ['the order of readings does not matter', [at(10, 1000), at(0, 0)], 5, 500],
    ['readings close together are one, by the median', [at(0, 0), at(0.01, 40), at(0.02, 1900)], 12, 40],
    ['a host clock wrong by hours is left out', [at(0, 0), at(5, 7_200_000), at(10, 1000)], 5, 500],
    ['also as the first', [at(-1, -86_400_000), at(0, 0), at(10, 1000)], 5, 500],
    [
      'also when several readings were made with it',
      [at(0, 0), at(4, 9e6), at(5, 9e6), at(8, 800), at(10, 1000)],
      5,
      500,
    ],
    ['of two that do not fit the one that moves less counts', [at(0, 5), at(1, 3_600_000)], 3, 5],
    ['the same reading twice is one', [at(0, 100), at(0, 100), at(10, 1100)], 5, 600],
  ])('%s', (_name, points, hours, offsetMs) => {
    const clock = correctClock(points);
    if (!clock) throw new Error('There is no correction.');
    const sensorUs = START + hours * HOUR;
    expect((hostTimeUs(clock, sensorUs) - sensorUs) / 1000).toBeCloseTo(offsetMs, 1);
  });

  it('is unknown without readings', () => {
    expect(correctClock([])).toBeNull();
  });

  it('scales to many pairs that do not fit each other', () => {
    const cpuMs = (count: number) => {
      const points = Array.from({ length: count }, (_, i) => at(i / 6, ((i * 7919) % 40_009) * 1000));
      correctClock(points);
      const before = process.cpuUsage();
      // Long enough for a clock of processor time that moves in steps of 4 ms.
      for (let i = 0; i < 40; i++) correctClock(points);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    cpuMs(4000);
    // Eight times the pairs: 8 x 12/9 by n log n, 64 by the square.
    expect(cpuMs(4000) / cpuMs(500)).toBeLessThan(40);
  });

  it('prefers the pairs of the device that sent the recording, regardless of how many others report', () => {
    const others = Array.from({ length: 50 }, (_, i) => at(i / 6, -93_600_000));
    const clock = correctClock([at(1, 250)], { reported: others });
    expect(clock).toMatchObject({ knots: [at(1, 250)], leftOut: 50 });
    expect(hostTimeUs(correctClock([], { reported: others })!, START)).toBe(START - 93_600_000_000);
  });

  it('rejects a correction by which a recording ends after its arrival, in favour of the next best', () => {
    const arrival = { sensorUs: START + 2 * HOUR, hostUs: START + 3 * HOUR };
    const late = [at(0, 7_200_000), at(1, 7_200_000)];
    expect(correctClock(late, { arrival })).toBeNull();
    expect(correctClock([...late, at(1, 40)], { arrival })).toMatchObject({ knots: [at(1, 40)], leftOut: 2 });
  });

  it('moves a sample by no more than its readings say and a crystal drifts', () => {
    // Two readings whose lag looks like drift: two weeks later it would be 11 minutes.
    const lagging = correctClock([at(0, 0), at(1, 2000)])!;
    expect(Math.abs(hostTimeUs(lagging, START + 336 * HOUR) - START - 336 * HOUR)).toBeLessThanOrEqual(2_000_000);
    const reading = fc.record({
      hours: fc.double({ min: 0, max: 300, noNaN: true }),
      offsetMs: fc.oneof(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: -1e9, max: 1e9 })),
    });
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1, maxLength: 60 }), (readings) => {
        const points = readings.map(({ hours, offsetMs }) => at(Math.round(hours * 3600) / 3600, offsetMs));
        const clock = correctClock(points)!;
        const offsets = points.map(({ sensorUs, hostUs }) => hostUs - sensorUs);
        for (let hours = -48; hours <= 348; hours += 3) {
          const sensorUs = START + hours * HOUR;
          const movedUs = hostTimeUs(clock, sensorUs) - sensorUs;
          // 200 ppm of the distance to the readings.
          const driftUs = 0.0002 * Math.max(...points.map((one) => Math.abs(one.sensorUs - sensorUs))) + 1;
          expect(movedUs).toBeGreaterThanOrEqual(Math.min(...offsets) - driftUs);
          expect(movedUs).toBeLessThanOrEqual(Math.max(...offsets) + driftUs);
        }
      }),
    );
  });

  it('fits 400,000 honest readings in less than a second of processor time', () => {
    const points = Array.from({ length: 400_000 }, (_, i) => at(i / 180, 250 + i * 0.0002 + ((i * 7919) % 40)));
    const before = process.cpuUsage();
    const clock = correctClock(points)!;
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1);
    for (const hours of [0, 500, 1000, 2000]) {
      const sensorUs = START + hours * HOUR;
      const trueMs = 250 + hours * 180 * 0.0002;
      expect(Math.abs((hostTimeUs(clock, sensorUs) - sensorUs) / 1000 - trueMs)).toBeLessThan(45);
    }
  });

  it('counts discarded readings', () => {
    expect(correctClock([at(0, 0), at(5, 7_200_000), at(10, 1000)])?.leftOut).toBe(1);
  });

  it('is always increasing, regardless of the readings', () => {
    const reading = fc.record({
      hours: fc.double({ min: 0, max: 48, noNaN: true }),
      offsetMs: fc.integer({ min: -5000, max: 5000 }),
    });
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1, maxLength: 40 }), (readings) => {
        const clock = correctClock(
          readings.map(({ hours, offsetMs }) => at(Math.round(hours * 3600) / 3600, offsetMs)),
        );
        if (!clock) throw new Error('There is no correction.');
        let before = Number.NEGATIVE_INFINITY;
        for (let hours = -5; hours <= 53; hours += 0.1) {
          const host = hostTimeUs(clock, START + hours * HOUR);
          expect(host).toBeGreaterThan(before);
          before = host;
        }
      }),
    );
  });
});

describe('a page', () => {
  it('keeps both its ends where a knot falls inside it', () => {
    const clock = correctClock([at(0, 0), at(1, 100), at(2, 0)]);
    if (!clock) throw new Error('There is no correction.');
    const page = { startUs: START + HOUR - 30e6, periodUs: 4000, count: 15_001 };
    const { startUs, periodUs } = correctedSpacing(clock, page);
    expect(startUs).toBeCloseTo(hostTimeUs(clock, page.startUs), 3);
    expect(startUs + 15_000 * periodUs).toBeCloseTo(hostTimeUs(clock, page.startUs + 15_000 * 4000), 3);
  });
});
