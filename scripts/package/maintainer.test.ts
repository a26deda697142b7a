import { expect, test } from 'vitest';
import { maintainer, NOBODY } from './maintainer.ts';

test('names the person who builds a package, and refuses half an address', () => {
  expect(maintainer({ DEBFULLNAME: 'Robin Marsh', DEBEMAIL: 'robin@clinic.example' })).toBe(
    'Robin Marsh <robin@clinic.example>',
  );
  expect(maintainer({})).toBe(NOBODY);
  for (const wrong of [
    { DEBEMAIL: 'robin@clinic.example' },
    { DEBFULLNAME: 'A\nB', DEBEMAIL: 'a@b.c' },
    { DEBFULLNAME: 'A', DEBEMAIL: 'a' },
  ])
    expect(() => maintainer(wrong)).toThrow('DEBFULLNAME');
});
