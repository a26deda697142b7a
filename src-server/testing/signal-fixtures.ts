/** Small recordings for tests of anything that reads or writes signals. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SampleArray, SignalChannel, SignalHeader, SignalPage } from '../signals/types.ts';

/** Uniform random numbers in [0, 1) from a seed (mulberry32, public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A new folder under the system's temporary one; `remove` when done. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'outpost-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function channelOf(type: string, dimensions: string[], rateHz: number, sampleBits: 16 | 32 = 16): SignalChannel {
  return {
    type,
    dimensions,
    unit: type === 'ACCEL' ? 'g' : 'V',
    nominalRateHz: rateHz,
    scale: dimensions.map(() => 0.001),
    offset: dimensions.map(() => 0),
    sampleBits,
  };
}

export function headerOf(channels: SignalChannel[]): SignalHeader {
  return {
    version: 1,
    recordingId: '0190a5c2-0000-7000-8000-000000000001',
    deviceRecordingId: 7,
    udid: 'd5la7xna',
    hardwareId: 'BRCS02',
    firmwareId: '1.0',
    physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE' },
    sensorConfig: { sensingType: 'MPU_ANALOG' },
    channels,
    syncPoints: [],
    source: { format: 'test', fileName: 'test', sha256: '' },
  };
}

/** Random-walk pages of every channel, with drifting periods, gaps, and time residuals on every third page. */
export function randomPages(channels: SignalChannel[], pagesPerChannel: number, random: () => number): SignalPage[] {
  const nextUs = channels.map(() => 1_600_000_000_000_000);
  const pages: SignalPage[] = [];
  for (let i = 0; i < pagesPerChannel * channels.length; i++) {
    const channel = i % channels.length;
    const { dimensions, sampleBits, nominalRateHz } = channels[channel]!;
    const count = 1 + Math.floor(random() * 400);
    const periodUs = (1e6 / nominalRateHz) * (0.98 + 0.04 * random());
    const startUs = nextUs[channel]! + (random() < 0.3 ? Math.floor(random() * 1e8) : 0);
    const columns = dimensions.map(() => randomColumn(count, sampleBits, random));
    const page: SignalPage = { channel, startUs, periodUs, count, columns };
    if (i % 3 === 2)
      page.timeResidualsUs = Int32Array.from({ length: count }, () => Math.floor(random() * periodUs * 0.5));
    nextUs[channel] = Math.ceil(startUs + count * periodUs + periodUs);
    pages.push(page);
  }
  return pages;
}

/** Noise, walks, constants, ramps and extremes, in turn by chance. */
export function randomColumn(count: number, sampleBits: 16 | 32, random: () => number): SampleArray {
  const column = sampleBits === 16 ? new Int16Array(count) : new Int32Array(count);
  const top = 2 ** (sampleBits - 1);
  const kind = Math.floor(random() * 6);
  const level = Math.floor((random() * 2 - 1) * top);
  const slope = Math.floor(random() * 9) - 4;
  let value = level;
  for (let i = 0; i < count; i++) {
    if (kind === 0) value = Math.floor((random() * 2 - 1) * top);
    else if (kind === 1) value += Math.floor(random() * 21) - 10;
    else if (kind === 2) value = level;
    else if (kind === 3) value += slope;
    else if (kind === 4) value = random() < 0.5 ? -top : top - 1;
    else value += Math.floor((random() - 0.5) * 2 ** Math.floor(random() * (sampleBits - 1)));
    column[i] = value;
  }
  return column;
}
