import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelOf, headerOf, randomPages, seededRandom, temporaryFolder } from '../../testing/signal-fixtures.ts';
import {
  buildOverview,
  createSignalFile,
  isCurrentOverview,
  OverviewBuilder,
  overviewPath,
  readOverview,
  sampleTimesUs,
  writeOverview,
} from '../index.ts';
import type { SignalPage } from '../types.ts';

const channels = [channelOf('ECG', ['v'], 250), channelOf('ACCEL', ['x', 'y', 'z'], 31.25, 32)];
const folder = temporaryFolder();
const path = join(folder.path, 'a.sig');
const pages = randomPages(channels, 150, seededRandom(4));
let sha256 = '';
let startUs = 0;
let stopUs = 0;
let alongside: Buffer;

beforeAll(async () => {
  const writer = await createSignalFile(path, headerOf(channels));
  const builder = new OverviewBuilder(channels);
  for (const page of pages) {
    await writer.append(page);
    builder.add(page);
  }
  ({ sha256, startUs, stopUs } = await writer.finish());
  await writeOverview(overviewPath(path), builder, sha256);
  alongside = readFileSync(overviewPath(path));
});
afterAll(() => folder.remove());

it('holds no more of a block than its bytes: those of weeks wait for the end of the recording', () => {
  const builder = new OverviewBuilder(channels);
  for (const page of pages) builder.add(page);
  const parts = builder.finish().flatMap((block) => block.parts);
  expect(parts.length).toBeGreaterThan(0);
  expect(parts.filter(({ byteLength, buffer }) => byteLength !== buffer.byteLength)).toEqual([]);
});

/** Bins counted sample by sample. */
function reference(channel: number, dimension: number, binUs: number) {
  const bins = new Map<number, { count: number; minimum: number; maximum: number }>();
  for (const page of pages.filter((one: SignalPage) => one.channel === channel)) {
    const column = page.columns[dimension]!;
    sampleTimesUs(page).forEach((time, i) => {
      const key = Math.floor(time / binUs);
      const bin = bins.get(key) ?? { count: 0, minimum: Infinity, maximum: -Infinity };
      bin.count += 1;
      bin.minimum = Math.min(bin.minimum, column[i]!);
      bin.maximum = Math.max(bin.maximum, column[i]!);
      bins.set(key, bin);
    });
  }
  return bins;
}

describe('the overview', () => {
  it.each([1, 7, 100, 500, 3000, 50_000])(
    'with at most %i bins has the extremes of every sample, gaps as empty bins',
    async (maxBins) => {
      for (const [channel, dimension] of [
        [0, 0],
        [1, 2],
      ] as const) {
        const bins = await readOverview(path, channel, startUs, stopUs, maxBins, sha256);
        expect(bins.sampleCounts.length).toBeLessThanOrEqual(maxBins);
        const wanted = reference(channel, dimension, bins.binUs);
        let filled = 0;
        bins.sampleCounts.forEach((count, i) => {
          const bin = wanted.get(bins.startUs / bins.binUs + i);
          expect(count).toBe(bin?.count ?? 0);
          if (!bin) return;
          filled += 1;
          expect([bins.minima[dimension]?.[i], bins.maxima[dimension]?.[i]]).toEqual([bin.minimum, bin.maximum]);
        });
        expect(filled).toBe(wanted.size);
      }
    },
  );

  it('is byte-identical whether built afterwards or while writing, regardless of channel order', async () => {
    await buildOverview(path);
    expect(readFileSync(overviewPath(path))).toEqual(alongside);
    const builder = new OverviewBuilder(channels);
    for (const channel of [1, 0]) for (const page of pages) if (page.channel === channel) builder.add(page);
    await writeOverview(overviewPath(path), builder, sha256);
    expect(readFileSync(overviewPath(path))).toEqual(alongside);
    expect(readdirSync(folder.path).sort()).toEqual(['a.overview', 'a.sig']);
  });

  it('is rebuilt when missing, damaged or of another file', async () => {
    const sidecar = overviewPath(path);
    const read = () => readOverview(path, 0, startUs, stopUs, 500, sha256);
    const wanted = await read();
    rmSync(sidecar);
    expect(await read()).toEqual(wanted);
    expect(existsSync(sidecar)).toBe(true);
    for (const place of [5, 60, 400, Math.floor(alongside.length / 2), alongside.length - 10]) {
      const damaged = Buffer.from(alongside);
      damaged[place]! ^= 16;
      writeFileSync(sidecar, damaged);
      expect(await isCurrentOverview(sidecar, sha256), `byte ${place}`).toBe(false);
      expect(await read(), `byte ${place}`).toEqual(wanted);
    }
    await writeOverview(sidecar, new OverviewBuilder(channels), '0'.repeat(64));
    expect(await read()).toEqual(wanted);
    await buildOverview(path);
    expect(await isCurrentOverview(sidecar, sha256)).toBe(true);
    expect(readFileSync(sidecar)).toEqual(alongside);
  });

  it('refuses impossible ranges and sizes', async () => {
    await expect(readOverview(path, 0, 10, 5, 100)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(readOverview(path, 0, 0, 5, 0)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(readOverview(path, 0, 0, 5, 1e9)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(readOverview(path, 9, 0, 5, 100)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
