import { expect, it } from 'vitest';
import { SecretBox } from './sealed-text.ts';

const box = new SecretBox(new Uint8Array(32).fill(1));

it('opens what it sealed, and seals the same text differently each time', () => {
  for (const text of ['', 'pässwörd 🔒', 'x'.repeat(5000)]) {
    const sealed = box.seal(text);
    expect(box.open(sealed)).toBe(text);
    expect(sealed).not.toBe(box.seal(text));
    if (text) expect(Buffer.from(sealed.slice(3), 'base64').toString('utf8')).not.toContain(text);
  }
});

it('does not open text of another site, changed text or other text', () => {
  const sealed = box.seal('secret');
  expect(new SecretBox(new Uint8Array(32).fill(2)).open(sealed)).toBeUndefined();
  const changed = Buffer.from(sealed.slice(3), 'base64');
  changed[14]! ^= 1;
  expect(box.open(`v1.${changed.toString('base64')}`)).toBeUndefined();
  for (const text of ['', 'v1.', 'v1.AAAA', 'secret']) expect(box.open(text)).toBeUndefined();
});
