/** The method of an analysis in words. */
import {
  type AnalysisParameters,
  DEFAULT_ANALYSIS_PARAMETERS,
  isDefaultParameters,
} from '../../../src-server/vocabulary/analysis-parameters.ts';
import { useWords } from '../../shared/i18n/i18n.ts';

/** Sentences of all parameters, or of those that are not the defaults. */
export function useMethodWords() {
  const { t, format } = useWords();
  return (parameters: AnalysisParameters, isShort = false): string[] => {
    const { cutPoints, nonWear, rhythm } = parameters;
    const defaults = DEFAULT_ANALYSIS_PARAMETERS;
    if (isShort && isDefaultParameters(parameters)) return [t('runs.defaults')];
    const isShown = (isOther: boolean) => !isShort || isOther;
    const rhythmDiffers = JSON.stringify(rhythm) !== JSON.stringify(defaults.rhythm);
    return [
      isShown(cutPoints.wrist !== defaults.cutPoints.wrist) &&
        t('runs.wrist', { cutPoints: t(`builder.analysis.cutPoints.${cutPoints.wrist}`) }),
      isShown(cutPoints.waist !== defaults.cutPoints.waist) &&
        t('runs.waist', { cutPoints: t(`builder.analysis.cutPoints.${cutPoints.waist}`) }),
      isShown(nonWear !== defaults.nonWear) && t('runs.nonWear', { rule: t(`builder.analysis.nonWear.${nonWear}`) }),
      isShown(rhythmDiffers) &&
        t('runs.rhythm', {
          pause: format.number(rhythm.pauseSeconds, Number.isInteger(rhythm.pauseSeconds) ? 0 : 1),
          slow: format.number(rhythm.bradycardiaBpm),
          fast: format.number(rhythm.tachycardiaBpm),
          episode: format.number(rhythm.episodeSeconds),
        }),
    ].filter((sentence) => sentence !== false);
  };
}
