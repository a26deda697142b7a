import { expect, it } from 'vitest';
import type { ListedSubject } from '../../../../src-server/api/contract/index.ts';
import { groupAfter, replacesGroup } from '../../participation/group-choice.ts';
import { groupRefusal, hideRefusal } from './refusals.ts';

const [a, b, young] = [{ id: 'a' }, { id: 'b' }, { id: 'young' }];
const subject = (given: object) => ({ studyId: 's', isHidden: false, summary: {}, ...given }) as ListedSubject;

it('keeps the stratum of each subject where only the group is chosen', () => {
  const toB = { groupId: 'b', stratumId: undefined };
  expect(groupAfter({ group: a, stratum: young }, toB)).toEqual({ groupId: 'b', stratumId: 'young' });
  expect(groupAfter({}, toB)).toEqual({ groupId: 'b', stratumId: '' });
});

it('needs a reason where a group is replaced or taken away, and none for the first one', () => {
  expect(replacesGroup({}, { groupId: 'b', stratumId: undefined })).toBe(false);
  expect(replacesGroup({ group: a }, { groupId: 'b', stratumId: undefined })).toBe(true);
  expect(replacesGroup({ group: a }, { groupId: '', stratumId: undefined })).toBe(true);
  expect(replacesGroup({ group: b, stratum: young }, { groupId: 'b', stratumId: undefined })).toBe(false);
});

it('refuses subjects that have the group, are of another study or are gone', () => {
  const toB = { groupId: 'b', stratumId: undefined };
  expect(groupRefusal(subject({ summary: { group: b } }), 's', toB)).toBe('sameGroup');
  expect(groupRefusal(subject({ summary: { group: a } }), 's', toB)).toBeUndefined();
  expect(groupRefusal(subject({ studyId: 'other' }), 's', toB)).toBe('otherStudy');
  expect(groupRefusal(undefined, 's', toB)).toBe('gone');
});

it('refuses to hide what is hidden, and to show what shows', () => {
  expect(hideRefusal(subject({ isHidden: true }), true)).toBe('alreadyHidden');
  expect(hideRefusal(subject({ isHidden: false }), false)).toBe('alreadyShown');
  expect(hideRefusal(subject({ isHidden: true }), false)).toBeUndefined();
});
