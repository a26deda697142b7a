import type { SubjectDetail } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { localDateAt } from '../../../shared/time/local-day.ts';

/** Why a day of a week cannot be opened: it has not come yet, or nothing was recorded until then. */
export function useOutsideWords({ timezones }: SubjectDetail): (date: string) => string {
  const { t } = useWords();
  return (date) => t(date > localDateAt(Date.now(), timezones) ? 'week.toCome' : 'week.before');
}
