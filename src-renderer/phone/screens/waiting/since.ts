/** How long something has waited, as people say it: "today 14:10", "yesterday 14:10", "Nov 20, 14:10". */
import type { Words } from '../../words/words.ts';

const DAY_MS = 86_400_000;

/** The local date of an instant, `YYYY-MM-DD`. */
export function localDate(ms: number, timeZone: string | undefined): string {
  const parts = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone });
  return parts.format(ms);
}

export const previousDate = (date: string): string =>
  new Date(Date.parse(`${date}T12:00:00Z`) - DAY_MS).toISOString().slice(0, 10);

export function sinceText(
  ms: number,
  nowMs: number,
  { t, format, timeZone }: Pick<Words, 't' | 'format'> & { timeZone: string | undefined },
): string {
  const [date, today] = [localDate(ms, timeZone), localDate(nowMs, timeZone)];
  const time = format.clock(ms, timeZone);
  if (date === today) return t('since.today', { time });
  if (date === previousDate(today)) return t('since.yesterday', { time });
  return t('since.date', { date: format.dayOfMonth(date), time });
}
