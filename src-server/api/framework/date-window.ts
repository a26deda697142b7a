/** The window of local dates that a list is asked for. */
import { invalidField } from './errors.ts';

export interface DateWindow {
  fromDate?: string | undefined;
  toDate?: string | undefined;
}

/** Whether a day is within the window, both ends inclusive. @throws INVALID_INPUT when the window is reversed */
export function isWithin({ fromDate = '', toDate = '9999-12-31' }: DateWindow): (day: { date: string }) => boolean {
  if (fromDate > toDate) throw invalidField('fromDate', 'must not be after `toDate`');
  return ({ date }) => fromDate <= date && date <= toDate;
}
