import { expect, it } from 'vitest';
import type { Annotation } from '../../../../src-server/api/contract/index.ts';
import { dayToOpen } from '../day-options.ts';
import { dayMarks } from './day-marks.ts';
import { laneOrder } from './lane-styles.ts';

const HOUR = 3_600_000;
const window = { startMs: 10 * HOUR, stopMs: 46 * HOUR };
const base = { studyId: 's', subjectId: 'u', createdTs: 0 };
const diary = (id: string, stopTs: number): Annotation => ({
  ...base,
  id,
  displayName: 'Evening diary',
  startTs: stopTs - HOUR,
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

it('puts the answers with the very task that they were given to', () => {
  const annotations = [diary('a', 20 * HOUR), answer('a1', 20 * HOUR, 'Good'), diary('b', 44 * HOUR)];
  annotations.push(answer('b1', 44 * HOUR, 'Tired'));
  const marks = dayMarks(annotations, [], window);
  expect(marks.map(({ kind, detail }) => [kind, detail])).toEqual([
    ['task', 'How was today? Good'],
    ['task', 'How was today? Tired'],
  ]);
});

it('keeps what touches the window: labels, spans that began before it, faults once', () => {
  const label = (id: string, startTs: number, stopTs: number): Annotation => ({
    ...base,
    id,
    displayName: 'Artefact',
    startTs,
    stopTs,
  });
  const fault = {
    ...{ createdTs: 0, faultTs: 12 * HOUR, faultFlag: 'LOW_BATTERY', faultType: 'SENSOR' },
    ...{ mobileAppVersion: '', sensorFirmwareId: '1', sensorId: 'AA' },
  };
  const outside = { ...fault, faultTs: 13 * HOUR, faultFlag: 'MEMORY_FULL' };
  const annotations = [
    label('before', 0, 9 * HOUR),
    label('over', 9 * HOUR, 11 * HOUR),
    label('point', 46 * HOUR, 46 * HOUR),
  ];
  const sources = [{ displayName: 'Chest 7', faults: [fault, outside] }, { faults: [fault] }];
  expect(dayMarks(annotations, sources, window).map(({ kind, name, detail }) => [kind, name, detail])).toEqual([
    ['label', 'Artefact', ''],
    ['fault', 'LOW_BATTERY', 'Chest 7'],
    ['fault', 'MEMORY_FULL', 'Chest 7'],
  ]);
});

it('opens the last day with half a day of data, or else the fullest', () => {
  const day = (date: string, hours: number) => ({ date, recordedSeconds: hours * 3600 });
  expect(dayToOpen([day('1', 20), day('2', 13), day('3', 8)])).toBe('2');
  expect(dayToOpen([day('1', 5), day('2', 3), day('3', 5), day('4', 0)])).toBe('3');
});

it('keeps every lane whatever order was stored', () => {
  expect(laneOrder(['steps', 'no-lane', 'steps']).slice(0, 2)).toEqual(['steps', 'wear']);
  expect(new Set(laneOrder(['steps'])).size).toBe(laneOrder([]).length);
});
