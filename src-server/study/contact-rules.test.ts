import { expect, it } from 'vitest';
import { expectedContactEveryMs } from './contact-rules.ts';
import type { Program } from './program.ts';

const HOUR = 3_600_000;
const study = (
  program: Program | null,
  lifecycleState: 'INITIALIZED' | 'IN_PROGRESS' | 'COMPLETE' = 'IN_PROGRESS',
) => ({
  lifecycleState,
  program,
});
const tasks = (...days: ('daily' | number[])[]): Program => ({
  id: 'p',
  days: 28,
  tasks: days.map((day) => ({ taskId: 't', type: 'diary', days: day })),
});
const phone = { type: 'LINK_PHONE', isPaired: true } as const;

it('expects sensors and hubs of a running study every day', () => {
  for (const type of ['SENSOR', 'LINK_HUB'] as const) {
    expect(expectedContactEveryMs({ type, isPaired: false }, study(tasks([0, 7])))).toBe(24 * HOUR);
    expect(expectedContactEveryMs({ type, isPaired: true }, study(null))).toBe(24 * HOUR);
  }
});

it('expects a phone as often as its study has tasks', () => {
  expect(expectedContactEveryMs(phone, study(tasks([0, 7, 14, 21], 'daily')))).toBe(24 * HOUR);
  expect(expectedContactEveryMs(phone, study(tasks([0, 7, 14, 21])))).toBe(7 * 24 * HOUR);
  expect(expectedContactEveryMs(phone, study(tasks([0, 1])))).toBe(27 * 24 * HOUR);
  expect(expectedContactEveryMs(phone, study(tasks()))).toBe(24 * HOUR);
});

it('expects contact from a clinic hub, but not from unassigned equipment or without a running study', () => {
  expect(expectedContactEveryMs(phone, undefined)).toBeUndefined();
  expect(expectedContactEveryMs({ type: 'SENSOR', isPaired: false }, undefined)).toBeUndefined();
  expect(expectedContactEveryMs({ type: 'LINK_HUB', isPaired: false }, undefined)).toBeUndefined();
  expect(expectedContactEveryMs({ type: 'LINK_HUB', isPaired: true }, undefined)).toBe(HOUR);
  for (const state of ['INITIALIZED', 'COMPLETE'] as const)
    expect(expectedContactEveryMs(phone, study(tasks('daily'), state))).toBeUndefined();
});
