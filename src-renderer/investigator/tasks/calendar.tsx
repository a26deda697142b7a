import { useWords } from '../../shared/i18n/i18n.ts';
import { useGridFocus } from '../../shared/kit/grid-focus.ts';
import type { DayFacts } from '../adherence/day-state.ts';
import { TaskMark, useDaySentence, WearMark } from '../adherence/marks.tsx';
import styles from './tasks.module.css';

const WEEK = 7;
/** Page Up and Page Down move by about a month. */
const PAGE_WEEKS = 4;

/** The days as a calendar of whole weeks, starting on Monday. */
export function TaskCalendar({
  days,
  chosen,
  onChoose,
}: {
  days: readonly DayFacts[];
  chosen: string;
  onChoose: (date: string) => void;
}) {
  const { t, format } = useWords();
  const sentence = useDaySentence();
  const weeks = Array.from({ length: days.length / WEEK }, (_, week) => days.slice(week * WEEK, (week + 1) * WEEK));
  const start = Math.max(
    0,
    days.findIndex((day) => day.date === chosen),
  );
  const focus = useGridFocus(
    weeks.length,
    WEEK,
    (by) => {
      const row = Math.max(0, Math.min(weeks.length - 1, focus.at.row + by * PAGE_WEEKS));
      focus.focus({ row, column: focus.at.column });
    },
    { start: { row: Math.floor(start / WEEK), column: start % WEEK }, wraps: true },
  );
  return (
    <div className={styles.scroll}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of WAI-ARIA, with one tab stop */}
      <table role="grid" ref={focus.grid} className={styles.calendar} onKeyDown={focus.onKeyDown}>
        <caption className="visually-hidden">{t('tasks.caption')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('tasks.week')}</th>
            {weeks[0]?.map((day) => (
              <th key={day.date} scope="col">
                {format.weekday(day.date)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week, row) => (
            <tr key={week[0]!.date}>
              <th scope="row">{format.dayOfMonth(week[0]!.date)}</th>
              {week.map((day, column) => (
                // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a cell of a grid is a gridcell
                <td key={day.date} aria-selected={day.date === chosen}>
                  <button
                    type="button"
                    className={styles.day}
                    aria-label={sentence(day)}
                    aria-pressed={day.date === chosen}
                    aria-current={day.isToday ? 'date' : undefined}
                    onClick={() => onChoose(day.date)}
                    {...focus.cell(row, column)}
                  >
                    <span>{format.monthDay(day.date)}</span>
                    <TaskMark day={day} />
                    <WearMark day={day} />
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
