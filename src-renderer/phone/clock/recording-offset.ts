/** Offsets of recordings: their times are by one setting of the phone's clock, which may be known better once the site was reached. */
import type { RecordingRow } from '../../shared/sensors/recording-store.ts';
import type { PhoneClock } from './phone-clock.ts';

/** Site minus the clock of the recording's times, ms; undefined when it was never measured. */
export function recordingOffsetMs(row: RecordingRow, clock: Pick<PhoneClock, 'offsetAt'>): number | undefined {
  const { clockStamp, clockOffsetMs, createdTs } = row;
  if (!clockStamp) return clockOffsetMs;
  const { state, offsetMs } = clock.offsetAt(clockStamp);
  // The time line of a recording may have begun with an earlier file, before small corrections of the clock.
  return state === 'MEASURED' ? Math.round(offsetMs + clockStamp.wallMs - createdTs) : clockOffsetMs;
}
