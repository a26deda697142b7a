import type { Change } from '../../../src-server/api/contract/index.ts';

/** The query keys that a change makes old. A new or changed subject also changes its study's detail. */
export function keysOf(change: Change): string[][] {
  const { topic, studyId, subjectId } = change;
  const own = [topic, studyId, subjectId].filter((part) => part !== undefined);
  if (topic === 'recording' && studyId)
    return [
      [topic, studyId],
      ['subject', studyId],
    ];
  if (topic === 'subject' && studyId)
    return [
      ['subject', studyId],
      ['study', studyId],
    ];
  // Lists of equipment and devices are those of the account, whoever holds the piece that changed.
  if (topic === 'equipment' && studyId) return [['equipment'], ['device'], ['subject', studyId]];
  if (topic === 'equipment' || topic === 'device') return [['equipment'], ['device']];
  if (topic === 'fault') return [own, ['equipment']];
  if (topic === 'pairing' || topic === 'upload') return [[topic]];
  // The list of jobs is one for all studies.
  if (topic === 'job') return [['job']];
  if (topic === 'message') return [own, ['message', 'account']];
  if (topic === 'study') return [['study']];
  return [own];
}
