/** Reasons, percentages and CSV of the data-quality report. */
import type { SubjectQualityItem } from '../../../src-server/api/contract/index.ts';
import type { QualityCounts, QualityReason } from '../../../src-server/study/quality.ts';
import type { QualityTargets } from '../../../src-server/vocabulary/quality.ts';
import type { CsvCell } from '../../shared/csv.ts';
import { csvText } from '../../shared/csv.ts';
import type { Format } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';

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

export type SubjectState = 'risk' | 'good' | 'ended' | 'early';

/** @param lastDate the last complete day of any subject: whose days end before is not followed any more */
export function stateOf({ isHidden, quality }: SubjectQualityItem, lastDate: string, isRunning: boolean): SubjectState {
  if (!quality) return 'early';
  if (quality.reasons.length > 0) return 'risk';
  if (isHidden || !isRunning || quality.toDate < lastDate) return 'ended';
  return quality.recent.expectedDays < 3 ? 'early' : 'good';
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
