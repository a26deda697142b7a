/** Time-zone names: those offered in forms, and those accepted. Names are stored as given. */

/** Offered in forms, in this order (wire-facts 2.9: the developer page, its 2019 addition, and the portal kit's fixed zones). */
export const OFFERED_ZONES: readonly string[] = [
  'Asia/Tokyo',
  'US/Alaska',
  'US/Aleutian',
  'US/Arizona',
  'US/Central',
  'US/East-Indiana',
  'US/Eastern',
  'US/Hawaii',
  'US/Indiana-Starke',
  'US/Michigan',
  'US/Mountain',
  'US/Pacific',
  'US/Samoa',
  'Canada/Atlantic',
  'Canada/Central',
  'Canada/Eastern',
  'Canada/Mountain',
  'Canada/Newfoundland',
  'Canada/Pacific',
  'Canada/Saskatchewan',
  'Canada/Yukon',
  'Etc/GMT+8',
  'Etc/GMT+1',
  'Etc/GMT',
  'Etc/GMT-1',
  'Etc/GMT-2',
  'Etc/GMT-3',
  'Etc/GMT-4',
];

/** Intl also accepts offsets such as +05:00, which are not zone names: they have no daylight saving time. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const known = new Map<string, boolean>();

/** True for every name of the IANA database, old aliases such as US/Eastern included. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name) || name.length > 64) return false;
  const before = known.get(name);
  if (before !== undefined) return before;
  let answer = true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    answer = false;
  }
  // Caches accepted names only: names come from outside, and a cache of rejected ones would grow without bound.
  if (answer) known.set(name, answer);
  return answer;
}

/** Zone of this computer: what "02:00" means at the site, and the clock of recorders that it configured. */
export function siteTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
