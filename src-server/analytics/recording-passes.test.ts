import { describe, expect, it } from 'vitest';
import { SimulatedWrist } from '../testing/simulated-wrist.ts';
import { memoryStore } from './array-store.ts';
import { type ChannelChunk, RecordingPasses } from './recording-passes.ts';
import { StoredRecording } from './stored-features.ts';

const NOON_MS = Date.UTC(2024, 4, 14, 12);
/** With one night, in which the wearer is still in many postures. */
const HOURS = 20;
const { input, startUs, stopUs } = new SimulatedWrist({
  ...{ startMs: NOON_MS, hours: HOURS, rateHz: 12.5 },
  ...{ offsetG: [0.03, -0.02, 0.04], gain: [1.01, 0.99, 1.02] },
});
const chunks = [...input.chunks];
const accel = { type: 'ACCEL', dimensions: ['x', 'y', 'z'], ...axesOf(input) };
const light = { type: 'LIGHT', dimensions: ['v'], scale: [1], offset: [0], nominalRateHz: 12.5 };

function axesOf({ scale, offset, nominalRateHz }: typeof input) {
  return { scale, offset, nominalRateHz };
}

const epochsOf = ({ features }: RecordingPasses) => {
  features.finish(startUs, stopUs);
  return features.around(startUs / 1000, stopUs / 1000).sensors.map((sensor) => {
    const epochs = sensor.kind === 'motion' ? sensor.epochs : undefined;
    return epochs && { calibration: epochs.calibration, rows: epochs.read(epochs.firstEpoch, epochs.stopEpoch) };
  });
};

describe('RecordingPasses', () => {
  it('calibrates alike channel by channel, as a site reads, and with the channels interleaved, as a file may come', () => {
    const channels = [light, accel, { ...accel, type: 'GYRO' }, accel];
    const byChannel = new RecordingPasses('one', 'WRIST', channels, memoryStore);
    expect(byChannel.channels).toEqual([1, 3]);
    for (const channel of byChannel.channels) {
      const passes = [...byChannel.over([channel])].map(({ kind }) => kind);
      expect(passes).toEqual(['SURVEY', 'FEATURES']);
    }
    const apart = new RecordingPasses('one', 'WRIST', channels, memoryStore);
    for (const channel of apart.channels)
      for (const pass of apart.over([channel])) for (const chunk of chunks) pass.take({ ...chunk, channel });
    const together = new RecordingPasses('one', 'WRIST', channels, memoryStore);
    const mixed: ChannelChunk[] = chunks.flatMap((chunk) => [0, 1, 2, 3].map((channel) => ({ ...chunk, channel })));
    for (const pass of together.over()) for (const chunk of mixed) pass.take(chunk);
    expect(together.calibrationOf(1)).toMatchObject({ fault: null });
    expect(together.calibrationOf(1)!.errorAfterG).toBeLessThan(0.002);
    expect(together.calibrationOf(3)).toEqual(apart.calibrationOf(1));
    expect(together.calibrationOf(0)).toBeUndefined();
    expect(epochsOf(together)).toEqual(epochsOf(apart));
  });

  it('makes one pass where no sensor is calibrated', () => {
    const chest = new RecordingPasses('one', 'MEDIAL_CHEST', [accel], memoryStore);
    expect(chest.needsSurvey).toBe(false);
    expect([...chest.over()].map(({ kind }) => kind)).toEqual(['FEATURES']);
    expect(chest.calibrationOf(0)).toBeUndefined();
  });

  it('ends the first pass once further pages would not help', () => {
    const passes = new RecordingPasses('one', 'WRIST', [accel], memoryStore);
    let taken = 0;
    for (const pass of passes.over()) {
      if (pass.kind === 'FEATURES') break;
      for (let round = 0; round < 10 && !pass.isEnough; round++) {
        for (const chunk of chunks) {
          if (pass.isEnough) break;
          pass.take({ ...chunk, channel: 0, startUs: chunk.startUs + round * HOURS * 3_600_000_000 });
          taken++;
        }
      }
    }
    // A week of pages, and the first sample after it, which ends its last window.
    expect(taken).toBe(168 * 60 + 1);
  });
});

it('refuses pages of a wrist sensor that was not surveyed, instead of leaving it without a calibration', () => {
  const recording = new StoredRecording('one', 'WRIST', [{ ...input, location: 'WRIST' }], memoryStore);
  expect(() => recording.add(0, chunks[0]!)).toThrow(/surveyed before/);
});
