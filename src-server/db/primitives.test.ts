import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../files/content-hash.ts';
import { canonicalJson, changesBetween } from '../study/changes.ts';
import { foldText, nameKeyOf } from '../study/text.ts';
import { decodeArrays, encodeArrays } from './array-codec.ts';
import { hashToken, isPasswordLengthAllowed, newAccessToken, sameHash } from './credentials.ts';
import { guardParameters } from './dialect.ts';
import { auditHash } from './session.ts';

describe('stored arrays', () => {
  it('have one bit pattern for NaN and leave the input unchanged', () => {
    for (const [plain, odd] of [
      [new Float32Array([1.5, Number.NaN, -2]), new Float32Array([1.5, 0, -2])],
      [new Float64Array([1.5, Number.NaN, -2]), new Float64Array([1.5, 0, -2])],
    ] as const) {
      const bytes = new Uint8Array(odd.buffer);
      const width = odd.BYTES_PER_ELEMENT;
      bytes.set(width === 4 ? [1, 0, 0xc0, 0xff] : [7, 0, 0, 0, 1, 0, 0xf8, 0xff], width);
      const before = bytes.slice();
      expect(odd[1]).toBeNaN();
      expect(encodeArrays({ odd })).toEqual(encodeArrays({ odd: plain }));
      expect(bytes).toEqual(before);
      expect(decodeArrays(encodeArrays({ odd }))).toEqual({ odd: plain });
    }
  });

  const tree = {
    name: 'night',
    list: [{ beats: new Float64Array([1.5, Number.NaN, -0]) }, null],
    flags: new Uint8Array([1, 0, 255]),
    counts: new Int32Array([-5, 7]),
    level: new Float32Array(0),
    part: new Int16Array([9, 1, 2, 9]).subarray(1, 3),
  };

  it('round-trip unchanged and encode to the same bytes each time', () => {
    const bytes = encodeArrays(tree);
    expect(decodeArrays(bytes)).toEqual({ ...tree, part: new Int16Array([1, 2]) });
    expect(Buffer.compare(encodeArrays(tree), bytes)).toBe(0);
    expect(() => encodeArrays({ big: new BigInt64Array(1) })).toThrow(TypeError);
  });

  it('never decode to other values when a byte is damaged', () => {
    const bytes = encodeArrays(tree);
    const whole = decodeArrays(bytes);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Uint8Array.from(bytes);
      damaged[at]! ^= 0x10;
      let decoded: unknown;
      try {
        decoded = decodeArrays(damaged);
      } catch (thrown) {
        expect(thrown, `byte ${at}`).toMatchObject({ code: 'SITE_CORRUPT' });
        continue;
      }
      // zstd's frame header has one unused bit.
      expect(decoded, `byte ${at}`).toEqual(whole);
    }
    expect(() => decodeArrays(bytes.subarray(0, bytes.length - 3))).toThrow();
  });
});

describe('bound parameters', () => {
  it('must be values that SQLite stores unchanged', () => {
    expect(() => guardParameters(['a', 1.5, 1n, null, new Uint8Array(1)])).not.toThrow();
    for (const value of [undefined, true, new Date(), Number.NaN, Number.POSITIVE_INFINITY, {}, [1]]) {
      expect(() => guardParameters(['x', value])).toThrow(/parameter 2/);
    }
  });
});

describe('the audit hash', () => {
  const row = {
    sequence: 2,
    timeTs: 5,
    actorType: 'USER' as const,
    actorId: 'u',
    action: 'a',
    entityType: 'study',
    entityId: 's',
    studyId: null,
    subjectId: null,
    reason: null,
    changes: '{}',
    previousHash: '0'.repeat(64),
  };

  it('depends on every member and not on their order', () => {
    const hash = auditHash(row);
    expect(auditHash(Object.fromEntries(Object.entries(row).reverse()) as typeof row)).toBe(hash);
    for (const name of Object.keys(row) as (keyof typeof row)[]) {
      expect(auditHash({ ...row, [name]: `${String(row[name])}1` } as typeof row), name).not.toBe(hash);
    }
  });

  it('uses canonical JSON', () => {
    const { previousHash, ...content } = row;
    for (const odd of [
      content,
      { ...content, reason: 'é "quoted" \n', actorId: undefined as unknown as null, timeTs: -0.5 },
    ]) {
      expect(auditHash({ previousHash, ...odd })).toBe(sha256Hex(previousHash + canonicalJson(odd)));
    }
    expect(canonicalJson({ b: [1, { d: undefined, c: 'é' }], a: null })).toBe('{"a":null,"b":[1,{"c":"é"}]}');
    expect(changesBetween({ a: 1, b: { x: 1 } }, { a: 1, b: { x: 2 }, c: undefined, d: 3 })).toEqual({
      b: { old: { x: 1 }, new: { x: 2 } },
      d: { old: null, new: 3 },
    });
  });
});

describe('text and secrets', () => {
  it('fold case and composition in every script, and names only composition', () => {
    expect(foldText('STRAßE')).toBe(foldText('strasse'));
    expect(foldText('ÅNGSTRÖM')).toBe(foldText('a\u030angstro\u0308m'));
    expect(foldText('ｶﾅ')).toBe(foldText('カナ'));
    expect(nameKeyOf(' Zoe\u0308 ')).toBe(nameKeyOf('Zoë'));
    expect(nameKeyOf('zoë')).not.toBe(nameKeyOf('Zoë'));
  });

  it('count the characters of a password and compare whole hashes', () => {
    expect(['1234567', '12345678', '💓'.repeat(64), 'x'.repeat(65)].map(isPasswordLengthAllowed)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const token = newAccessToken();
    expect(Buffer.from(token, 'base64')).toHaveLength(12);
    expect(sameHash(hashToken(token), hashToken(token))).toBe(true);
    expect(sameHash(hashToken(token), hashToken(`${token} `))).toBe(false);
  });
});
