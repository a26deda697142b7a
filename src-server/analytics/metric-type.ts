/** What a daily metric is. */
import type { MethodId } from './dictionary/methods.ts';

/** The states that daily metrics describe. */
export type MetricState = 'MOVING' | 'RESTING' | 'SLEEPING';

/** One daily metric: its name and unit in the API, its definition, and the least data it needs. */
export interface MetricName {
  name: string;
  /** null for what spans all states: `SENSOR_WEAR_DURATION` the metrics of the heart over the whole day, and those of epochs. */
  state: MetricState | null;
  unit: string;
  definition: string;
  /** The time span of a date that it covers. */
  window: string;
  minimumData: string;
  /** How it is computed: see dictionary/methods.ts. */
  method: MethodId;
}
