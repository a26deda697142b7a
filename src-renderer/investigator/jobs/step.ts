import { useCallback } from 'react';
import type { Job } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';

type Progress = NonNullable<Job['progress']>;

/** How far a job is: its step in the site's words, which are English, and the percentage in every language. */
export function useStep(): (progress: Progress) => string {
  const { t, format, language } = useWords();
  return useCallback(
    ({ done, total, step }) => {
      const percent = total > 0 ? format.number(Math.min(100, Math.floor((100 * done) / total))) : undefined;
      if (language !== 'en' || step === '') return percent === undefined ? '' : t('jobs.percent', { percent });
      return percent === undefined ? step : t('jobs.stepPercent', { step, percent });
    },
    [t, format, language],
  );
}
