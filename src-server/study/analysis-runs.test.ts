import { describe, expect, it } from 'vitest';
import { nameBefore, runStateOf, subjectStateOf, versionNotAvailable, waitsForVersion } from './analysis-runs.ts';

describe('the state of a subject of a run', () => {
  it.each([
    ['WAITING', { jobState: 'queued' }],
    // Brought up to date: the former results count until the new ones are there.
    ['RUNNING', { jobState: 'running', dataHash: 'x' }],
    ['DONE', { jobState: 'done', dataHash: 'x' }],
    ['DONE', { dataHash: 'x' }],
    ['OUTDATED', { jobState: 'done', dataHash: 'x', isChanged: true }],
    ['OUTDATED', {}],
    ['FAILED', { jobState: 'failed', dataHash: 'x', isChanged: true }],
    ['FAILED', { jobState: 'parked' }],
    ['CANCELLED', { jobState: 'cancelled' }],
  ] as const)('is %s of %o', (state, subject) => {
    expect(subjectStateOf({ isChanged: false, ...subject })).toBe(state);
  });
});

describe('the state of a run', () => {
  it.each([
    ['ADOPTED', { adoptedTs: 1, replacedBy: 'x' }, ['DONE'], 0],
    ['REPLACED', { replacedBy: 'x' }, ['OUTDATED'], 0],
    ['RUNNING', { replacedBy: 'x' }, ['DONE', 'WAITING'], 0],
    ['CANCELLED', { cancelledTs: 1 }, ['RUNNING', 'DONE'], 0],
    ['RUNNING', {}, ['FAILED', 'RUNNING'], 0],
    ['FAILED', {}, ['OUTDATED', 'FAILED'], 0],
    ['OUTDATED', {}, ['DONE', 'OUTDATED'], 0],
    ['OUTDATED', {}, ['DONE'], 1],
    ['READY', {}, ['DONE', 'DONE'], 0],
  ] as const)('is %s', (state, run, subjects, missing) => {
    expect(runStateOf(run, subjects, missing)).toBe(state);
  });
});

it('names replaced results unlike all others, within the length of a name', () => {
  expect(nameBefore('Choi', new Set(), 100)).toBe('Before Choi');
  expect(nameBefore('Choi', new Set(['Before Choi', 'Before Choi (2)']), 100)).toBe('Before Choi (3)');
  const long = nameBefore('x'.repeat(100), new Set(['Before '.padEnd(100, 'x')]), 100);
  expect(long).toBe(`${'Before '.padEnd(96, 'x')} (2)`);
});

it('says which version there is, and both ways out', () => {
  expect(versionNotAvailable('9', '11')).toMatchObject({
    code: 'VERSION_NOT_AVAILABLE',
    message: expect.stringContaining('Install the program that has version 9'),
    details: { version: '9', available: '11' },
  });
  expect(waitsForVersion('9', '11').message).toMatch(/Adopt an analysis run with version 11.*version 9\.$/);
});
