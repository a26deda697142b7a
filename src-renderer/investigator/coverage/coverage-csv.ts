/** Data coverage as CSV: one row for each day, sensor and state. */
import type { CoverageDay } from '../../../src-server/api/contract/index.ts';
import { csvText } from '../../shared/csv.ts';

const HEADER = [
  'DATE',
  'SENSOR',
  'SENSOR_ID',
  'LOCATION',
  'STATE',
  'RECORDINGS',
  'RECORDED (seconds)',
  'SIZE (bytes)',
  'WORN_ON_DAY (seconds)',
];

export function coverageCsv(days: readonly CoverageDay[]): string {
  const rows = days.flatMap(({ date, wornSeconds, sensors }) =>
    sensors.flatMap(({ sensorId, displayName, location, states }) => {
      const sensor = [date, displayName, sensorId, location];
      if (states.length === 0) return [[...sensor, 'NO_RECORDING', 0, 0, 0, wornSeconds]];
      return states.map(({ state, recordings, seconds, sizeBytes }) => [
        ...sensor,
        state,
        recordings,
        seconds,
        sizeBytes,
        wornSeconds,
      ]);
    }),
  );
  return csvText(HEADER, rows);
}
