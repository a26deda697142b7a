/** The times of one subject in an export: true times, or those of the single clock of a de-identified export. */

import type { SubjectRecord } from '../../db/index.ts';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { type DayClock, fixedZone, formatOffset, offsetMsAt, zoneAt } from '../../study/day-windows.ts';
import type { Deidentifier } from './deidentifier.ts';

export interface SubjectFrame {
  subjectId: string;
  /** The clock that defines local days. */
  clock: DayClock;
  /** Added to every instant, ms. */
  shiftMs: number;
  /** Added to every local date, days. */
  shiftDays: number;
}

/** True times. */
export function plainFrame({ id }: Pick<SubjectRecord, 'id'>, zones: DayClock): SubjectFrame {
  return { subjectId: id, clock: zones, shiftMs: 0, shiftDays: 0 };
}

/**
 * Times on a single clock: the UTC offset at enrolment applies throughout, so every day has 24 hours. A day of 23 or 25 hours
 * would reveal its date to anyone who knows where the study took place. The local time of that clock is written as UTC, so
 * neither offset nor zone is disclosed.
 */
export function shiftedFrame(
  { id, createdTs }: Pick<SubjectRecord, 'id' | 'createdTs'>,
  zones: DayClock,
  deidentifier: Deidentifier,
): SubjectFrame {
  const exact = offsetMsAt(createdTs, zoneAt(createdTs, zones));
  const offsetMs = Math.round(exact / MINUTE_MS) * MINUTE_MS;
  const weeksMs = deidentifier.shiftMs(id);
  return {
    subjectId: id,
    clock: fixedZone(formatOffset(offsetMs)),
    shiftMs: weeksMs + offsetMs,
    shiftDays: weeksMs / DAY_MS,
  };
}
