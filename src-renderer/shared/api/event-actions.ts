/** Actions of events in the order of a study's life. A copy, because importing the contract's list would bundle its schemas. */
import type { StudyEvent } from '../../../src-server/api/contract/index.ts';

export type EventAction = StudyEvent['action'];

export const EVENT_ACTIONS = [
  'STUDY_STARTED',
  'SUBJECT_CREATED',
  'ACTIVITY_COMPLETED',
  'DIARY_COMPLETED',
  'RECORDING_UPLOADED',
  'METRICS_PROCESSED',
  'MESSAGE_POSTED',
  'STUDY_STOPPED',
] as const satisfies readonly EventAction[];
