import { expect, test } from 'vitest';
import { bitsOfPassphrase, type Strength, strengthOf, suggestPassphrase } from './strength.ts';

test.each<[string, Strength]>([
  ['', 'short'],
  ['short one', 'short'],
  ['aaaaaaaaaaaaaaaa', 'weak'],
  ['1234567890', 'weak'],
  ['qwertyuiop', 'weak'],
  ['password2026', 'weak'],
  ['Outpost backup 2026', 'weak'],
  ['Outpost-Outpost-Outpost-Outpost', 'weak'],
  ['horse battery', 'weak'],
  ['correct horse battery staple', 'fair'],
  ['correct horse battery staple lantern quiet', 'strong'],
  ['Tr0ub4dor&3', 'weak'],
  ['Tr0ub4dor&3xQ!9pL', 'fair'],
  ['朝の電車で読む青い本と鉛筆', 'strong'],
])('finds %j %s', (passphrase, strength) => {
  expect(strengthOf(passphrase)).toBe(strength);
});

test('never finds a longer passphrase weaker', () => {
  const text = 'correct horse battery staple 42!';
  for (let length = 1; length < text.length; length++) {
    const [shorter, longer] = [text.slice(0, length), text.slice(0, length + 1)];
    // A run or a common word costs at most what it replaces.
    expect(bitsOfPassphrase(longer)).toBeGreaterThanOrEqual(bitsOfPassphrase(shorter) - 9);
  }
});

test('suggests a strong passphrase without letters that look alike, another one each time', () => {
  const suggested = Array.from({ length: 50 }, suggestPassphrase);
  expect(new Set(suggested).size).toBe(50);
  for (const passphrase of suggested) {
    expect(passphrase).toMatch(/^(?:[A-HJ-NP-Z2-9]{5}-){4}[A-HJ-NP-Z2-9]{5}$/);
    expect(strengthOf(passphrase)).toBe('strong');
  }
});
