/**
 * Does the same thing to many rows, a few at a time. Rows are independent: one that is refused does not stop the others. A site that cannot
 * be reached does, because the rest would only fail the same way; so does an input that the site refuses for each of the first rows.
 */
import { ApiError } from '../../../src-server/api/contract/client-core.ts';
import { isSavedOtherwise } from '../../shared/api/saved-otherwise.ts';

/** Requests at the same time. More would not be faster: the site writes one after the other. */
const AT_MOST = 3;

export type Outcome =
  | { kind: 'done' }
  /** Nothing was left to do, such as for a sensor that somebody else took back meanwhile. */
  | { kind: 'unchanged'; text: string }
  /** An earlier try, whose answer was lost, was saved with what the person had entered then. Another try would add a second one. */
  | { kind: 'earlier' }
  | { kind: 'failed'; error: Error }
  /** No answer came: the site may have done it or not. The same request again is safe. */
  | { kind: 'unknown'; error: Error };

/** What an action on one row returns: nothing, or why nothing was left to do. */
export type Act = (id: string) => Promise<string | undefined>;

/** The site cannot be reached, is too busy, or asks for a new sign-in: every further row would fail the same way. */
const isForAll = (error: unknown) =>
  !(error instanceof ApiError) || [0, 401, 429, 502, 503, 504].includes(error.status);

/** Whether a request that failed this way may have been done. */
export const mayBeDone = (error: unknown): boolean =>
  isForAll(error) || (error instanceof ApiError && error.status >= 500);

/** Refusals of what the person entered before any row was done: every further row would be refused the same way. */
const MOST_INVALID = 3;

/** @param isStopped asked before each row, such as whether the dialog was closed */
export async function runEach(
  ids: readonly string[],
  act: Act,
  onOutcome: (id: string, outcome: Outcome) => void,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const waiting = [...ids];
  let isLost = false;
  let isAnyDone = false;
  let invalid = 0;
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      if (isLost || isStopped()) return;
      try {
        const text = await act(id);
        isAnyDone = true;
        onOutcome(id, text === undefined ? { kind: 'done' } : { kind: 'unchanged', text });
      } catch (caught) {
        const error = caught instanceof Error ? caught : new Error(String(caught));
        isLost ||= isForAll(caught);
        if (caught instanceof ApiError && caught.status === 400) invalid += 1;
        isLost ||= invalid >= MOST_INVALID && !isAnyDone;
        if (isSavedOtherwise(caught)) onOutcome(id, { kind: 'earlier' });
        else onOutcome(id, { kind: mayBeDone(caught) ? 'unknown' : 'failed', error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_MOST }, worker));
}
