import { expect, it } from 'vitest';
import type { Study } from '../../../src-server/api/contract/index.ts';
import { permissionsOf } from './permission-check.ts';

it('goes by the role in the study, not by the one in the account', () => {
  const may = permissionsOf('MONITOR', [
    { studyId: 'a', role: 'COORDINATOR' },
    { studyId: 'b', role: 'ANALYST' },
  ]);
  expect(may('subject.create', 'a')).toBe(true);
  expect(may('subject.create', 'b')).toBe(false);
  expect(may('study.export', 'b')).toBe(true);
  expect(may('study.read', 'c')).toBe(false);
  expect(may('subject.create')).toBe(true);
  expect(may('study.reopen')).toBe(false);
});

it('keeps account operations to the account role, and administrators everywhere', () => {
  expect(permissionsOf('COORDINATOR', [{ studyId: 'a', role: 'ADMIN' }])('site.manage')).toBe(false);
  expect(permissionsOf('COORDINATOR', [{ studyId: 'a', role: 'MONITOR' }])('message.send', 'a')).toBe(false);
  expect(permissionsOf('ADMIN', [])('study.reopen', 'a')).toBe(true);
});

it('asks the role in the study for its devices, and the one in the account for those of the site', () => {
  const may = permissionsOf('COORDINATOR', [{ studyId: 'a', role: 'MONITOR' }]);
  expect(may('device.pair')).toBe(true);
  expect(may('device.pair', 'a')).toBe(false);
  expect(may('device.pair', 'b')).toBe(false);
  expect(permissionsOf('MONITOR', [{ studyId: 'a', role: 'COORDINATOR' }])('device.pair')).toBe(false);
});

it('changes nothing in a study that is complete or archived, but lets its life go on', () => {
  const study = { id: 'a', isArchived: false, lifecycleState: 'COMPLETE' } as Study;
  for (const locked of [study, { ...study, isArchived: true, lifecycleState: 'INITIALIZED' as const }]) {
    const may = permissionsOf('ADMIN', [], [locked]);
    expect(may('subject.create', 'a')).toBe(false);
    expect(may('annotation.write', 'a')).toBe(true);
    expect(may('study.reopen', 'a')).toBe(true);
    expect(may('equipment.assign', 'a')).toBe(true);
    expect(may('subject.create', 'b')).toBe(true);
  }
});
