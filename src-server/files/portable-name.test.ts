import { expect, it } from 'vitest';
import { fileNameKey, portableName } from './portable-name.ts';

it.each([
  ['night 1.edf', 'night 1.edf'],
  ['記録 2026年.edf', '記録 2026年.edf'],
  ['O’Neill & söhne (2).csv', 'O’Neill & söhne (2).csv'],
  // What Polar's app calls a file, as a Mac keeps it.
  ['ECG 10:30:00.txt', 'ECG 10-30-00.txt'],
  ['a<b>c"d|e?f*.csv', 'a-b-c-d-e-f-.csv'],
  // A stream of another file on NTFS.
  ['night.edf:hidden', 'night.edf-hidden'],
  ['..\\..\\site.db', '-..-site.db'],
  ['C:\\night.edf', 'C--night.edf'],
  ['nul', '_nul'],
  ['NUL.edf', '_NUL.edf'],
  ['con .tar.gz', '_con .tar.gz'],
  ['COM1.cwa', '_COM1.cwa'],
  ['LPT¹', '_LPT¹'],
  ['CONIN$', '_CONIN$'],
  ['console.edf', 'console.edf'],
  ['com10.edf', 'com10.edf'],
  // Windows drops these without a word, and then finds another file.
  ['night.edf. . ', 'night.edf'],
  ['.hidden', 'hidden'],
  ['...', ''],
  ['', ''],
  ['exe.\u202efde', 'exe.-fde'],
  ['a\u0000b\nc', 'a-b-c'],
])('%j is kept as %j', (name, kept) => {
  expect(portableName(name)).toBe(kept);
  expect(portableName(kept)).toBe(kept);
});

it('shortens by bytes and keeps the extension', () => {
  const name = portableName(`${'記'.repeat(200)}.edf`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(220);
  expect(name).toMatch(/^記{72}\.edf$/);
});

it('finds the same file on systems that ignore case, and two forms of one letter', () => {
  expect(fileNameKey('Night.EDF')).toBe(fileNameKey('night.edf'));
  expect(fileNameKey('n\u00e4ch.edf')).toBe(fileNameKey('na\u0308ch.edf'));
});
