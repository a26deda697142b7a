import { expect, it } from 'vitest';
import type { Annotation } from '../../../../src-server/api/contract/index.ts';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import { dayToOpen } from '../day-options.ts';
import { dayMarks } from './day-marks.ts';
import { laneOrder } from './lane-styles.ts';

const window = { startMs: 10 * HOUR_MS, stopMs: 46 * HOUR_MS };
const base = { studyId: 's', subjectId: 'u', createdTs: 0 };
const diary = (id: string, stopTs: number): Annotation => ({
  ...base,
  id,
  displayName: 'Evening diary',
  startTs: stopTs - HOUR_MS,
  stopTs,
  event: { id: 'diary-1', displayName: 'Evening diary', type: 'diary' },
});
const answer = (id: string, stopTs: number, value: string): Annotation => ({
  ...base,
  id,
  displayName: 'How was today?',
  startTs: stopTs,
  stopTs,
  value,
  event: { id: 'q', displayName: 'How was today?', type: 'question', relationship: { id: 'diary-1' } },
});

it('attaches answers to the run of the task that they were given in', () => {
  const annotations = [diary('a', 20 * HOUR_MS), answer('a1', 20 * HOUR_MS, 'Good'), diary('b', 44 * HOUR_MS)];
  annotations.push(answer('b1', 44 * HOUR_MS, 'Tired'));
  const marks = dayMarks(annotations, [], window);
  expect(marks.map(({ kind, detail }) => [kind, detail])).toEqual([
    ['task', 'How was today? Good'],
    ['task', 'How was today? Tired'],
  ]);
});

it('includes what overlaps the window: labels, spans that began before it, and each fault once', () => {
  const label = (id: string, startTs: number, stopTs: number): Annotation => ({
    ...base,
    id,
    displayName: 'Artefact',
    startTs,
    stopTs,
  });
  const fault = {
    ...{ createdTs: 0, faultTs: 12 * HOUR_MS, faultFlag: 'LOW_BATTERY', faultType: 'SENSOR' },
    ...{ mobileAppVersion: '', sensorFirmwareId: '1', sensorId: 'AA' },
  };
  const outside = { ...fault, faultTs: 13 * HOUR_MS, faultFlag: 'MEMORY_FULL' };
  const annotations = [
    label('before', 0, 9 * HOUR_MS),
    label('over', 9 * HOUR_MS, 11 * HOUR_MS),
    label('point', 46 * HOUR_MS, 46 * HOUR_MS),
  ];
  const sources = [{ displayName: 'Chest 7', faults: [fault, outside] }, { faults: [fault] }];
  expect(dayMarks(annotations, sources, window).map(({ kind, name, detail }) => [kind, name, detail])).toEqual([
    ['label', 'Artefact', ''],
    ['fault', 'LOW_BATTERY', 'Chest 7'],
    ['fault', 'MEMORY_FULL', 'Chest 7'],
  ]);
});

it('opens the last day with half a day of data, or else the day with most', () => {
  const day = (date: string, hours: number) => ({ date, recordedSeconds: hours * 3600 });
  expect(dayToOpen([day('1', 20), day('2', 13), day('3', 8)])).toBe('2');
  expect(dayToOpen([day('1', 5), day('2', 3), day('3', 5), day('4', 0)])).toBe('3');
});

it('keeps every lane, even if the stored order is incomplete', () => {
  expect(laneOrder(['steps', 'no-lane', 'steps']).slice(0, 2)).toEqual(['steps', 'wear']);
  expect(new Set(laneOrder(['steps'])).size).toBe(laneOrder([]).length);
});
