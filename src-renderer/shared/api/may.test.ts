import { expect, it } from 'vitest';
import { mayOf } from './may.ts';

it('goes by the role in the study, not by the one in the account', () => {
  const may = mayOf('MONITOR', [
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
  expect(mayOf('COORDINATOR', [{ studyId: 'a', role: 'ADMIN' }])('site.manage')).toBe(false);
  expect(mayOf('COORDINATOR', [{ studyId: 'a', role: 'MONITOR' }])('message.send', 'a')).toBe(false);
  expect(mayOf('ADMIN', [])('study.reopen', 'a')).toBe(true);
});
