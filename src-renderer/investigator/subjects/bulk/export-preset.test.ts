import { expect, it } from 'vitest';
import { exportPreset } from './export-preset.ts';

it('leaves out a study of which only test subjects are selected, whose export would hold everybody', () => {
  const preset = exportPreset([
    { id: 'test', studyId: 'A', isTest: true },
    { id: 'real', studyId: 'B', isTest: false },
    { id: 'other', studyId: 'B', isTest: false },
    { id: 'test of B', studyId: 'B', isTest: true },
  ]);
  expect([...preset]).toEqual([['B', ['real', 'other']]]);
});
