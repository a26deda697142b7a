import { useCallback } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import type { DayFacts } from './day-state.ts';

/** Returns a function that sums up a strip of days in words: tasks, then wear time. */
export function useStripLabel(): (days: readonly DayFacts[]) => string {
  const { t, format } = useWords();
  return useCallback(
    (days) => {
      const assigned = days.reduce((sum, day) => sum + day.assigned, 0);
      const completed = days.reduce((sum, day) => sum + day.completed, 0);
      const worn = days.filter((day) => day.wearSeconds !== undefined);
      const seconds = worn.reduce((sum, day) => sum + (day.wearSeconds ?? 0), 0);
      return [
        assigned > 0
          ? t('adherence.strip.tasks', { assigned, completed, count: assigned })
          : t('adherence.strip.noTasks'),
        worn.length > 0
          ? t('adherence.strip.wear', { duration: format.duration(seconds), count: worn.length })
          : t('adherence.strip.noWear'),
      ].join(' ');
    },
    [t, format],
  );
}
