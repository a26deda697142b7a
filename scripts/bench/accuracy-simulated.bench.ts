/**
 * Accuracy on days of simulated subjects, whose truth is known for every second. Covers what the real recordings have no
 * reference for: sleep, posture in bed, fast and slow breathing, wear. Simulated bodies are simpler than real ones, so these
 * figures detect regressions; they do not say how accurate the measurements of people are.
 */
import { DAY_MS } from '../../src-server/durations.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { analyseSimulation, type SimulationScore, scoreSimulation } from '../../src-server/testing/score-simulation.ts';
import { accuracyOf, barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

/** Breaths per minute while asleep, one entry per subject; the index also sets the seed. */
const RESPIRATION = [8.5, 11, 14, 17, 20, 24, 29];
const DATA = `${RESPIRATION.length} simulated days`;

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export async function run(): Promise<BenchRow[]> {
  const scores: SimulationScore[] = RESPIRATION.map((restingRespiration, index) => {
    const startMs = Date.UTC(2024, 4, 14 + index, 16);
    const subject = simulateSubject({
      seed: 100 + index,
      timeZone: 'US/Eastern',
      startMs,
      stopMs: startMs + DAY_MS,
      profile: { restingRespiration },
    });
    const score = scoreSimulation(subject.truth, analyseSimulation(subject));
    process.stderr.write(`${restingRespiration} breaths/min ${JSON.stringify(score)}\n`);
    return score;
  });
  const average = (key: keyof SimulationScore): number => mean(scores.map((score) => score[key]));
  const worst = (key: keyof SimulationScore, select: (...values: number[]) => number): number =>
    select(...scores.map((score) => score[key]));
  return [
    barRow('simulated days: activity per second', average('activity'), '', 0.93, true),
    barRow(
      'simulated days: steps, mean absolute error',
      100 * mean(scores.map(({ steps }) => Math.abs(steps))),
      '%',
      2.5,
    ),
    barRow('simulated days: heart rate per minute, MAE', average('heartRate'), 'bpm', 0.5),
    {
      ...barRow(
        'simulated days: respiration of the worst day, 8 to 30 breaths/min, MAE',
        worst('respiration', Math.max),
        'breaths/min',
        1.3,
      ),
      accuracy: accuracyOf('respiration', DATA),
    },
    {
      ...barRow(
        'simulated days: respiration, share of minutes asleep reported',
        average('respirationShare'),
        '',
        0.5,
        true,
      ),
      accuracy: accuracyOf('respiration', DATA),
    },
    {
      ...barRow('simulated days: sleep/wake kappa per second', average('asleep'), '', 0.45, true),
      accuracy: accuracyOf('sleep', DATA),
    },
    {
      ...barRow('simulated days: posture in bed per second', average('sleepingPosture'), '', 0.9, true),
      accuracy: accuracyOf('sleeping_posture', DATA),
    },
    {
      ...barRow('simulated days: wear per second', average('wear'), '', 0.97, true),
      accuracy: accuracyOf('wear', DATA),
    },
  ];
}
