/** Locale data and time zones of ICU, which every build carries in its own copy. */
import { HOUR_MS } from '../../durations.ts';
import { type Check, expectSame, expectThat, REINSTALL } from '../check.ts';

/** Lengths of local days, hours: changes in both directions, by half an hour, at midnight, and none. */
const DAY_LENGTHS: readonly [zone: string, date: string, hours: number][] = [
  ['US/Eastern', '2026-03-08', 23],
  ['US/Eastern', '2026-11-01', 25],
  ['Europe/Berlin', '2026-03-29', 23],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ['America/Santiago', '2026-09-06', 23],
  ['Asia/Tokyo', '2026-03-08', 24],
];

async function checkTimeZones(): Promise<void> {
  const { isTimeZone, OFFERED_ZONES } = await import('../../study/zones.ts');
  const missing = OFFERED_ZONES.filter((zone) => !isTimeZone(zone));
  expectThat(missing.length === 0, `unknown time zones: ${missing.join(', ')}`);
  const { fixedZone, midnightWindow, offsetMsAt } = await import('../../study/day-windows.ts');
  for (const [zone, date, hours] of DAY_LENGTHS) {
    const { startMs, stopMs } = midnightWindow(date, fixedZone(zone));
    expectSame(`the length of ${date} in ${zone}, hours`, (stopMs - startMs) / HOUR_MS, hours);
  }
  expectSame('the offset of Asia/Kolkata, hours', offsetMsAt(Date.UTC(2026, 0, 1), 'Asia/Kolkata') / HOUR_MS, 5.5);
}

async function checkLanguages(): Promise<void> {
  const { passwordMail } = await import('../../api/resources/access/password-mail.ts');
  const person = { firstName: 'Aiko', lastName: 'Sato', timezone: 'Asia/Tokyo' };
  const atMs = Date.UTC(2026, 0, 15, 3, 30);
  const inEnglish = passwordMail({ ...person, locale: 'en_US' }, 'Clinic', 'CODE', atMs).body;
  expectThat(inEnglish.includes('January 15, 2026'), 'dates in English are not written in English');
  const inJapanese = passwordMail({ ...person, locale: 'ja_JP' }, 'Clinic', 'CODE', atMs).body;
  expectThat(inJapanese.includes('2026年1月15日'), 'dates in Japanese are not written in Japanese');
}

export const localeChecks: readonly Check[] = [
  {
    name: 'time-zones',
    subject: 'The time-zone database',
    advice: `Local days would be cut at wrong times: do not analyse with this program. ${REINSTALL}`,
    run: checkTimeZones,
  },
  { name: 'languages', subject: 'Locale data for English and Japanese', advice: REINSTALL, run: checkLanguages },
];
