import { describe, expect, it } from 'vitest';
import { parseSyncPoints, syncPointText } from './sync-point-text.ts';

const point = (sensorUs: number, hostUs: number) => ({ sensorUs, hostUs });
const START_US = 1_768_392_000_000_000;

describe('the stored form of clock readings', () => {
  it.each([
    ['no readings', [], '[]'],
    ['one', [point(START_US, START_US + 900)], '[1768392000000000,900]'],
    [
      'a clock that drifts',
      [point(START_US, START_US + 900), point(START_US + 3_600_000_000, START_US + 3_600_090_000)],
      '[1768392000000000,900,3600000000,89100]',
    ],
    ['readings out of order', [point(START_US, START_US), point(5, 3)], `[${START_US},0,${5 - START_US},-2]`],
    ['parts of a microsecond', [point(0.5, 1)], '[{"sensorUs":0.5,"hostUs":1}]'],
    [
      'differences beyond exact numbers',
      [point(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)],
      `[{"sensorUs":${Number.MIN_SAFE_INTEGER},"hostUs":${Number.MAX_SAFE_INTEGER}}]`,
    ],
  ])('returns %s', (_, points, text) => {
    expect(syncPointText(points)).toBe(text);
    expect(parseSyncPoints(text)).toEqual(points);
  });

  it('reads rows of earlier versions', () => {
    expect(parseSyncPoints('[{"sensorUs":1,"hostUs":2}]')).toEqual([point(1, 2)]);
  });
});
