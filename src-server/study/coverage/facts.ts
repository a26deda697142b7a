/** The facts from which causes of missing data are derived: study, equipment, data path and analysis. */
import { MINUTE_MS } from '../../durations.ts';
import type { LifecycleState } from '../lifecycle.ts';
import type { Action } from './causes.ts';
import type { Holding, PathItem } from './days.ts';
import type { TimeSpan } from './spans.ts';

export interface SensorFacts {
  id: string;
  displayName: string;
  /** When a hub or phone last reached it. */
  lastContactTs?: number;
  batteryPercent?: number;
}

/** A hub or phone that could deliver the data of the subject. */
export interface DeviceFacts {
  id: string;
  displayName: string;
  lastContactTs?: number;
  isRevoked: boolean;
  /** True while the subject holds it; otherwise it is in the clinic or was held before. */
  isHeldNow?: boolean;
}

export interface WhyFacts {
  nowMs: number;
  study: { id: string; state: LifecycleState; startedTs?: number; stoppedTs?: number };
  subject: { id: string; createdTs: number; isHidden: boolean; programEndMs?: number };
  sensors: readonly SensorFacts[];
  holdings: readonly Holding[];
  devices: readonly DeviceFacts[];
  path: readonly PathItem[];
  faults: readonly { faultTs: number; faultClass?: string; equipmentId?: string }[];
  /** When hubs or phones reached sensors; ascending per sensor. */
  contacts: readonly { sensorId: string; atTs: number; batteryPercent?: number }[];
  analyses: readonly { jobId: string; hasFailed: boolean; detail?: string; fromMs: number; toMs: number }[];
  /** Results of the day's analysis; absent until it has run. */
  day?: {
    wornSeconds: number;
    /** Worn minutes without a heart rate although an ECG was recorded, joined; ascending, without overlap. */
    unreadable: readonly TimeSpan[];
    /** Time whose ECG shows no separate beats. */
    unresolvedSeconds?: number;
  };
}

/** Shorter breaks between recordings occur in ordinary use. */
export const LEAST_HOLE_MS = 5 * MINUTE_MS;
/** Data that moved, and devices that made contact, within this time count as active. */
export const STALLED_AFTER_MS = 30 * MINUTE_MS;

export const isStored = (item: PathItem) =>
  (item.state === 'VERIFIED' || item.state === 'ANALYSED') && item.fileProblem === undefined;

export const wait = ({ subject }: WhyFacts): Action => ({ kind: 'WAIT', target: { type: 'subject', id: subject.id } });
