/** Kinds of events in the order in which a study sees them; a list here, as the contract's own would bring its schemas along. */
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
