/** How a job is shown wherever it appears: the tone of its state and its progress in words. */
import { useCallback } from 'react';
import type { Job } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import type { Tone } from '../../shared/kit/controls.tsx';

export const JOB_TONES: Record<Job['state'], Tone> = {
  queued: 'neutral',
  running: 'info',
  done: 'good',
  failed: 'bad',
  parked: 'bad',
  cancelled: 'neutral',
};

type Progress = NonNullable<Job['progress']>;

/**
 * Returns a function that describes a job's progress. The site names steps in English, so other languages show only the percentage;
 * an export's pace is shown in every language.
 */
export function useStep(): (progress: Progress) => string {
  const { t, format, language } = useWords();
  return useCallback(
    ({ done, total, step, pace }) => {
      const percent = total > 0 ? format.number(Math.min(100, Math.floor((100 * done) / total))) : undefined;
      if (pace && percent !== undefined) {
        const { recordingsDone, recordingsTotal, samplesPerSecond, remainingMs } = pace;
        return [
          t('jobs.recordingsDone', { count: recordingsTotal, done: format.number(recordingsDone) }),
          t('jobs.percent', { percent }),
          samplesPerSecond === undefined
            ? ''
            : t('jobs.samplesPerSecond', { speed: format.number(samplesPerSecond / 1e6, 1) }),
          remainingMs === undefined ? '' : t('jobs.remaining', { duration: format.duration(remainingMs / 1000) }),
        ]
          .filter((text) => text !== '')
          .join(t('jobs.separator'));
      }
      if (language !== 'en' || step === '') return percent === undefined ? '' : t('jobs.percent', { percent });
      return percent === undefined ? step : t('jobs.stepPercent', { step, percent });
    },
    [t, format, language],
  );
}
