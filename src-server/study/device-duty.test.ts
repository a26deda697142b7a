import { expect, it } from 'vitest';
import { type DutyDevice, type Holding, mayDeliverFor, mayReportFor, sensorSubject } from './device-duty.ts';

const held = (subjectId: string, assignedTs: number, unassignedTs?: number): Holding => ({
  subjectId,
  assignedTs,
  ...(unassignedTs !== undefined && { unassignedTs }),
});
const hub = (...holdings: Holding[]): DutyDevice => ({ kind: 'HUB', holdings });
const paired = (...holdings: Holding[]): DutyDevice => ({ kind: 'PHONE', holdings });
const own = (ownSubjectId: string): DutyDevice => ({ kind: 'PHONE', ownSubjectId, holdings: [] });

it.each<[string, DutyDevice, string | undefined, number, number, boolean, boolean]>([
  ["a subject's own phone, its subject", own('A'), 'A', 5, 9, true, true],
  ["a subject's own phone, another subject", own('A'), 'B', 5, 9, false, false],
  ["a subject's own phone, a sensor of nobody", own('A'), undefined, 5, 9, false, false],
  ['a hub in the clinic, anyone', hub(), 'B', 5, 9, true, true],
  ['a hub in the clinic, a sensor of nobody', hub(), undefined, 5, 9, true, true],
  ['a phone that nobody holds', paired(), 'B', 5, 9, false, false],
  ['a hub with its subject', hub(held('A', 1)), 'A', 5, 9, true, true],
  ['a hub with another subject', hub(held('A', 1)), 'B', 5, 9, false, false],
  ['a hub that had the subject then', hub(held('A', 1, 6), held('B', 6)), 'A', 5, 9, true, true],
  ['a hub that had the subject since', hub(held('B', 1, 6), held('A', 6, 8), held('B', 8)), 'A', 5, 9, false, true],
  ['a hub that the clinic had since', hub(held('B', 1, 6), held('B', 7)), 'A', 5, 9, false, true],
  ['a hub that the clinic had before', hub(held('B', 1)), 'A', 0, 9, false, true],
  ['a paired phone that the clinic had since', paired(held('B', 1, 6), held('B', 7)), 'A', 5, 9, false, false],
])('%s', (_name, device, subject, atTs, nowTs, mayReport, mayDeliver) => {
  expect(mayReportFor(device, subject, { atTs, nowTs })).toBe(mayReport);
  expect(mayDeliverFor(device, subject, { atTs, nowTs })).toBe(mayDeliver);
});

it('finds the owner of sensor data, also when its time is unusable', () => {
  const sensor = [held('A', 10, 20), held('B', 30, 40)];
  expect([15, 35, 5, 25, 99].map((atTs) => sensorSubject(sensor, atTs, 35))).toEqual(['A', 'B', 'B', 'B', 'B']);
  expect(sensorSubject(sensor, 0, 50)).toBe('B');
  expect(sensorSubject([], 0, 50)).toBeUndefined();
});
