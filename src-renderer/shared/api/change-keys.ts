import type { Change } from '../../../src-server/api/contract/index.ts';

/** What changes of these tell nothing of what needs attention, nor of where data is. */
const QUIET: ReadonlySet<Change['topic']> = new Set(['account', 'user', 'membership', 'export', 'pairing', 'refusal']);

/** What the adherence of a study is made of. */
const ADHERENCE_TOPICS = ['annotation', 'analytics', 'subject'];

/**
 * The query keys that a change makes old. A new or changed subject also changes its study's detail; what was done and worn,
 * and who takes part, changes the adherence of the study.
 */
export function keysOf(change: Change): string[][] {
  const own = ownKeys(change);
  return QUIET.has(change.topic) || change.topic === 'attention' ? own : [...own, ['attention']];
}

function ownKeys(change: Change): string[][] {
  const { topic, studyId, subjectId } = change;
  const own = [topic, studyId, subjectId].filter((part) => part !== undefined);
  const adherence = studyId && ADHERENCE_TOPICS.includes(topic) ? [['adherence', studyId]] : [];
  if (topic === 'recording' && studyId)
    return [
      [topic, studyId],
      ['subject', studyId],
    ];
  if (topic === 'subject' && studyId) return [['subject', studyId], ['study', studyId], ...adherence];
  // Lists of equipment and devices are those of the account, whoever holds the piece that changed.
  if (topic === 'equipment' && studyId) return [['equipment'], ['device'], ['subject', studyId]];
  if (topic === 'equipment' || topic === 'device') return [['equipment'], ['device']];
  if (topic === 'fault') return [own, ['equipment']];
  if (topic === 'pairing' || topic === 'upload' || topic === 'refusal') return [[topic]];
  // The list of jobs is one for all studies.
  if (topic === 'job') return [['job']];
  if (topic === 'message') return [own, ['message', 'account']];
  if (topic === 'study') return [['study'], ['adherence']];
  return [own, ...adherence];
}

/** The keys of what every change adds to: the event log of its study, and the histories. */
export function trailKeysOf({ studyId }: Change): string[][] {
  const account = ['audit', 'account'];
  return studyId ? [['event', studyId], ['audit', studyId], account] : [account];
}
