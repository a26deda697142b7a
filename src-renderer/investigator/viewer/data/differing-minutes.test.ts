import { expect, it } from 'vitest';
import type { IntradayChannel } from '../../../../src-server/api/contract/index.ts';
import { differingMinutes, stateMinutes } from './differing-minutes.ts';

const channel = (type: string, values: IntradayChannel['values'], fromMinute = 0): IntradayChannel => ({
  ...{ type, units: '', values, times: values.map((_, i) => (fromMinute + i) * 60_000) },
});

it('counts minutes by time, also those that only one result has', () => {
  const inUse = [channel('activity', ['WALKING', 'SITTING', null]), channel('heart_rate', [60, 61, 62])];
  const ofRun = [channel('activity', ['WALKING', 'LYING', null]), channel('heart_rate', [61, 62, 70], 1)];
  expect(differingMinutes(inUse, ofRun)).toEqual([
    { type: 'activity', count: 1 },
    { type: 'heartRate', count: 2 },
  ]);
  expect(differingMinutes(inUse, inUse)).toEqual([]);
});

it('does not compare what is not asked, and takes an absent channel for one without values', () => {
  const values = [channel('hrv', [null, 40]), channel('sleep_respiration', [12])];
  expect(differingMinutes(values, [])).toEqual([{ type: 'variability', count: 1 }]);
});

it('counts minutes in states that one of the two results has', () => {
  const inUse = [channel('intensity', ['LIGHT', 'LIGHT', null]), channel('rate_episode', [null, null, null])];
  const ofRun = [channel('intensity', ['MVPA', 'LIGHT', null]), channel('rate_episode', ['BRADYCARDIA', null, null])];
  expect(stateMinutes(inUse, ofRun)).toEqual([
    { state: 'LIGHT', inUse: 2, ofRun: 1 },
    { state: 'MVPA', inUse: 0, ofRun: 1 },
    { state: 'BRADYCARDIA', inUse: 0, ofRun: 1 },
  ]);
});
