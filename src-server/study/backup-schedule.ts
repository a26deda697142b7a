/** When backups are made by themselves and which of them stay: rules without I/O. */
import { DAY_MS } from '../durations.ts';

/** The setting `backup.schedule`. */
export interface BackupSchedule {
  isEnabled: boolean;
  /** Local time of the site's computer, HH:MM. */
  timeOfDay: string;
  /** The newest backup of so many days, and of so many weeks, is kept. */
  keepDaily: number;
  keepWeekly: number;
  /** Another folder or disk; null: `backups` in the folder of the site. */
  folder: string | null;
}

interface LocalTime {
  date: string;
  minutes: number;
}

function localTimes(timeZone: string): (ts: number) => LocalTime {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (ts) => {
    const part = Object.fromEntries(format.formatToParts(ts).map(({ type, value }) => [type, value]));
    return { date: `${part.year}-${part.month}-${part.day}`, minutes: Number(part.hour) * 60 + Number(part.minute) };
  };
}

/**
 * The first instant of each local day at which a backup is due, nearest to `nowTs`: the last one not after it and the next
 * one after it, epoch ms. A time that a clock change leaves out is due at the change.
 */
export function dueTimes(
  schedule: Pick<BackupSchedule, 'timeOfDay'>,
  timeZone: string,
  nowTs: number,
): { lastTs: number; nextTs: number } {
  const local = localTimes(timeZone);
  const [hours, minutes] = schedule.timeOfDay.split(':').map(Number);
  const wanted = hours * 60 + minutes;
  const dueOf = (dayTs: number): number => {
    const { date } = local(dayTs);
    const isDue = (ts: number) => {
      const at = local(ts);
      return at.date > date || (at.date === date && at.minutes >= wanted);
    };
    // The local day lies within a day and a half around any of its instants; minutes are where clocks change.
    let low = Math.floor((dayTs - 1.5 * DAY_MS) / 60_000);
    let high = Math.ceil((dayTs + 1.5 * DAY_MS) / 60_000);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isDue(middle * 60_000)) high = middle;
      else low = middle;
    }
    return high * 60_000;
  };
  const candidates = [-2, -1, 0, 1, 2].map((day) => dueOf(nowTs + day * DAY_MS));
  return {
    lastTs: Math.max(...candidates.filter((ts) => ts <= nowTs)),
    nextTs: Math.min(...candidates.filter((ts) => ts > nowTs)),
  };
}

/**
 * The time at which each backup was made as far as it can be trusted, in the order of making, last first. Clocks are set
 * wrong and put right: a time in the future, or one that contradicts the order of most of the others, is taken to be that of
 * the backup that was made next.
 */
function plausibleTimes(lastMadeFirst: readonly number[], nowTs: number): { ts: number; isTrusted: boolean }[] {
  // The longest run of times that never grows towards the older ones; quadratic, for some hundred backups at most.
  const lengths = lastMadeFirst.map(() => 0);
  const newer = lastMadeFirst.map(() => -1);
  let end = -1;
  for (const [i, ts] of lastMadeFirst.entries()) {
    if (ts > nowTs) continue;
    lengths[i] = 1;
    for (let j = 0; j < i; j++) {
      if (lengths[j] === 0 || lastMadeFirst[j] < ts || lengths[j] < lengths[i]) continue;
      lengths[i] = lengths[j] + 1;
      newer[i] = j;
    }
    if (end === -1 || lengths[i] > lengths[end]) end = i;
  }
  const trusted = new Set<number>();
  for (let i = end; i !== -1; i = newer[i]) trusted.add(i);
  let nextTs = nowTs;
  return lastMadeFirst.map((ts, i) => {
    const isTrusted = trusted.has(i);
    if (isTrusted) nextTs = ts;
    return { ts: nextTs, isTrusted };
  });
}

/**
 * Ids of the backups that stay: the newest of each of the last `keepDaily` local days and of the last `keepWeekly` weeks
 * (from Monday) that have one. The last of all stays, and so do those of the last `keepDaily` whose day a wrong clock hides.
 * @param backups in the order of making, last first
 */
export function backupsToKeep(
  backups: readonly { id: string; createdTs: number }[],
  rule: Pick<BackupSchedule, 'keepDaily' | 'keepWeekly'>,
  timeZone: string,
  nowTs: number,
): Set<string> {
  const local = localTimes(timeZone);
  const times = plausibleTimes(
    backups.map(({ createdTs }) => createdTs),
    nowTs,
  );
  const kept = new Set(
    backups.filter((_, i) => i === 0 || (i < rule.keepDaily && !times[i].isTrusted)).map(({ id }) => id),
  );
  const keepNewestOf = (periodOf: (date: string) => string | number, periods: number) => {
    const seen = new Set<string | number>();
    for (const [i, { id }] of backups.entries()) {
      const period = periodOf(local(times[i].ts).date);
      if (seen.has(period)) continue;
      if (seen.size === periods) return;
      seen.add(period);
      kept.add(id);
    }
  };
  keepNewestOf((date) => date, rule.keepDaily);
  // 1970-01-05 was a Monday.
  keepNewestOf((date) => Math.floor((Date.parse(date) / DAY_MS - 4) / 7), rule.keepWeekly);
  return kept;
}
