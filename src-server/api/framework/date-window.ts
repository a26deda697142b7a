/** The window of local dates that a list is asked for. */
import { isCalendarDate } from '../../study/day-windows.ts';
import type { DateSpan } from '../../study/program.ts';
import { invalidField } from './errors.ts';

/** @throws INVALID_INPUT when a date does not exist or the window is reversed */
export function dateSpanOf({ fromDate, toDate }: DateSpan): DateSpan {
  for (const [name, date] of Object.entries({ fromDate, toDate }))
    if (date !== undefined && !isCalendarDate(date)) throw invalidField(name, 'must be a date of the calendar');
  if (fromDate !== undefined && toDate !== undefined && fromDate > toDate)
    throw invalidField('fromDate', 'must not be after `toDate`');
  return { fromDate, toDate };
}
