import { expect, it } from 'vitest';
import { keysOf, trailKeysOf } from './change-keys.ts';

it('invalidates what a change affects and nothing else', () => {
  expect(keysOf({ topic: 'analytics', studyId: 's', subjectId: 'u' })).toEqual([
    ['analytics', 's', 'u'],
    ['adherence', 's'],
    ['attention'],
  ]);
  expect(keysOf({ topic: 'job', id: 'j', studyId: 's', subjectId: 'u' })).toEqual([['job'], ['attention']]);
  expect(keysOf({ topic: 'attention' })).toEqual([['attention']]);
});

it('invalidates the attention list when people join, leave or are disabled, because queries may wait for them', () => {
  for (const topic of ['user', 'membership'] as const) expect(keysOf({ topic })).toEqual([[topic], ['attention']]);
});

it('invalidates the lists that show a changed record', () => {
  expect(keysOf({ topic: 'recording', studyId: 's', subjectId: 'u' })).toEqual([
    ['recording', 's'],
    ['subject', 's'],
    ['summary'],
    ['attention'],
  ]);
  expect(keysOf({ topic: 'subject', studyId: 's' })).toEqual([
    ['subject', 's'],
    ['study', 's'],
    ['summary'],
    ['adherence', 's'],
    ['attention'],
  ]);
  expect(keysOf({ topic: 'participation', studyId: 's', subjectId: 'u' })).toEqual([
    ['participation', 's'],
    ['subject', 's'],
    ['summary'],
    ['adherence', 's'],
    ['attention'],
  ]);
  expect(keysOf({ topic: 'message', studyId: 's', subjectId: 'u' })).toEqual([
    ['message', 's', 'u'],
    ['message', 'account'],
    ['attention'],
  ]);
  expect(keysOf({ topic: 'equipment', studyId: 's', subjectId: 'u' })).toEqual([
    ['equipment'],
    ['device'],
    ['subject', 's'],
    ['attention'],
  ]);
  expect(keysOf({ topic: 'transfer' })).toEqual([['transfer'], ['attention']]);
  expect(keysOf({ topic: 'device' })).toEqual([['equipment'], ['device'], ['attention']]);
  expect(keysOf({ topic: 'fault', studyId: 's' })).toEqual([['fault', 's'], ['equipment'], ['attention']]);
  expect(keysOf({ topic: 'pairing', studyId: 's', subjectId: 'u' })).toEqual([['pairing']]);
  expect(keysOf({ topic: 'upload', studyId: 's' })).toEqual([['upload'], ['attention']]);
  expect(keysOf({ topic: 'study', studyId: 's' })).toEqual([
    ['study'],
    ['summary'],
    ['adherence'],
    ['participation', 's'],
    ['attention'],
  ]);
});

it('invalidates the events and histories of the study for every change', () => {
  const account = ['audit', 'account'];
  expect(trailKeysOf({ topic: 'user' })).toEqual([account]);
  expect(trailKeysOf({ topic: 'message', studyId: 's' })).toEqual([
    ['event', 's'],
    ['audit', 's'],
    ['signature', 's'],
    account,
  ]);
});
