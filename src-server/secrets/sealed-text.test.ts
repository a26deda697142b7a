import { expect, it } from 'vitest';
import { SecretBox } from './sealed-text.ts';

const box = new SecretBox(new Uint8Array(32).fill(1));

it('gives back what it sealed, differently each time', () => {
  for (const text of ['', 'pässwörd 🔒', 'x'.repeat(5000)]) {
    const sealed = box.seal(text);
    expect(box.open(sealed)).toBe(text);
    expect(sealed).not.toBe(box.seal(text));
    if (text) expect(Buffer.from(sealed.slice(3), 'base64').toString('utf8')).not.toContain(text);
  }
});

it('opens nothing of another site, nothing changed and nothing foreign', () => {
  const sealed = box.seal('secret');
  expect(new SecretBox(new Uint8Array(32).fill(2)).open(sealed)).toBeUndefined();
  const changed = Buffer.from(sealed.slice(3), 'base64');
  changed[14]! ^= 1;
  expect(box.open(`v1.${changed.toString('base64')}`)).toBeUndefined();
  for (const text of ['', 'v1.', 'v1.AAAA', 'secret']) expect(box.open(text)).toBeUndefined();
});
