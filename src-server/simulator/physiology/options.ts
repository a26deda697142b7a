/** Parameters of a simulation. */
import type { Span } from '../../analytics/types.ts';
import type { BodyPart, Orientation } from './motion-signal.ts';
import type { SubjectProfile } from './profile.ts';

export interface SensorOptions {
  /** As on the wire: MEDIAL_CHEST, ECG_LEAD_II, ANTERIOR_THIGH ... */
  location: string;
  side: string;
  /** Part of the body that the sensor moves with. */
  part: BodyPart;
  ecg: boolean;
  /** Axes of the sensor; `random` is any way up. Default: x up, y right, z forward (right-handed, as in real chips), off by some degrees. */
  orientation?: Orientation | 'random';
  /** True sampling rate over nominal; drawn from 0.981 to 1.008 when absent. */
  rateRatio?: number;
  udid?: string;
}

export interface SimulationOptions {
  seed: number;
  /** IANA name; the day plan follows its local time. */
  timeZone: string;
  /** Epoch milliseconds, whole seconds. */
  startMs: number;
  stopMs: number;
  profile?: Partial<SubjectProfile>;
  /** Default: ECG and acceleration at the chest, acceleration at the right thigh. */
  sensors?: SensorOptions[];
  /** Whether the sensors are charged once a day, which ends a recording and begins the next. Default true. */
  dailyCharging?: boolean;
  /** Spans in which no sensor records, such as a forgotten evening. */
  gaps?: Span[];
  /** Spans in which the sensors record off the body, in addition to those around charging. */
  offBody?: Span[];
  /** Short losses of samples inside recordings, 2 to 40 s each. Default 1 per day and sensor. */
  dropoutsPerDay?: number;
}
