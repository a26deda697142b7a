/** The CSV downloads of metrics and of the channels of one day. */
import type { BinnedChannels } from '../../../analytics/channels.ts';
import type { DayRecord } from '../../../db/index.ts';
import { type DayClock, offsetMsAt, zoneAt } from '../../../study/day-windows.ts';
import { METRICS } from '../../contract/metrics.ts';

/** Header and one line per day; every value has two decimals and quotes, a missing one is an empty string. */
export function metricsCsv(days: readonly Pick<DayRecord, 'date' | 'metrics'>[]): string {
  const header = ['DATE', ...METRICS.map(({ name, unit }) => `${name} (${unit})`)].join(',');
  const lines = days.map(({ date, metrics }) => {
    const cells = METRICS.map(({ name }) => `"${metrics[name] === undefined ? '' : metrics[name].toFixed(2)}"`);
    return [date, ...cells].join(',');
  });
  return `${[header, ...lines].join('\n')}\n`;
}

const CHANNELS_HEADER =
  'TIME (hh:mm),UTC Timestamp (utc_milliseconds),ACTIVITY,COMBINED_ACT_COUNT (activity_counts),FREQUENCY_HRV_RATIO (lf_hf),HEART_RATE (bpm),HRV (milliseconds),RESTING_POSTURE,SLEEP_RESPIRATION (breaths_per_minute),SLEEPING_POSTURE,STEPS (steps)';

/** Local wall-clock time, hh:mm, in the zone then in force. */
function wallTime(instantMs: number, clock: DayClock): string {
  const local = instantMs + offsetMsAt(instantMs, zoneAt(instantMs, clock));
  return new Date(local).toISOString().slice(11, 16);
}

/** Header and one line per minute; null is an empty cell. A resting posture is written `c/s`, such as `LEAN_LEFT/SLOUCHING`. */
export function channelsCsv(pieces: readonly BinnedChannels[], clock: DayClock): string {
  const lines = [CHANNELS_HEADER];
  for (const { times, values } of pieces) {
    for (const [i, time] of times.entries()) {
      const posture = values.resting_posture[i];
      lines.push(
        [
          wallTime(time, clock),
          time,
          values.activity[i],
          values.combined_act_count[i],
          values.frequency_hrv_ratio[i],
          values.heart_rate[i],
          values.hrv[i],
          posture && `${posture.c}/${posture.s}`,
          values.sleep_respiration[i],
          values.sleeping_posture[i],
          values.steps[i],
        ].join(','),
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
