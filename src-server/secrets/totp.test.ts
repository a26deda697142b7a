import { describe, expect, it } from 'vitest';
import { base32, matchingStep, newTotpSecret, oneTimePassword, stepAt, totpLink } from './totp.ts';

/** The secret of both RFCs. */
const SECRET = Buffer.from('12345678901234567890');

describe('one-time passwords', () => {
  it('gives the values of RFC 4226, appendix D', () => {
    const values = Array.from({ length: 10 }, (_, counter) => oneTimePassword(SECRET, counter));
    expect(values).toEqual([
      ...['755224', '287082', '359152', '969429', '338314'],
      ...['254676', '287922', '162583', '399871', '520489'],
    ]);
  });

  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('gives the value of RFC 6238, appendix B, at %d s', (seconds, expected) => {
    expect(oneTimePassword(SECRET, stepAt(seconds * 1000), 8)).toBe(expected);
  });

  it('accepts a code of the step before, of this one and of the next, and of no other', () => {
    const nowTs = 1_234_567_890_000;
    const now = stepAt(nowTs);
    const found = [-2, -1, 0, 1, 2].map((away) => matchingStep(SECRET, oneTimePassword(SECRET, now + away), nowTs));
    expect(found).toEqual([undefined, now - 1, now, now + 1, undefined]);
    expect(matchingStep(SECRET, '00000', nowTs)).toBeUndefined();
    expect(matchingStep(SECRET, '', 0)).toBeUndefined();
  });
});

describe('secrets', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('writes %j in base32 as RFC 4648 does, without padding', (text, expected) => {
    expect(base32(Buffer.from(text))).toBe(expected);
  });

  it('have 160 random bits', () => {
    expect(newTotpSecret()).toHaveLength(20);
    expect(base32(newTotpSecret())).not.toBe(base32(newTotpSecret()));
  });

  it('are linked with the issuer and the account, neither of which can break the link', () => {
    const link = new URL(totpLink(SECRET, { issuer: 'Outpost A: B & C', account: 'a+b@example.org' }));
    expect([link.protocol, link.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(link.pathname)).toBe('/Outpost A  B & C:a+b@example.org');
    expect(Object.fromEntries(link.searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Outpost A  B & C',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
