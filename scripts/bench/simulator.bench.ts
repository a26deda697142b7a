/** Speed of simulating a day of one subject, compared to drawing one random number per sample. */
import { DAY_MS, HOUR_MS } from '../../src-server/durations.ts';
import { Random } from '../../src-server/simulator/physiology/random.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import type { BenchRow } from './types.ts';

export const run = async (): Promise<BenchRow[]> => {
  const startMs = Date.UTC(2024, 4, 14, 4);
  const make = (hours: number): number => {
    const { recordings } = simulateSubject({
      seed: 1,
      timeZone: 'US/Eastern',
      startMs,
      stopMs: startMs + hours * HOUR_MS,
      dailyCharging: false,
    });
    let samples = 0;
    for (const recording of recordings)
      for (const page of recording.pages()) samples += page.count * page.columns.length;
    return samples;
  };
  make(1);
  let startedMs = performance.now();
  const samples = make(24);
  const seconds = (performance.now() - startedMs) / 1000;

  const random = new Random(1);
  const counts = new Int16Array(1 << 16);
  startedMs = performance.now();
  for (let i = 0; i < samples; i++) counts[i & 0xffff] = Math.round(3 * random.fastNormal());
  const drawSeconds = (performance.now() - startedMs) / 1000;

  const factor = DAY_MS / 1000 / seconds;
  return [
    {
      name: 'simulated day, chest ECG + acceleration and thigh: times real time',
      value: Math.round(factor),
      unit: 'x',
      bar: '>= 2000 x',
      pass: factor >= 2000,
    },
    {
      name: 'simulated day: time',
      value: seconds,
      unit: 's',
      peer: 'one noise sample each, same count',
      peerValue: drawSeconds,
      ratio: seconds / drawSeconds,
      bar: '<= 4 s',
      pass: seconds <= 4,
    },
  ];
};
