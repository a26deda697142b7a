/** Moving between the days of a subject and between the views of one day. Both live in the address of the page. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type DayOption, stepFrom } from './day-options.ts';

export function useDayNavigation(days: readonly DayOption[], date: string) {
  const { range = 'both', view: shownView = 'timeline' } = useSearch({
    from: '/desk/studies/$studyId/subjects/$subjectId/days',
  });
  const navigate = useNavigate({ from: '/studies/$studyId/subjects/$subjectId/days' });
  // The same object until something changes, so that tools and strips do not render with every answer that arrives.
  return useMemo(() => {
    const goTo = (next: string) => void navigate({ search: (old) => ({ ...old, date: next }), replace: true });
    return {
      range,
      shownView,
      goTo,
      /** The previous or next day; does nothing beyond the first and last. */
      step: (direction: -1 | 1) => {
        const next = stepFrom(days, date, direction);
        if (next !== undefined) goTo(next);
      },
      show: (view: 'timeline' | 'table' | 'week') =>
        void navigate({ search: (old) => ({ ...old, view }), replace: true }),
      print: () => void navigate({ to: '/print/studies/$studyId/subjects/$subjectId/day', search: { date } }),
      /** The last day with a recording. */
      lastDate: days.findLast((option) => option.recordedSeconds > 0)?.date,
    };
  }, [navigate, days, date, range, shownView]);
}

export type DayNavigation = ReturnType<typeof useDayNavigation>;
