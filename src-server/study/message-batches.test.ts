import { expect, it } from 'vitest';
import { refusalOf } from './message-batches.ts';

it('writes to subjects who take part, and to no others', () => {
  expect(refusalOf({ isHidden: false, status: undefined })).toBeUndefined();
  expect(refusalOf({ isHidden: false, status: 'ENROLLED' })).toBeUndefined();
  expect(refusalOf({ isHidden: true, status: 'WITHDRAWN' })).toBe('NOT_TAKING_PART');
  expect(refusalOf({ isHidden: false, status: 'NOT_ELIGIBLE' })).toBe('NOT_TAKING_PART');
  expect(refusalOf({ isHidden: true, status: 'COMPLETED' })).toBe('HIDDEN');
  expect(refusalOf(undefined)).toBe('NO_SUBJECT');
});
