/** The filters of a subject list. */

import type { Subject, SubjectSummary } from '../../../src-server/api/contract/index.ts';
import { HOUR_MS } from '../../../src-server/durations.ts';

const STATUS_FILTERS = {
  screening: 'SCREENING',
  enrolled: 'ENROLLED',
  completed: 'COMPLETED',
  withdrawn: 'WITHDRAWN',
} as const;

export const FILTERS = [
  'all',
  'day',
  'twoDays',
  'week',
  'screening',
  'enrolled',
  'completed',
  'withdrawn',
  'consent',
  'hidden',
  'test',
] as const;
export type SubjectFilter = (typeof FILTERS)[number];

const LIMITS_MS = { day: 24 * HOUR_MS, twoDays: 48 * HOUR_MS, week: 168 * HOUR_MS };

const isStatusFilter = (filter: SubjectFilter): filter is keyof typeof STATUS_FILTERS => filter in STATUS_FILTERS;

/**
 * Returns whether a filter shows a subject. Hidden subjects appear only under `hidden`. `day` means that the last recording
 * ended more than 24 hours ago or that there is none; test subjects are never listed as lacking data.
 * @param lastStopMs end of the last recording
 */
export function isShown(
  filter: SubjectFilter,
  subject: Pick<Subject, 'isHidden' | 'isTest'>,
  lastStopMs: number | undefined,
  nowMs: number,
  participation?: Pick<SubjectSummary, 'status' | 'isConsentDue'>,
): boolean {
  if (filter === 'hidden') return subject.isHidden;
  if (subject.isHidden) return false;
  if (filter === 'all') return true;
  if (filter === 'test') return subject.isTest === true;
  if (filter === 'consent') return participation?.isConsentDue === true;
  if (isStatusFilter(filter)) return participation?.status === STATUS_FILTERS[filter];
  return subject.isTest !== true && (lastStopMs === undefined || nowMs - lastStopMs > LIMITS_MS[filter]);
}
