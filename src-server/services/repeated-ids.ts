/** Ids that clients make, so that a request whose answer was lost can be sent again. */
import { OutpostError } from '../errors.ts';

/**
 * The error of a request that repeats an id with another content: the first one arrived, only its answer was lost, and the person
 * corrected the form in between. To answer with what is stored would drop the correction silently.
 * @param message what was saved, and where to edit it
 */
export function savedOtherwise(message: string): OutpostError {
  return new OutpostError('CONFLICT', message, {
    errors: [{ path: 'id', message: 'was already used with another content' }],
  });
}
