import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Batch, batchBody, fateOf, type Outgoing, takeBatch } from './batch.ts';
import { bestOffset, offsetOf } from './clock-offset.ts';
import { consequenceOf } from './problems.ts';
import { isSignInLink, readSignInLink } from './sign-in-link.ts';

const EXPIRY_S = 1_768_500_000;
const web = `https://192.168.1.20:8481/phone#1&s=site-1&n=Harbour%20Clinic&t=ABCDEFGHIJ&e=${EXPIRY_S}`;
const fingerprint = 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k';
const program = `outpost://sign-in/1#s=site-1&n=Harbour&t=ABC&e=${EXPIRY_S}&f=${fingerprint}&a=https%3A%2F%2F10.0.0.1%3A8481`;

describe('the code of a sign-in', () => {
  it('is read in the form for browsers, with and without a slash', () => {
    for (const link of [web, web.replace('/phone#', '/phone/#'), ` ${web}\n`]) {
      expect(readSignInLink(link)).toEqual({
        token: 'ABCDEFGHIJ',
        siteId: 'site-1',
        siteName: 'Harbour Clinic',
        expiresTs: EXPIRY_S * 1000,
        fingerprint: '',
        urls: ['https://192.168.1.20:8481'],
      });
    }
  });

  it('is read in the form for programs that pin', () => {
    expect(readSignInLink(program)).toMatchObject({
      token: 'ABC',
      fingerprint: 'abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789',
      urls: ['https://10.0.0.1:8481'],
    });
  });

  it.each([
    ['https://example.org/', 'NOT_A_SIGN_IN_CODE'],
    ['', 'NOT_A_SIGN_IN_CODE'],
    ['outpost://pair/1#s=1', 'NOT_A_SIGN_IN_CODE'],
    [web.replace('&t=ABCDEFGHIJ', ''), 'NOT_A_SIGN_IN_CODE'],
    [web.replace('#1&', '#/today'), 'NOT_A_SIGN_IN_CODE'],
    [web.replace('#1&', '#2&'), 'CODE_VERSION'],
    [program.replace('/1#', '/2#'), 'CODE_VERSION'],
    [program.replace(/&a=.*/, ''), 'CODE_WITHOUT_ADDRESS'],
    [program.replace(fingerprint, 'short'), 'CODE_WITHOUT_ADDRESS'],
  ])('refuses %s', (link, code) => {
    expect(() => readSignInLink(link)).toThrow(expect.objectContaining({ code }));
  });

  it('is too old only by a clock that is given', () => {
    const nowMs = EXPIRY_S * 1000 + 1;
    expect(() => readSignInLink(web, nowMs)).toThrow(expect.objectContaining({ code: 'CODE_EXPIRED' }));
    expect(readSignInLink(web, nowMs - 1).token).toBe('ABCDEFGHIJ');
    expect([web, program, 'https://x/phone', 'ABC'].map(isSignInLink)).toEqual([true, true, false, false]);
  });
});

const item = (id: string, kind: Outgoing['kind'] = 'REPORT', bytes = 2): Outgoing => ({
  id,
  kind,
  json: JSON.stringify('x'.repeat(bytes - 2)),
});
const idsOf = ({ reports, messages, reads }: Batch) => [...reports, ...messages, ...reads].map(({ id }) => id);

describe('a batch', () => {
  it('holds no more items and bytes than the call allows, and at least one', () => {
    const limits = { reports: 2, messages: 1, readIds: 2, bytes: 1000 };
    expect(idsOf(takeBatch([item('a'), item('b'), item('c')], limits))).toEqual(['a', 'b']);
    expect(idsOf(takeBatch([item('a', 'REPORT', 300), item('b', 'MESSAGE', 300)], limits))).toEqual(['a']);
    expect(idsOf(takeBatch([item('a', 'MESSAGE', 3000), item('b')], limits))).toEqual(['a']);
    expect(idsOf(takeBatch([], limits))).toEqual([]);
  });

  it('takes everything in order, whatever the sizes', () => {
    const kinds = fc.constantFrom('REPORT' as const, 'MESSAGE' as const, 'READ' as const);
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, fc.integer({ min: 2, max: 900 })), { maxLength: 40 }), (drawn) => {
        let waiting = drawn.map(([kind, bytes], index) => item(String(index), kind, bytes));
        const limits = { reports: 3, messages: 2, readIds: 2, bytes: 1500 };
        const sent: string[] = [];
        while (waiting.length > 0) {
          const batch = takeBatch(waiting, limits);
          const ids = new Set(idsOf(batch));
          expect(ids.size).toBeGreaterThan(0);
          const body = batchBody(batch, { clockTs: 1 });
          if (ids.size > 1) expect(body.length).toBeLessThanOrEqual(limits.bytes);
          // A batch is a beginning of the queue.
          expect(new Set(waiting.slice(0, ids.size).map(({ id }) => id))).toEqual(ids);
          sent.push(...waiting.slice(0, ids.size).map(({ id }) => id));
          waiting = waiting.filter(({ id }) => !ids.has(id));
        }
        expect(sent).toEqual(drawn.map((_, index) => String(index)));
      }),
      { seed: 16 },
    );
  });

  it('is the body of the call, with the very text of its items', () => {
    const odd = { id: 'a', kind: 'REPORT', json: '{"id":"a", "value":1.0}' } as const;
    const body = batchBody(
      { reports: [odd], messages: [], reads: [item('m1', 'READ')] },
      { clockTs: 5, batteryPercent: 80 },
    );
    expect(body).toContain(odd.json);
    expect(JSON.parse(body)).toEqual({
      clockTs: 5,
      batteryPercent: 80,
      reports: [{ id: 'a', value: 1 }],
      messages: [],
      readIds: ['m1'],
    });
  });

  it.each([
    [{ state: 'STORED' }, 'GONE'],
    [{ state: 'KNOWN' }, 'GONE'],
    [{ state: 'REFUSED', permanent: true }, 'REFUSED'],
    [{ state: 'REFUSED', permanent: false }, 'STAYS'],
    [{ state: 'REFUSED' }, 'STAYS'],
  ] as const)('with the outcome %o', (outcome, fate) => {
    expect(fateOf({ id: 'a', ...outcome })).toBe(fate);
  });
});

it.each([
  ['DEVICE_REVOKED', 'WIPE'],
  ['SUBJECT_ERASED', 'WIPE'],
  ['UNAUTHORIZED', 'STOP'],
  ['FORBIDDEN', 'STOP'],
  ['DEVICE_WRONG_SITE', 'STOP'],
  ['THROTTLED', 'LATER'],
  ['INTERNAL', 'LATER'],
  ['UNREACHABLE', 'LATER'],
])('%s means %s', (code, consequence) => {
  expect(consequenceOf(code)).toBe(consequence);
});

describe('the offset of a clock', () => {
  it('is within its uncertainty, however unequal the two ways are', () => {
    const ms = fc.integer({ min: 0, max: 5000 });
    fc.assert(
      fc.property(fc.integer({ min: -1e10, max: 1e10 }), ms, ms, ms, (aheadMs, there, inside, back) => {
        const sentMs = 1.7e12;
        const receivedTs = sentMs + aheadMs + there;
        const serverTs = receivedTs + inside;
        const sample = offsetOf({ sentMs, receivedTs, serverTs, arrivedMs: sentMs + there + inside + back })!;
        expect(Math.abs(sample.offsetMs - aheadMs)).toBeLessThanOrEqual(sample.uncertaintyMs + 1);
        expect(sample.uncertaintyMs).toBe(Math.max(1, Math.ceil((there + back) / 2)));
      }),
      { seed: 16 },
    );
  });

  it('is not taken from a call during which a clock was set', () => {
    expect(offsetOf({ sentMs: 1000, receivedTs: 1000, serverTs: 1100, arrivedMs: 900 })).toBeUndefined();
    expect(offsetOf({ sentMs: 1000, receivedTs: 1000, serverTs: 900, arrivedMs: 1100 })).toBeUndefined();
  });

  it('is the one with the shortest way until the drift has made it worse than a new one', () => {
    const good = { offsetMs: 10, uncertaintyMs: 5, atMs: 0 };
    const slow = { offsetMs: 40, uncertaintyMs: 50, atMs: 1_000_000 };
    expect(bestOffset([good, slow], 100_000)?.offsetMs).toBe(10);
    expect(bestOffset([good, slow], 1_000_000)?.offsetMs).toBe(40);
    expect(bestOffset([], 0)).toBeUndefined();
  });
});
