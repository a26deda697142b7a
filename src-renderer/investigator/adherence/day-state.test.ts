import { describe, expect, it } from 'vitest';
import { dayFacts, mondayOf, plannedTasks, step, subjectDays } from './day-state.ts';

const program = {
  days: 5,
  tasks: [
    { taskId: 'a', days: 'daily' as const },
    { taskId: 'b', days: [3] },
  ],
};
// In Tokyo, day 0 is 2 March and today is 5 March.
const subject = { timezone: 'Asia/Tokyo', programStartTs: Date.parse('2026-03-01T20:00:00Z') };
const NOW = Date.parse('2026-03-04T16:00:00Z');
const days = [
  { date: '2026-03-01', wearSeconds: 3600 },
  { date: '2026-03-02', tasksAssigned: 1, tasksCompleted: 1 },
  { date: '2026-03-03', tasksAssigned: 2, tasksCompleted: 1 },
  { date: '2026-03-04', tasksAssigned: 1, tasksCompleted: 0, wearSeconds: 0 },
  { date: '2026-03-05', tasksAssigned: 2, tasksCompleted: 1 },
];
const calendar = (isRunning = true) => subjectDays(subject, days, program, isRunning, NOW);

describe('a day of a subject', () => {
  it('tells every state apart by the local dates of the subject', () => {
    const states = ['01', '02', '03', '04', '05', '06', '07'].map(
      (day) => dayFacts(calendar(), `2026-03-${day}`).state,
    );
    expect(states).toEqual(['before', 'completed', 'partly', 'missed', 'open', 'open', 'over']);
    expect(dayFacts(calendar(), '2026-03-05')).toMatchObject({ isToday: true, isFuture: false });
    expect(dayFacts(calendar(), '2026-03-06').isFuture).toBe(true);
  });

  it('keeps a day without tasks or without data apart from zero', () => {
    const none = subjectDays(
      subject,
      [{ date: '2026-03-02', tasksAssigned: 0, tasksCompleted: 0 }],
      program,
      true,
      NOW,
    );
    expect(dayFacts(none, '2026-03-02').state).toBe('none');
    expect(dayFacts(calendar(), '2026-03-02').wearSeconds).toBeUndefined();
    expect(dayFacts(calendar(), '2026-03-04').wearSeconds).toBe(0);
  });

  it('plans the days to come, and none once the study has stopped', () => {
    expect(plannedTasks(calendar(), '2026-03-05')).toEqual(['a', 'b']);
    expect(dayFacts(calendar(), '2026-03-06').assigned).toBe(1);
    expect(dayFacts(calendar(false), '2026-03-06').state).toBe('over');
  });
});

it('shades in five steps and gives every share above zero a visible one', () => {
  expect([0, 0.01, 0.2, 0.21, 0.99, 1].map(step)).toEqual([0, 1, 1, 2, 5, 5]);
});

it('starts the week on Monday', () => {
  expect(['2026-03-01', '2026-03-02', '2026-03-08'].map(mondayOf)).toEqual(['2026-02-23', '2026-03-02', '2026-03-02']);
});
