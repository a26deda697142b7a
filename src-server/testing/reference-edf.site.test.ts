import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImport } from './import-fixtures.ts';
import { realData } from './real-data.ts';
import { writeReferenceEdf } from './reference-edf.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-reference-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const samplesOf = (json: string, file: string): Int16Array =>
  new Int16Array(new Uint8Array(gunzipSync(readFileSync(join(dirname(json), file)))).buffer);

const ecg = realData('ecg/mitdb-100.json');
const harth = realData('motion/harth/harth-S026.json');

describe.runIf(ecg && harth)('reference recordings as EDF+', () => {
  it('restores an ECG in volts, with its last record padded', async () => {
    const path = join(folder, 'mitdb-100.edf');
    const { padding } = await writeReferenceEdf(ecg as string, path);
    const { channels } = await readImport([path]);
    const original = samplesOf(ecg as string, 'mitdb-100.i16.gz');
    expect(channels[0]!.channel).toMatchObject({ type: 'ECG', unit: 'V', nominalRateHz: 360 });
    expect(channels[0]!.counts[0]!.length).toBe(original.length + padding);
    expect(channels[0]!.counts[0]!.slice(0, original.length)).toEqual([...original]);
    const { gainPerMv, zero } = JSON.parse(readFileSync(ecg as string, 'utf8'));
    expect(channels[0]!.values[0]![0]).toBeCloseTo((original[0]! - zero) / gainPerMv / 1000, 7);
  });

  it('keeps the cuts of a motion recording as gaps', async () => {
    const path = join(folder, 'harth.edf');
    const { segments, padding } = await writeReferenceEdf(harth as string, path, { site: 'thigh' });
    const { channels, format } = await readImport([path]);
    expect(format).toBe('EDF+D');
    expect(padding).toBe(0);
    const original = samplesOf(harth as string, 'harth-S026.thigh.i16.gz');
    expect(channels[0]!.counts[2]).toEqual([...original.filter((_, i) => i % 3 === 2)]);
    expect(channels[0]!.values[0]![0]).toBeCloseTo(original[0]! / 1000, 6);
    for (const { start, startUs } of segments) {
      expect(Math.abs(channels[0]!.timesUs[start]! - startUs)).toBeLessThanOrEqual(1);
    }
    expect(channels[0]!.pageCount).toBeGreaterThanOrEqual(segments.length);
  });
});
