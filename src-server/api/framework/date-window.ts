/** The window of local dates that a list is asked for. */
import type { DateSpan } from '../../study/program.ts';
import { invalidField } from './errors.ts';

/** @throws INVALID_INPUT when the window is reversed */
export function dateSpanOf({ fromDate, toDate }: DateSpan): DateSpan {
  if (fromDate !== undefined && toDate !== undefined && fromDate > toDate)
    throw invalidField('fromDate', 'must not be after `toDate`');
  return { fromDate, toDate };
}
