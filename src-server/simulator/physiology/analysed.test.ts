import { expect, test } from 'vitest';
import { analyseSimulation, scoreSimulation } from '../../testing/score-simulation.ts';
import { simulateSubject } from './subject.ts';

test.each([
  [11, 9],
  [12, 28],
])(
  'the analytics find in an evening and half a night what the truth says: seed %i, %i breaths/min',
  (seed, restingRespiration) => {
    const startMs = Date.UTC(2024, 4, 14, 19);
    const subject = simulateSubject({
      seed,
      timeZone: 'US/Eastern',
      startMs,
      stopMs: startMs + 9 * 3_600_000,
      profile: { runningChance: 1, wakeHour: 6.5, bedHour: 22.5, restingRespiration },
    });
    const { truth } = subject;
    const result = analyseSimulation(subject);
    const score = scoreSimulation(truth, result);
    expect(score.activity).toBeGreaterThan(0.97);
    expect(Math.abs(score.steps)).toBeLessThan(0.025);
    expect(score.heartRate).toBeLessThan(0.5);
    expect(score.respiration).toBeLessThan(1.3);
    expect(score.respirationShare).toBeGreaterThan(0.5);
    expect(score.sleepingPosture).toBeGreaterThan(0.95);
    expect(score.wear).toBeGreaterThan(0.97);
    expect(Math.abs(result.sleep[0]!.onsetMs - truth.sleep[0]!.startMs)).toBeLessThan(30 * 60_000);
  },
);
