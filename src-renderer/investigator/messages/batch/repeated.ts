/**
 * Sending a message again after an answer was lost. The site recognises a repeated batch by its id and never adds a recipient to one that it
 * has, so recipients without an answer keep the batch that they were sent in, and the others form a new one.
 */
import type { MessageBatchItem } from '../../../../src-server/api/contract/index.ts';
import { isSavedOtherwise } from '../../../shared/api/saved-otherwise.ts';
import { mayBeDone } from '../../bulk/run-each.ts';
import type { UnansweredRun } from '../../bulk/unanswered.ts';

/** Kind of action under which messages without an answer are kept. */
export const MESSAGES = 'subjects.message';

export interface Batch {
  id: string;
  subjectIds: string[];
}

/**
 * Returns the batches to send, each with at least one subject.
 * @param unanswered by subject id: the batch whose answer did not come
 * @param newId of the batch of all other subjects
 */
export function batchesOf(
  subjectIds: readonly string[],
  unanswered: Readonly<Record<string, string>>,
  newId: string,
): Batch[] {
  const batches = new Map<string, string[]>();
  for (const subjectId of subjectIds) {
    const id = unanswered[subjectId] ?? newId;
    batches.set(id, [...(batches.get(id) ?? []), subjectId]);
  }
  return [...batches].map(([id, ids]) => ({ id, subjectIds: ids }));
}

/** Returns the batch of each subject, by subject id. */
export const requestIdsOf = (batches: readonly Batch[]): Record<string, string> =>
  Object.fromEntries(batches.flatMap(({ id, subjectIds }) => subjectIds.map((one) => [one, id])));

/** EARLIER: the batch was sent before with another text, and its answer was lost. Another try would send a second message. */
export type SentItem = Omit<MessageBatchItem, 'outcome'> & { outcome: MessageBatchItem['outcome'] | 'EARLIER' };

/** Whether a recipient needs no further try. */
export const isSentItem = ({ outcome }: SentItem): boolean => outcome === 'SENT' || outcome === 'EARLIER';

/** Sends one batch, and keeps its subjects as unanswered unless the site answers. A refusal is an answer, too: nothing was sent. */
export async function sendOne(
  kept: UnansweredRun,
  { subjectIds }: Batch,
  send: () => Promise<{ items: readonly MessageBatchItem[] }>,
): Promise<readonly SentItem[]> {
  for (const one of subjectIds) kept.begins(one);
  const end = (isAnswered: boolean) => {
    for (const one of subjectIds) kept.ends(one, isAnswered);
  };
  try {
    const { items } = await send();
    end(true);
    return items;
  } catch (error) {
    end(!mayBeDone(error));
    if (isSavedOtherwise(error)) return subjectIds.map((subjectId) => ({ subjectId, outcome: 'EARLIER' }));
    throw error;
  }
}
