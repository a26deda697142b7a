import { describe, expect, it } from 'vitest';
import { type Closed, destinationOf, type SensorHolding } from './upload-rules.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 2, 2, 9);
const hours = (count: number) => NOW + count * HOUR;
const held = (subjectId: string, from: number, to?: number): SensorHolding => ({
  studyId: 'study',
  subjectId,
  assignedTs: hours(from),
  ...(to !== undefined && { unassignedTs: hours(to) }),
});

describe('a received recording', () => {
  it.each<[string, number, number, SensorHolding[], string]>([
    ['belongs to who held the sensor', -20, -10, [held('A', -48)], 'A'],
    ['also after the sensor was given back', -20, -10, [held('A', -48, -5)], 'A'],
    ['to the earlier of two', -40, -30, [held('A', -48, -25), held('B', -24)], 'A'],
    ['to the later of two', -20, -10, [held('A', -48, -25), held('B', -24)], 'B'],
    ['when it began minutes before it was booked', -24.1, -10, [held('A', -24)], 'A'],
    ['of two around the hand-over to the one with more of it', -24.1, -10, [held('A', -48, -24), held('B', -24)], 'B'],
    ['waits when nobody held the sensor', -50, -49, [held('A', -48)], 'NOT_ASSIGNED'],
    ['waits when it ran on into another hand', -30, -10, [held('A', -48, -25), held('B', -24)], 'TWO_SUBJECTS'],
    ['waits when it ends more than 36 hours ahead', 30, 37, [held('A', -48)], 'IN_FUTURE'],
    ['waits when the clock was never set', -400_000, -399_999, [held('A', -500_000)], 'CLOCK_NOT_SET'],
  ])('%s', (_name, from, to, holdings, expected) => {
    const recording = { startMs: hours(from), stopMs: hours(to), isOtherSensor: false };
    const destination = destinationOf(recording, holdings, [], NOW, () => undefined);
    expect('code' in destination ? destination.code : destination.subjectId).toBe(expected);
  });

  it('is quarantined when it overlaps another one, comes from another sensor, or its study is complete or locked', () => {
    const recording = { startMs: hours(-20), stopMs: hours(-10), isOtherSensor: false };
    const holdings = [held('A', -48)];
    const other = (from: number, to: number) => [{ id: 'r', startMs: hours(from), stopMs: hours(to) }];
    const code = (...rest: [typeof recording, ReturnType<typeof other>, Closed?]) => {
      const destination = destinationOf(rest[0], holdings, rest[1], NOW, () => rest[2]);
      return 'code' in destination ? destination.code : undefined;
    };
    expect(code(recording, other(-11, -5))).toBe('OVERLAP');
    expect(code(recording, other(-10, -5))).toBeUndefined();
    expect(code({ ...recording, isOtherSensor: true }, [])).toBe('OTHER_SENSOR');
    expect(code(recording, [], 'STUDY_COMPLETE')).toBe('STUDY_COMPLETE');
    expect(code(recording, [], 'STUDY_LOCKED')).toBe('STUDY_LOCKED');
  });
});
