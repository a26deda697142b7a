/** With what metrics were computed: published cut points, the rule of non-wear, thresholds, and why a sensor was not calibrated. */
import type { DailyMetricsItem } from '../../../src-server/api/contract/index.ts';
import { cutPointsOf } from '../../../src-server/vocabulary/analysis-parameters.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import styles from './metrics.module.css';

const RHYTHM_METRICS = ['HEART_PAUSES', 'HEART_BRADYCARDIA_EPISODES', 'HEART_TACHYCARDIA_EPISODES'];

/** Sentences on the method of a day. */
function useMethodSentences() {
  const { t, format } = useWords();
  return ({ epochMethod, parameters, metrics }: DailyMetricsItem): string[] => {
    const sentences: string[] = [];
    if (epochMethod) {
      const { cutPoints, nonWear, calibration } = epochMethod;
      const intensity = {
        signal: t(`metrics.methods.signals.${cutPointsOf(cutPoints).metric}`),
        cutPoints: t(`metrics.methods.cutPoints.${cutPoints}`),
      };
      sentences.push(
        nonWear === null
          ? t('metrics.methodOfBack', intensity)
          : t('metrics.method', { ...intensity, nonWear: t(`metrics.methods.nonWear.${nonWear}`) }),
      );
      if (calibration.fault !== null) sentences.push(t(`metrics.notCalibrated.${calibration.fault}`));
    }
    if (RHYTHM_METRICS.some((name) => metrics[name] !== undefined)) {
      const { pauseSeconds, episodeSeconds, bradycardiaBpm, tachycardiaBpm } = parameters.rhythm;
      sentences.push(
        t('metrics.methodOfRhythm', {
          pause: format.number(pauseSeconds, 1),
          episode: format.number(episodeSeconds, 1),
          slow: format.number(bradycardiaBpm, 1),
          fast: format.number(tachycardiaBpm, 1),
        }),
      );
    }
    return sentences;
  };
}

export function MethodText({ item }: { item: DailyMetricsItem }) {
  const { language } = useWords();
  const sentences = useMethodSentences()(item);
  return sentences.length > 0 && <p className={styles.origin}>{sentences.join(language === 'ja' ? '' : ' ')}</p>;
}

/** The methods of several days, each sentence once; with the number of its days where it is not that of all. */
export function MethodsText({ items }: { items: readonly DailyMetricsItem[] }) {
  const { t, language } = useWords();
  const sentencesOf = useMethodSentences();
  const days = new Map<string, number>();
  for (const item of items) for (const text of sentencesOf(item)) days.set(text, (days.get(text) ?? 0) + 1);
  if (days.size === 0) return null;
  const texts = [...days].map(([text, count]) =>
    count === items.length ? text : t('metrics.methodDays', { text, days: t('metrics.days', { count }) }),
  );
  return <p className={styles.origin}>{texts.join(language === 'ja' ? '' : ' ')}</p>;
}
