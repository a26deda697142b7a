import { expect, test } from 'vitest';
import { lostIn } from './older-package.ts';

test('names what a later answer lost, and allows what it adds', () => {
  const before = { recordings: [{ id: 'a', channels: ['x', 'y'] }], note: null };
  expect(lostIn(before, { recordings: [{ id: 'a', channels: ['x', 'y'], added: 1 }], note: null, more: [] })).toEqual(
    [],
  );
  expect(lostIn(before, { recordings: [{ id: 'b', channels: ['x'] }] })).toEqual([
    '.recordings[0].id: "a" became "b"',
    '.recordings[0].channels: not the same number',
    '.note: null became undefined',
  ]);
});
