/** How metrics and their differences read in a comparison. */
import type { Format } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import type { LabelValues } from '../metrics/label-values.ts';
import { isRow, isSingle, type MetricUnit, singleLabel, stateOf, unitOf } from '../metrics/metric.ts';

/** Durations and times of day differ by minutes. */
const PER_MINUTE: Partial<Record<MetricUnit, number>> = { seconds: 60, utc_milliseconds: 60_000 };

const DIGITS: Partial<Record<MetricUnit, number>> = { lf_hf: 3, nats: 3, index: 3, ratio: 3 };

/** A value or difference in the unit of {@link differenceUnit}. */
export const inUnit = (name: string, value: number): number => value / (PER_MINUTE[unitOf(name)] ?? 1);

export const differenceText = (name: string, value: number, format: Format): string => {
  const digits = DIGITS[unitOf(name)] ?? 1;
  const shown = Number(inUnit(name, value).toFixed(digits));
  // Without a negative zero.
  return format.number(shown === 0 ? 0 : shown, digits).replace('-', '−');
};

export function differenceUnit(name: string, t: Translate): string {
  const unit = unitOf(name);
  return PER_MINUTE[unit] === undefined && unit !== 'seconds' && unit !== 'utc_milliseconds'
    ? t(`metrics.units.${unit}`)
    : t('runs.minutes');
}

/** Groups whose metrics have short names, as on the page of metrics below the name of the group. */
const GROUPS: readonly (readonly [prefix: string, group: 'intensity' | 'counts' | 'rhythm' | 'calibration'])[] = [
  ['INTENSITY_', 'intensity'],
  ['COUNTS_', 'counts'],
  ['RHYTHM_', 'rhythm'],
  ['CALIBRATION_', 'calibration'],
];

/** Metrics of a state or group are named by both. */
export function metricLabel(name: string, t: Translate, values: LabelValues): string {
  const [, group] = GROUPS.find(([prefix]) => name.startsWith(prefix)) ?? [];
  if (isSingle(name)) {
    const metric = singleLabel(name, t, values);
    return group ? t('runs.ofGroup', { group: t(`metrics.groups.${group}`), metric }) : metric;
  }
  const state = stateOf(name);
  const row = state && name.slice(state.length + 1);
  if (!state || !row || !isRow(row)) return name;
  return t('runs.ofGroup', { group: t(`runs.states.${state}`), metric: t(`metrics.rows.${row}`) });
}
