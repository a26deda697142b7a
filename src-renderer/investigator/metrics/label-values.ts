/** The thresholds that labels of metrics name: those by which the values shown were computed. */
import type { AnalysisParameters } from '../../../src-server/vocabulary/analysis-parameters.ts';
import type { Format } from '../../shared/i18n/format.ts';

export interface LabelValues {
  /** Seconds from which an interval is a pause. */
  pause: string;
  /** Beats per minute below which, and above which, a rate is an episode. */
  slow: string;
  fast: string;
}

/** @param shown of every result behind the label; where they differ, the label names each value */
export function labelValues(shown: readonly AnalysisParameters[], format: Pick<Format, 'number'>): LabelValues {
  const each = (thresholdOf: (rhythm: AnalysisParameters['rhythm']) => number): string =>
    [...new Set(shown.map(({ rhythm }) => thresholdOf(rhythm)))]
      .sort((a, b) => a - b)
      .map((value) => format.number(value, Number.isInteger(value) ? 0 : 1))
      .join(' / ');
  return {
    pause: each(({ pauseSeconds }) => pauseSeconds),
    slow: each(({ bradycardiaBpm }) => bradycardiaBpm),
    fast: each(({ tachycardiaBpm }) => tachycardiaBpm),
  };
}
