/** Whom a message to many can be sent to. Pure. */
import type { ListedSubject } from '../../../../src-server/api/contract/index.ts';
import { fold } from '../../../../src-server/vocabulary/search.ts';
import { isShown } from '../../subjects/list-filter.ts';

export const RECIPIENT_FILTERS = ['everyone', 'quiet', 'tests'] as const;
export type RecipientFilter = (typeof RECIPIENT_FILTERS)[number];

/** The same filters in a list of subjects. */
const LISTED_AS = { everyone: 'all', quiet: 'twoDays', tests: 'test' } as const;

/** Returns the subjects of a filter whose name contains the search. Hidden subjects get no messages and are never among them. */
export function recipientsOf(
  subjects: readonly ListedSubject[],
  filter: RecipientFilter,
  search: string,
  nowMs: number,
): ListedSubject[] {
  const wanted = fold(search).trim();
  return subjects.filter((subject) => {
    const { displayName, isTest = false, summary } = subject;
    return (
      isTest === (filter === 'tests') &&
      isShown(LISTED_AS[filter], subject, summary?.lastDataTs, nowMs) &&
      fold(displayName).includes(wanted)
    );
  });
}
