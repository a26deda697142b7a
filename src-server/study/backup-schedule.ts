/** When backups are made by themselves and which of them stay: rules without I/O. */

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

const DAY_MS = 24 * 3_600_000;

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
 * Ids of the backups that stay: the newest of each of the last `keepDaily` local days and of the last `keepWeekly` weeks
 * (from Monday) that have one. The newest of all always stays.
 */
export function backupsToKeep(
  backups: readonly { id: string; createdTs: number }[],
  rule: Pick<BackupSchedule, 'keepDaily' | 'keepWeekly'>,
  timeZone: string,
): Set<string> {
  const local = localTimes(timeZone);
  const newestFirst = [...backups].sort((a, b) => b.createdTs - a.createdTs);
  const kept = new Set(newestFirst.slice(0, 1).map(({ id }) => id));
  const keepNewestOf = (periodOf: (date: string) => string | number, periods: number) => {
    const seen = new Set<string | number>();
    for (const { id, createdTs } of newestFirst) {
      const period = periodOf(local(createdTs).date);
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
