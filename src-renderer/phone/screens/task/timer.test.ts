import { describe, expect, it } from 'vitest';
import type { Draft, PhoneTask } from '../../model.ts';
import { calibrationStep, HOLD_MS, READY_MS } from './calibration-steps.ts';
import { stepOf } from './steps.ts';
import { elapsedMs, leftMs, spokenSeconds, timerText } from './timer.ts';

describe('the timer', () => {
  it('counts running time without pauses', () => {
    expect(elapsedMs({ elapsedMs: 30_000 }, 99_000)).toBe(30_000);
    expect(elapsedMs({ elapsedMs: 30_000, runningSinceTs: 90_000 }, 99_000)).toBe(39_000);
  });

  it('does not run backwards when the clock was set back', () => {
    expect(elapsedMs({ elapsedMs: 30_000, runningSinceTs: 90_000 }, 10_000)).toBe(30_000);
  });

  it('ends at zero', () => {
    expect(leftMs({ elapsedMs: 0, runningSinceTs: 0 }, 60, 59_500)).toBe(500);
    expect(leftMs({ elapsedMs: 0, runningSinceTs: 0 }, 60, 90_000)).toBe(0);
  });

  it('shows 0:00 only when the time is over', () => {
    expect(timerText(360_000)).toBe('6:00');
    expect(timerText(400)).toBe('0:01');
    expect(timerText(0)).toBe('0:00');
    expect(timerText(3_725_000)).toBe('1:02:05');
    expect(timerText(59_900, 'down')).toBe('0:59');
  });

  it('speaks at whole minutes and near the end only', () => {
    expect(spokenSeconds(300_000)).toBe(300);
    expect(spokenSeconds(30_000)).toBe(30);
    expect(spokenSeconds(29_000)).toBeUndefined();
  });
});

describe('the posture calibration', () => {
  it('counts down, holds, and ends', () => {
    expect(calibrationStep(0)).toEqual({ name: 'READY', leftMs: READY_MS });
    expect(calibrationStep(READY_MS)).toEqual({ name: 'HOLD', leftMs: HOLD_MS });
    expect(calibrationStep(READY_MS + HOLD_MS)).toEqual({ name: 'OVER' });
  });
});

describe('where a draft continues', () => {
  const draft: Draft = {
    id: 'd',
    taskId: 't',
    date: '2026-11-20',
    openedTs: 0,
    elapsedMs: 0,
    answers: {},
    position: 1,
    marks: [],
  };
  const question = { id: 'q', text: 'Question', type: 'BOOLEAN', values: [] };
  const survey: PhoneTask = {
    id: 't',
    type: 'diary',
    displayName: 'Survey',
    questions: [question, { ...question, id: 'r' }],
  };

  it('continues at the question of the position, and then at the summary', () => {
    expect(stepOf(draft, survey)).toBe(1);
    expect(stepOf({ ...draft, position: 2 }, survey)).toBe('check');
  });

  it('runs the timer of an activity before its questions', () => {
    const activity: PhoneTask = { ...survey, type: 'activity' };
    expect(stepOf(draft, activity)).toBe('timer');
    expect(stepOf({ ...draft, stoppedTs: 5 }, activity)).toBe(1);
  });
});
