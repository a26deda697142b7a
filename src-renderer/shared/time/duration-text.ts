/** Parses durations as people type them: "90", "90 s", "6 min", "1 h 30 min", "1:30", "6分". Pure. */

const UNITS: readonly [RegExp, number][] = [
  [/^(h|hr|hrs|hour|hours|時間)$/, 3600],
  [/^(m|min|mins|minute|minutes|分|分間)$/, 60],
  [/^(s|sec|secs|second|seconds|秒|秒間)$/, 1],
];

const PART = /(\d+(?:[.,]\d+)?)\s*([a-z]+|時間|分間?|秒間?)\.?/g;

const unitOf = (word: string): number | undefined => UNITS.find(([pattern]) => pattern.test(word))?.[1];

/**
 * Returns the seconds of a typed duration; undefined if it is invalid. A bare number is seconds, `1:30` minutes and seconds,
 * `1:00:00` hours, minutes and seconds. Full-width digits are accepted. Each unit may occur once, larger before smaller.
 */
export function parseDuration(text: string): number | undefined {
  const plain = text.normalize('NFKC').trim().toLowerCase();
  if (/^\d+$/.test(plain)) return Number(plain);
  const clock = /^(?:(\d+):)?(\d{1,3}):([0-5]\d)$/.exec(plain);
  if (clock) {
    const [hours, minutes, seconds] = [Number(clock[1] ?? 0), Number(clock[2]), Number(clock[3])];
    return clock[1] !== undefined && minutes > 59 ? undefined : hours * 3600 + minutes * 60 + seconds;
  }
  const parts = [...plain.matchAll(PART)];
  if (parts.length === 0 || plain.replaceAll(PART, '').trim() !== '') return undefined;
  let [total, smallest] = [0, Number.POSITIVE_INFINITY];
  for (const [, amount = '', word = ''] of parts) {
    const unit = unitOf(word);
    if (unit === undefined || unit >= smallest) return undefined;
    smallest = unit;
    total += Number(amount.replace(',', '.')) * unit;
  }
  return Math.abs(total - Math.round(total)) < 1e-6 ? Math.round(total) : undefined;
}
