/** Whom a message to many can be sent to. Pure. */
import type { ListedSubject } from '../../../../src-server/api/contract/index.ts';
import { DAY_MS } from '../../../../src-server/durations.ts';

export const RECIPIENT_FILTERS = ['everyone', 'quiet', 'tests'] as const;
export type RecipientFilter = (typeof RECIPIENT_FILTERS)[number];

/** Without new data for this time a subject counts as quiet. */
const QUIET_MS = 2 * DAY_MS;

/** Returns the subjects of a filter whose name contains the search. Hidden subjects get no messages and are never among them. */
export function recipientsOf(
  subjects: readonly ListedSubject[],
  filter: RecipientFilter,
  search: string,
  nowMs: number,
): ListedSubject[] {
  const wanted = search.normalize('NFKC').trim().toLowerCase();
  return subjects.filter(({ isHidden, isTest = false, displayName, summary }) => {
    if (isHidden || isTest !== (filter === 'tests')) return false;
    if (filter === 'quiet' && nowMs - (summary?.lastDataTs ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return false;
    return displayName.normalize('NFKC').toLowerCase().includes(wanted);
  });
}
