import { expect, it } from 'vitest';
import { formatOf } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import { subject as english } from '../../shared/locales/en/subject.ts';
import { subject as japanese } from '../../shared/locales/ja/subject.ts';
import { fixedZone, localDay } from '../../shared/time/local-day.ts';
import { spanWords } from './span-words.ts';

const TEXTS = { en: english, ja: japanese };
const translate = (language: keyof typeof TEXTS) =>
  ((key: 'days.instant' | 'days.span', values: Record<string, string>) =>
    Object.entries(values).reduce(
      (text, [name, value]) => text.replace(`{{${name}}}`, value),
      TEXTS[language].days[key === 'days.span' ? 'span' : 'instant'],
    )) as unknown as Translate;

function words(date: string, timeZone: string, language: keyof typeof TEXTS = 'en') {
  const clock = fixedZone(timeZone);
  const { noonBeforeMs, midnightMs, nextMidnightMs } = localDay(date, clock);
  const of = (startMs: number, stopMs: number) =>
    spanWords({ startMs, stopMs }, clock, translate(language), formatOf(language));
  return { both: of(noonBeforeMs, nextMidnightMs), day: of(midnightMs, nextMidnightMs) };
}

it('names both days of a night and day, and the one of a day', () => {
  expect(words('2026-11-22', 'US/Eastern')).toEqual({
    both: 'Sat, Nov 21, 12:00 to Sun, Nov 22, 24:00 (36 h 0 min)',
    day: 'Sun, Nov 22, 00:00 to 24:00 (24 h 0 min)',
  });
  expect(words('2026-11-22', 'Asia/Tokyo', 'ja').both).toBe('11月21日(土) 12:00〜11月22日(日) 24:00（36時間0分）');
});

it('has the true length where the clock changes', () => {
  expect(words('2026-10-25', 'Europe/London').both).toBe('Sat, Oct 24, 12:00 to Sun, Oct 25, 24:00 (37 h 0 min)');
});
