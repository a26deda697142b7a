/** What is known of a subject's study, equipment, data path and analysis: what causes rest on. */
import type { LifecycleState } from '../lifecycle.ts';
import type { Action } from './causes.ts';
import type { Holding, PathItem } from './days.ts';
import type { TimeSpan } from './spans.ts';

export interface SensorFacts {
  id: string;
  displayName: string;
  /** When a hub or phone last had it at hand. */
  lastContactTs?: number;
  batteryPercent?: number;
}

/** A hub or phone that could bring the data of the subject. */
export interface DeviceFacts {
  id: string;
  displayName: string;
  lastContactTs?: number;
  isRevoked: boolean;
  /** The subject holds it now; else it stands in the clinic, or was held before. */
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
  /** When a hub or phone had a sensor at hand; ascending for each. */
  contacts: readonly { sensorId: string; atTs: number; batteryPercent?: number }[];
  analyses: readonly { jobId: string; hasFailed: boolean; detail?: string; fromMs: number; toMs: number }[];
  /** What the analysis found for the day, once it is made. */
  day?: {
    wornSeconds: number;
    /** Worn minutes without a heart rate although an ECG was recorded, joined; ascending, without overlap. */
    unreadable: readonly TimeSpan[];
    /** Time whose ECG shows no separate beats. */
    unresolvedSeconds?: number;
  };
}

/** Sensors stop and start in shorter times than this in ordinary use. */
export const LEAST_HOLE_MS = 5 * 60_000;
/** What moved or was heard of within this time is under way. */
export const STALLED_AFTER_MS = 30 * 60_000;

export const isStored = (item: PathItem) =>
  (item.state === 'VERIFIED' || item.state === 'ANALYSED') && item.fileProblem === undefined;

export const wait = ({ subject }: WhyFacts): Action => ({ kind: 'WAIT', target: { type: 'subject', id: subject.id } });
