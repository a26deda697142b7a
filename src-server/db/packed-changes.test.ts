import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson, changesFromNothing } from '../study/changes.ts';
import { packChanges, unpackChanges } from './packed-changes.ts';

const recording = changesFromNothing({
  contentSha256: createHash('sha256').update('a').digest('hex'),
  deviceConfigId: '01a205aa-d9ff-70e4-bb23-bfd795a2d297',
  id: '019c5e67-f060-793c-86f5-594afa272cec',
  physicalConfig: { location: 'ANTERIOR_THIGH', side: 'LEFT' },
  sensorConfig: { afe: { gain: 6, rate: 250 }, gyro: { mode: 'ACCEL', periodMs: 32 }, sensingType: 'MPU_ANALOG' },
  sha256: createHash('sha256').update('b').digest('hex'),
  sizeBytes: 1151,
  sourceFileName: '019c5e67-f060-793c-86f5-594afa272cec.sig',
  startUs: 1771110396000000,
  stopUs: 1771153596000000,
  studyId: '01a205aa-d9fb-729f-b8d6-0b29e7611b68',
  subjectId: '019728c9-c000-79b5-87ce-729e74406fd7',
  udid: 'F0:D6:BC:AA:8C:F0',
});

/** The changes of this recording as the first version packed them: a change of the dictionary or of the form would lose stored entries. */
const PACKED_BEFORE =
  'Ac3UTWoDMQwF4Lt0b5As2ZJml6bNqpeQZfkWuXuZFgqlmf6QTffigR5873C9wk0UsYbjGDN8eVTCQeaVZvB00Z5rKbIEp9RhCiLafGWyjnHnPMmNJYiWXcqCDkWMomhfrTRjX16lRr4Vcw/7l+fLu/r/IYyyUip2ALL9TSI1Xr11ThxIe8tTHEB1cg32GEKZnrNZANg8EIYNv+f1Y88fvL7oEUQEsn6sRxAbtU8Xf9ejv9NjoxWVyD0khRn6mnJTz1PfHs/b6bTpebvAw/X6Cg==';

describe('packed changes', () => {
  it('of a recording take a third of the bytes and are the same text again', () => {
    const json = canonicalJson(recording);
    const stored = packChanges(json);
    expect(stored.changes).toBe('{}');
    expect(stored.packedChanges!.length).toBeLessThan(json.length / 3);
    expect(unpackChanges(stored)).toBe(json);
  });

  it('that an earlier version packed are still read', () => {
    const stored = { changes: '{}', packedChanges: Buffer.from(PACKED_BEFORE, 'base64') };
    expect(unpackChanges(stored)).toBe(canonicalJson(recording));
  });

  it('keep every character, and leave short, very long and incompressible text as it is', () => {
    for (const text of [
      '{}',
      '{"a":{"new":1}}',
      JSON.stringify({ a: 'é漢\u{1F493}'.repeat(90) }),
      `"${'x'.repeat(3 << 20)}"`,
    ]) {
      expect(unpackChanges(packChanges(text)) === text, text.slice(0, 20)).toBe(true);
    }
    expect(packChanges('{"a":{"new":1}}')).toEqual({ changes: '{"a":{"new":1}}', packedChanges: null });
    expect(packChanges(`"${'x'.repeat(3 << 20)}"`).packedChanges).toBeNull();
    const random = Array.from({ length: 250 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join('');
    expect(unpackChanges(packChanges(random))).toBe(random);
  });

  it.each([
    ['cut', (bytes: Uint8Array) => bytes.subarray(0, bytes.length >> 1)],
    ['of an unknown form', (bytes: Uint8Array) => Uint8Array.of(9, ...bytes.subarray(1))],
    ['empty', () => new Uint8Array(0)],
  ])('that are %s are reported as damage', (_name, damage) => {
    const { packedChanges } = packChanges(canonicalJson(recording));
    expect(() => unpackChanges({ changes: '{}', packedChanges: damage(packedChanges!) })).toThrow(
      /audit trail is damaged/,
    );
  });

  it('beside changes in plain text are damage: only one of them can be what was hashed', () => {
    const { packedChanges } = packChanges(canonicalJson(recording));
    expect(() => unpackChanges({ changes: '{"a":1}', packedChanges })).toThrow(/damaged/);
  });
});
