/** Reasons, percentages and CSV of the data-quality report. */
import type { Study, SubjectQualityItem } from '../../../src-server/api/contract/index.ts';
import {
  LEAST_DAYS_TO_JUDGE,
  type QualityCounts,
  type QualityReason,
  weekOf,
} from '../../../src-server/study/quality.ts';
import type { QualityTargets } from '../../../src-server/vocabulary/quality.ts';
import type { CsvCell } from '../../shared/csv.ts';
import { csvText } from '../../shared/csv.ts';
import type { Format } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import { addDays, localDate } from '../../shared/time/local-day.ts';

/** Rounded down to a tenth: a value below a target never reads as the target. Sums of seconds are not exact in their last digits. */
const tenthsBelow = (value: number): number => Math.floor(10 * value + 1e-6) / 10;

/** In percent, rounded down. Undefined without a whole. */
export const percentOf = (part: number, whole: number): number | undefined =>
  whole > 0 ? tenthsBelow((100 * part) / whole) : undefined;

export function reasonText(
  { code, value = 0, target = 0, days = 0, date }: QualityReason,
  { wearHours }: QualityTargets,
  t: Translate,
  format: Format,
): string {
  const hours = format.number(wearHours);
  if (code === 'NO_DATA')
    return date === undefined
      ? t('quality.reasons.NO_DATA_YET')
      : t('quality.reasons.NO_DATA', { date: format.date(date) });
  if (code === 'VALID_DAYS') return t('quality.reasons.VALID_DAYS', { hours, value, target, days });
  const percent = format.number(tenthsBelow(value), 1);
  return t(`quality.reasons.${code}`, { value: percent, target: format.number(target) });
}

export interface QualityWindow {
  fromDate: string;
  toDate?: string;
}

/**
 * Returns a number of weeks up to this one, or up to the week in which the study was completed. No day after the UTC date of the
 * completion was over by then, in whatever zone.
 */
export function windowOf({ stoppedTs }: Pick<Study, 'stoppedTs'>, weeks: number, nowMs: number): QualityWindow {
  const lastDate = localDate(stoppedTs ?? nowMs, 'UTC');
  const fromDate = addDays(weekOf(lastDate), -7 * (weeks - 1));
  return { fromDate, ...(stoppedTs !== undefined && { toDate: lastDate }) };
}

/** Which words stand in for a report without days; undefined where there are some. */
export function emptinessOf(items: readonly SubjectQualityItem[]): 'notYet' | 'notInWindow' | undefined {
  if (items.some(({ quality }) => quality)) return undefined;
  return items.some(({ isFollowed }) => !isFollowed) ? 'notInWindow' : 'notYet';
}

export type SubjectState = 'risk' | 'good' | 'ended' | 'early';

export function stateOf({ isFollowed, quality }: SubjectQualityItem): SubjectState {
  if (!isFollowed) return 'ended';
  if (!quality) return 'early';
  if (quality.reasons.length > 0) return 'risk';
  return quality.recent.expectedDays < LEAST_DAYS_TO_JUDGE ? 'early' : 'good';
}

const COUNTS = [
  'expectedDays',
  'dataDays',
  'validDays',
  'wearSeconds',
  'signalSeconds',
  'readableSeconds',
  'tasksAssigned',
  'tasksCompleted',
] as const satisfies readonly (keyof QualityCounts)[];

/** One row per subject and week, as in `data-quality.csv` of the study archive. */
export function qualityCsv(items: readonly SubjectQualityItem[]): string {
  const rows = items.flatMap(({ subjectId, displayName, quality }) =>
    (quality?.weeks ?? []).map((week): CsvCell[] => [
      subjectId,
      displayName,
      week.week,
      ...COUNTS.map((name) => week[name]),
      quality?.reasons.map(({ code }) => code).join(' '),
    ]),
  );
  return csvText(['subjectId', 'subject', 'week', ...COUNTS, 'atRiskNow'], rows);
}
