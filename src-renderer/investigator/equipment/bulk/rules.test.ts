import { expect, it } from 'vitest';
import { printedIds, printedItems, takeBackRefusal } from './rules.ts';

const holder = (subjectId: string, studyId = 's') => ({
  ...{ studyId, subjectId, subjectName: subjectId, studyName: studyId, sinceTs: 0 },
});
const held = (subjectId: string, studyId?: string) => ({
  state: 'ASSIGNED' as const,
  holder: holder(subjectId, studyId),
});
const can = (_: string, studyId?: string) => studyId === 's';

it('takes back only what the confirmed subject still holds, in a study of the person', () => {
  expect(takeBackRefusal(held('a'), held('a'), can)).toBeUndefined();
  expect(takeBackRefusal(held('a'), { state: 'UNASSIGNED' }, can)).toBe('notHandedOut');
  expect(takeBackRefusal(held('a'), held('b'), can)).toBe('otherHolder');
  expect(takeBackRefusal(held('a'), { state: 'ASSIGNED' }, can)).toBe('otherStudy');
  expect(takeBackRefusal(held('a', 'x'), held('a', 'x'), can)).toBe('otherStudy');
  expect(takeBackRefusal(held('a'), undefined, can)).toBe('gone');
});

it('prints the selected items, whatever their serial numbers contain', () => {
  const items = [{ id: 'A,1' }, { id: 'A' }, { id: '1' }, { id: '日本' }];
  const printed = printedIds(['A,1', '日本']);
  expect(printedItems(items, printed ?? '')).toEqual([{ id: 'A,1' }, { id: '日本' }]);
  expect(printedIds([])).toBeUndefined();
  expect(printedIds(Array.from({ length: 500 }, (_, index) => `SERIAL-${index}`))).toBeUndefined();
});
