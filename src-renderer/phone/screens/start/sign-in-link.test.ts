import { expect, it } from 'vitest';
import { groupedToken, isWholeToken, readSignInLink } from './sign-in-link.ts';

it('reads the link of the desk', () => {
  const text = 'https://192.168.1.20:8481/phone#1&s=abc&n=Lakeside%20Clinic&t=ABCDEFGHJKLMNPQRST23&e=1795000000';
  expect(readSignInLink(text)).toEqual({ text, siteName: 'Lakeside Clinic', expiresTs: 1_795_000_000_000 });
});

it.each(['https://192.168.1.20:8481/phone#/today', 'https://example.org', '#1&s=abc', 'outpost://pair/1#t=x'])(
  'reads no sign-in from %s',
  (text) => {
    expect(readSignInLink(text)).toBeUndefined();
  },
);

it('groups a code as it is typed, in any case and width', () => {
  expect(groupedToken('abcd efgh-jk')).toBe('ABCD-EFGH-JK');
  expect(groupedToken('ＡＢＣＤ１')).toBe('ABCD-1');
  expect(groupedToken('a'.repeat(30))).toBe('AAAA-AAAA-AAAA-AAAA-AAAA');
  expect(isWholeToken('ABCD-EFGH')).toBe(false);
  expect(isWholeToken('ABCD-EFGH-JKLM-NPQR-ST23')).toBe(true);
});
