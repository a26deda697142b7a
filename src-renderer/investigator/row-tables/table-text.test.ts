import { expect, it } from 'vitest';
import { tableText } from './table-text.ts';

it.each([
  ['UTF-8', 'en', [0xef, 0xbb, 0xbf, 0x4e, 0xc3, 0xa9], 'Né'],
  ['UTF-16 as Excel saves "Unicode text"', 'en', [0xff, 0xfe, 0x4e, 0x00, 0xe9, 0x00], 'Né'],
  ['big-endian UTF-16', 'en', [0xfe, 0xff, 0x00, 0x4e, 0x00, 0xe9], 'Né'],
  ['the code page of western Windows', 'en', [0x4e, 0xe9], 'Né'],
  ['the code page of Japanese Windows', 'ja', [0x96, 0xbc, 0x91, 0x4f], '名前'],
])('decodes %s', (_name, language, bytes, text) => {
  expect(tableText(Uint8Array.from(bytes), language)).toBe(text);
});
