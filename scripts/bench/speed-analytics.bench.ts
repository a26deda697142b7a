/** Speed of the heart and motion stages on one core, compared to a plain pass over the same samples. */
import { detectQrs } from '../../src-server/analytics/heart/detect.ts';
import { extractEcgFeatures } from '../../src-server/analytics/heart/index.ts';
import { ecgBlocks } from '../../src-server/analytics/heart/segments.ts';
import { extractMotionFeatures } from '../../src-server/analytics/motion/features.ts';
import type { SignalChunk, SignalInput } from '../../src-server/analytics/types.ts';
import { type EcgRecording, ecgInput, ecgRecordings, hasEcgData } from './ecg-data.ts';
import { EPOCH_SECOND } from './motion-data.ts';
import { barRow, comparedTo } from './rows.ts';
import type { BenchRow } from './types.ts';

const SPEED_ROUNDS = 20;
const ALWAYS = 4e15;

type EcgSamples = { recording: EcgRecording; samples: Int16Array };

/** Measures processor time, which other load on the machine affects less than wall time. */
function processorSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/**
 * Returns the seconds of the work over all recordings, taking the fastest round of each: compilation and other load can only
 * add to the time.
 */
function fastestSeconds(ecgs: EcgSamples[], work: (ecg: EcgSamples) => void): number {
  const best = ecgs.map(() => Infinity);
  for (let round = 0; round < SPEED_ROUNDS; round++) {
    for (let i = 0; i < ecgs.length; i++) {
      best[i] = Math.min(
        best[i]!,
        processorSeconds(() => work(ecgs[i]!)),
      );
    }
  }
  return best.reduce((sum, seconds) => sum + seconds, 0);
}

/** Speed on an ECG at 250 Hz, compared to a pass that sums the absolute values of the samples. */
function speedRows(ecgs: EcgSamples[]): BenchRow[] {
  const hours = ecgs.reduce((sum, { samples, recording }) => sum + samples.length / recording.fs, 0) / 3600;
  let sink = 0;
  const plain = fastestSeconds(ecgs, ({ samples }) => {
    const values = new Float32Array(samples.length);
    for (let i = 0; i < values.length; i++) values[i] = Math.abs(samples[i]!);
    for (let i = 0; i < values.length; i++) sink += values[i]!;
  });
  const detection = fastestSeconds(ecgs, ({ recording, samples }) => {
    for (const block of ecgBlocks(ecgInput(recording, samples), -1, Infinity))
      sink += detectQrs(block).positions.length;
  });
  const whole = fastestSeconds(ecgs, ({ recording, samples }) => {
    sink += extractEcgFeatures(ecgInput(recording, samples), -1, 1e15).length;
  });
  if (!Number.isFinite(sink)) throw new Error('The passes did not compute a number.');
  const perHour = (name: string, value: number, limit: number): BenchRow => ({
    ...barRow(name, value / hours, 's', limit),
    ...comparedTo('plain pass', plain / hours, value / hours),
  });
  return [
    perHour('QRS detection alone, an hour of ECG at 250 Hz', detection, 0.02),
    perHour('stage 1 of an hour of ECG at 250 Hz', whole, 0.03),
  ];
}

/** Returns a day at 31.25 Hz in one-minute pages: a quarter of walking, otherwise stillness with breathing and noise. */
function dayOfMotion(): SignalInput {
  const periodUs = 32_000;
  const perPage = 1875;
  const chunks: SignalChunk[] = [];
  let noise = 1;
  for (let page = 0; page < 1440; page++) {
    const columns = [0, 1, 2].map(() => new Int16Array(perPage));
    for (let i = 0; i < perPage; i++) {
      noise = (noise * 1103515245 + 12345) % 2147483648;
      const seconds = page * 60 + i * 0.032;
      const gait =
        page % 4 === 0 ? 300 * Math.sin(2 * Math.PI * 1.9 * seconds) : 10 * Math.sin(2 * Math.PI * 0.25 * seconds);
      columns[0]![i] = 1000 + gait + (noise % 9);
      columns[1]![i] = gait / 3 + (noise % 7);
      columns[2]![i] = gait / 2 - (noise % 8);
    }
    chunks.push({ startUs: EPOCH_SECOND * 1e6 + page * perPage * periodUs, periodUs, count: perPage, columns });
  }
  const scale = [0.001, 0.001, 0.001];
  return { type: 'ACCEL', location: 'MEDIAL_CHEST', scale, offset: [0, 0, 0], nominalRateHz: 31.25, chunks };
}

function motionRow(): BenchRow {
  const input = dayOfMotion();
  const times: number[] = [];
  const passes: number[] = [];
  let sink = 0;
  for (let round = 0; round < 5; round++) {
    times.push(processorSeconds(() => void extractMotionFeatures(input, 0, ALWAYS)));
    passes.push(
      processorSeconds(() => {
        for (const { columns } of input.chunks) for (const column of columns) for (const value of column) sink += value;
      }),
    );
  }
  if (Number.isNaN(sink)) throw new Error('The plain pass did not compute a number.');
  const seconds = Math.min(...times);
  const pass = Math.min(...passes);
  return {
    ...barRow('stage 1 of 24 h of acceleration at 31.25 Hz', seconds, 's', 0.3),
    ...comparedTo('plain pass', pass, seconds),
  };
}

export async function run(): Promise<BenchRow[]> {
  const rows = [motionRow()];
  if (!hasEcgData()) return rows;
  const ecgs = [...ecgRecordings()].filter(({ recording }) => recording.name.startsWith('marsh'));
  return [...speedRows(ecgs), ...rows];
}
