/** Tasks against days as a grid with one tab stop: Space or Enter puts a task on a day, or removes it. */
import { useWords } from '../../../shared/i18n/i18n.ts';
import type { useGridFocus } from '../../../shared/kit/grid-focus.ts';
import { Icon } from '../../../shared/kit/icon.tsx';
import styles from './builder.module.css';
import { isDue, type Locks, type ProgramRow } from './draft.ts';

export function ProgramDays({
  rows,
  days,
  locks,
  isReadOnly,
  focus,
  onToggle,
}: {
  rows: readonly ProgramRow[];
  /** The days that show, numbered from 0. */
  days: readonly number[];
  locks: Locks;
  isReadOnly: boolean;
  focus: ReturnType<typeof useGridFocus>;
  onToggle: (row: ProgramRow, day: number) => void;
}) {
  const { t } = useWords();
  const isLocked = (row: ProgramRow, day: number) => day < locks.days && isDue(locks.entries.get(row.taskId), day);
  return (
    <div className={styles.scroll}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of WAI-ARIA, with one tab stop */}
      <table role="grid" ref={focus.grid} className={styles.program} onKeyDown={focus.onKeyDown}>
        <caption className="visually-hidden">{t('builder.parts.program')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('builder.task')}</th>
            {days.map((day) => (
              <th key={day} scope="col">
                {day}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={row.taskId}>
              <th scope="row">{row.name}</th>
              {days.map((day, column) => {
                const due = isDue(row.entry?.days, day);
                const label = t(due ? 'builder.cellOn' : 'builder.cellOff', { name: row.name, day });
                return (
                  <td key={day}>
                    <button
                      type="button"
                      aria-pressed={due}
                      aria-label={isLocked(row, day) ? t('builder.cellLocked', { label }) : label}
                      aria-disabled={isReadOnly || isLocked(row, day)}
                      onClick={() => {
                        if (!isReadOnly && !isLocked(row, day)) onToggle(row, day);
                      }}
                      {...focus.cell(at, column)}
                    >
                      {due && <Icon name="check" size={16} />}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
