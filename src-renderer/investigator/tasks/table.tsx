import { useMemo } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { type Column, cellButtonClass, DataTable, Faint, type Merge } from '../../shared/kit/data-table.tsx';
import type { DayFacts } from '../adherence/day-state.ts';
import { StateShape } from '../adherence/marks.tsx';

/** The days of the calendar as a table. */
export function TaskTable({ days, onChoose }: { days: readonly DayFacts[]; onChoose: (date: string) => void }) {
  const { t, format } = useWords();
  const columns = useMemo(
    (): Column<DayFacts>[] => [
      {
        id: 'date',
        header: t('tasks.date'),
        value: (day) => day.date,
        cell: (day) => (
          <Button small kind="quiet" className={cellButtonClass} onPress={() => onChoose(day.date)}>
            {format.date(day.date)}
          </Button>
        ),
      },
      {
        id: 'state',
        header: t('tasks.state'),
        value: (day) => day.state,
        cell: (day) => (
          <>
            <StateShape state={day.state} /> {t(`adherence.state.${day.state}`)}
          </>
        ),
      },
      {
        id: 'tasks',
        header: t('tasks.done'),
        isNumber: true,
        value: (day) => (day.assigned > 0 ? day.completed / day.assigned : undefined),
        cell: (day) =>
          day.assigned > 0 ? (
            t('tasks.doneOf', { completed: day.completed, assigned: day.assigned })
          ) : (
            <Faint>{t(`adherence.state.${day.state === 'before' || day.state === 'over' ? day.state : 'none'}`)}</Faint>
          ),
      },
      {
        id: 'wear',
        header: t('tasks.worn'),
        isNumber: true,
        value: (day) => day.wearSeconds,
        cell: (day) =>
          day.wearSeconds === undefined ? (
            <Faint>
              {t(day.isFuture ? 'adherence.toCome' : day.isToday ? 'adherence.noDataYet' : 'adherence.noData')}
            </Faint>
          ) : (
            format.duration(day.wearSeconds)
          ),
      },
    ],
    [t, format, onChoose],
  );
  const merge = useMemo(
    (): Merge<DayFacts> => ({
      // Days on which tasks were missed are apart from those without tasks.
      emptyKey: ({ wearSeconds, completed, isToday, isFuture, state }) =>
        wearSeconds === undefined && completed === 0 && !isToday ? `${state} ${isFuture}` : undefined,
      text: (first, last, count) => {
        const [from, to] = [first.date, last.date].sort();
        return t(first.isFuture ? 'table.mergedToCome' : 'table.merged', {
          range: t('table.range', { low: format.date(from ?? ''), high: format.date(to ?? '') }),
          count,
          state: t(`adherence.state.${first.state}`),
        });
      },
    }),
    [t, format],
  );
  return (
    <DataTable
      caption={t('tasks.caption')}
      rows={[...days]}
      columns={columns}
      rowId={(day) => day.date}
      initialSort={{ id: 'date', desc: false }}
      merge={merge}
    />
  );
}
