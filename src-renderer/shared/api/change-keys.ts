/** Cache invalidation: which query keys a change from `/live` makes stale. Pure. */
import type { Change } from '../../../src-server/api/contract/index.ts';

/** Topics whose changes affect neither attention items nor data coverage. */
const QUIET: ReadonlySet<Change['topic']> = new Set(['account', 'export', 'pairing', 'refusal', 'savedFilter']);

/** Topics from which the adherence of a study is computed. */
const ADHERENCE_TOPICS = ['annotation', 'analytics', 'subject'];

/**
 * Returns the query keys that a change makes stale. A changed subject also affects the detail of its study; annotations,
 * analyses and subjects also affect the adherence of the study.
 */
export function keysOf(change: Change): string[][] {
  const own = ownKeys(change);
  return QUIET.has(change.topic) || change.topic === 'attention' ? own : [...own, ['attention']];
}

/** What each study holds, in one list for the account. */
const SUMMARY = ['summary'];

function ownKeys(change: Change): string[][] {
  const { topic, studyId, subjectId } = change;
  const own = [topic, studyId, subjectId].filter((part) => part !== undefined);
  const adherence = studyId && ADHERENCE_TOPICS.includes(topic) ? [['adherence', studyId]] : [];
  if (topic === 'recording' && studyId) return [[topic, studyId], ['subject', studyId], SUMMARY];
  if (topic === 'subject' && studyId) return [['subject', studyId], ['study', studyId], SUMMARY, ...adherence];
  // Lists of equipment and devices belong to the account, regardless of the study of the item's holder.
  if (topic === 'equipment' && studyId) return [['equipment'], ['device'], ['subject', studyId]];
  if (topic === 'equipment' || topic === 'device') return [['equipment'], ['device']];
  if (topic === 'fault') return [own, ['equipment']];
  if (topic === 'pairing' || topic === 'upload' || topic === 'refusal' || topic === 'transfer') return [[topic]];
  // Every table has a list of its own, whichever study it is shared with.
  if (topic === 'savedFilter') return [['savedFilter']];
  // All studies share one list of jobs.
  if (topic === 'job') return [['job']];
  // Subjects of a run are stored one by one, and every change of data can make a run outdated.
  if (topic === 'analysis-run') return [[topic, studyId ?? '']];
  // The list of a study holds the notes about its subjects.
  if ((topic === 'note' || topic === 'query') && studyId) return [[topic, studyId]];
  // Lists of subjects show the status, and the program of the subject ends with its participation.
  if (topic === 'participation' && studyId)
    return [[topic, studyId], ['subject', studyId], SUMMARY, ['adherence', studyId]];
  if (topic === 'study' && studyId) return [['study'], SUMMARY, ['adherence'], ['participation', studyId]];
  if (topic === 'message') return [own, ['message', 'account']];
  if (topic === 'study') return [['study'], SUMMARY, ['adherence']];
  return [own, ...adherence];
}

/** Returns the keys that every change makes stale: the event log of its study, the audit trails, and signatures of what may have changed. */
export function trailKeysOf({ studyId }: Change): string[][] {
  const account = ['audit', 'account'];
  return studyId ? [['event', studyId], ['audit', studyId], ['signature', studyId], account] : [account];
}
