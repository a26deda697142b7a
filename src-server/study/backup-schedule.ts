/** When scheduled backups are due, and which backups are retained: rules without I/O. */
import { DAY_MS, MINUTE_MS } from '../durations.ts';

/** The setting `backup.schedule`. */
export interface BackupSchedule {
  isEnabled: boolean;
  /** Local time of the site's computer, HH:MM. */
  timeOfDay: string;
  /** For how many days, and for how many weeks, the newest backup is kept. */
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
 * Returns the last due time not after `nowTs` and the next one after it, epoch ms. A local time that a clock change skips is due at
 * the change.
 */
export function dueTimes(
  schedule: Pick<BackupSchedule, 'timeOfDay'>,
  timeZone: string,
  nowTs: number,
): { lastTs: number; nextTs: number } {
  const local = localTimes(timeZone);
  const [hours = 0, minutes = 0] = schedule.timeOfDay.split(':').map(Number);
  const wanted = hours * 60 + minutes;
  const dueOf = (dayTs: number): number => {
    const { date } = local(dayTs);
    const isDue = (ts: number) => {
      const at = local(ts);
      return at.date > date || (at.date === date && at.minutes >= wanted);
    };
    // The local day lies within a day and a half around any of its instants; minutes are where clocks change.
    let low = Math.floor((dayTs - 1.5 * DAY_MS) / MINUTE_MS);
    let high = Math.ceil((dayTs + 1.5 * DAY_MS) / MINUTE_MS);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isDue(middle * MINUTE_MS)) high = middle;
      else low = middle;
    }
    return high * MINUTE_MS;
  };
  const candidates = [-2, -1, 0, 1, 2].map((day) => dueOf(nowTs + day * DAY_MS));
  return {
    lastTs: Math.max(...candidates.filter((ts) => ts <= nowTs)),
    nextTs: Math.min(...candidates.filter((ts) => ts > nowTs)),
  };
}

/**
 * Estimates when each backup was made, newest first. The clock may have been wrong: a time in the future, or one that contradicts the
 * order of most others, is replaced by the time of the backup made next.
 */
function plausibleTimes(lastMadeFirst: readonly number[], nowTs: number): { ts: number; isTrusted: boolean }[] {
  // Longest non-increasing subsequence; quadratic, which is fine for a few hundred backups.
  const lengths = lastMadeFirst.map(() => 0);
  const newer = lastMadeFirst.map(() => -1);
  let end = -1;
  for (const [i, ts] of lastMadeFirst.entries()) {
    if (ts > nowTs) continue;
    lengths[i] = 1;
    for (let j = 0; j < i; j++) {
      if (lengths[j]! === 0 || lastMadeFirst[j]! < ts || lengths[j]! < lengths[i]!) continue;
      lengths[i] = lengths[j]! + 1;
      newer[i] = j;
    }
    if (end === -1 || lengths[i]! > lengths[end]!) end = i;
  }
  const trusted = new Set<number>();
  for (let i = end; i !== -1; i = newer[i]!) trusted.add(i);
  let nextTs = nowTs;
  return lastMadeFirst.map((ts, i) => {
    const isTrusted = trusted.has(i);
    if (isTrusted) nextTs = ts;
    return { ts: nextTs, isTrusted };
  });
}

/**
 * Returns the ids of the backups to keep: the newest of each of the last `keepDaily` local days and of the last `keepWeekly` weeks
 * (from Monday) that have one. The newest of all is kept, and so are those of the newest `keepDaily` whose day is unknown because the
 * clock was wrong.
 * @param backups in the order in which they were made, newest first
 */
export function backupsToKeep(
  backups: readonly { id: string; createdTs: number }[],
  rule: Pick<BackupSchedule, 'keepDaily' | 'keepWeekly'>,
  timeZone: string,
  nowTs: number,
): Set<string> {
  return new Set(reasonsToKeep(backups, rule, timeZone, nowTs).keys());
}

export type KeepReason = 'newest' | 'daily' | 'weekly' | 'clock';

/** As {@link backupsToKeep}, with the reasons. */
export function reasonsToKeep(
  backups: readonly { id: string; createdTs: number }[],
  rule: Pick<BackupSchedule, 'keepDaily' | 'keepWeekly'>,
  timeZone: string,
  nowTs: number,
): Map<string, KeepReason[]> {
  const local = localTimes(timeZone);
  const times = plausibleTimes(
    backups.map(({ createdTs }) => createdTs),
    nowTs,
  );
  const kept = new Map<string, KeepReason[]>();
  const keep = (id: string, reason: KeepReason) => kept.set(id, [...(kept.get(id) ?? []), reason]);
  for (const [i, { id }] of backups.entries()) {
    if (i === 0) keep(id, 'newest');
    if (i > 0 && i < rule.keepDaily && !times[i]!.isTrusted) keep(id, 'clock');
  }
  const keepNewestOf = (reason: KeepReason, periodOf: (date: string) => string | number, periods: number) => {
    const seen = new Set<string | number>();
    for (const [i, { id }] of backups.entries()) {
      const period = periodOf(local(times[i]!.ts).date);
      if (seen.has(period)) continue;
      if (seen.size === periods) return;
      seen.add(period);
      keep(id, reason);
    }
  };
  keepNewestOf('daily', (date) => date, rule.keepDaily);
  // 1970-01-05 was a Monday.
  keepNewestOf('weekly', (date) => Math.floor((Date.parse(date) / DAY_MS - 4) / 7), rule.keepWeekly);
  return kept;
}
