import { expect, it } from 'vitest';
import type { Study } from '../../../src-server/api/contract/index.ts';
import { permissionsOf } from './permission-check.ts';

it('uses the role in the study, not the one in the account', () => {
  const can = permissionsOf('MONITOR', [
    { studyId: 'a', role: 'COORDINATOR' },
    { studyId: 'b', role: 'ANALYST' },
  ]);
  expect(can('subject.create', 'a')).toBe(true);
  expect(can('subject.create', 'b')).toBe(false);
  expect(can('study.export', 'b')).toBe(true);
  expect(can('study.read', 'c')).toBe(false);
  expect(can('subject.create')).toBe(true);
  expect(can('study.reopen')).toBe(false);
});

it('uses the account role for account operations, and lets administrators do everything', () => {
  expect(permissionsOf('COORDINATOR', [{ studyId: 'a', role: 'ADMIN' }])('site.manage')).toBe(false);
  expect(permissionsOf('COORDINATOR', [{ studyId: 'a', role: 'MONITOR' }])('message.send', 'a')).toBe(false);
  expect(permissionsOf('ADMIN', [])('study.reopen', 'a')).toBe(true);
});

it('uses the study role for devices of a study, and the account role for devices of the site', () => {
  const can = permissionsOf('COORDINATOR', [{ studyId: 'a', role: 'MONITOR' }]);
  expect(can('device.pair')).toBe(true);
  expect(can('device.pair', 'a')).toBe(false);
  expect(can('device.pair', 'b')).toBe(false);
  expect(permissionsOf('MONITOR', [{ studyId: 'a', role: 'COORDINATOR' }])('device.pair')).toBe(false);
});

it('forbids changes in a complete or archived study, except to its lifecycle', () => {
  const study = { id: 'a', isArchived: false, lifecycleState: 'COMPLETE' } as Study;
  for (const locked of [study, { ...study, isArchived: true, lifecycleState: 'INITIALIZED' as const }]) {
    const can = permissionsOf('ADMIN', [], [locked]);
    expect(can('subject.create', 'a')).toBe(false);
    expect(can('annotation.write', 'a')).toBe(true);
    expect(can('study.reopen', 'a')).toBe(true);
    expect(can('equipment.assign', 'a')).toBe(true);
    expect(can('subject.create', 'b')).toBe(true);
  }
});
